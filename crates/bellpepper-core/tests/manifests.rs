//! The two lines are two manifests over the same sources. What they share has to be written in
//! both, and to be the same in both.

const LINE_0_2: &str = include_str!("../Cargo.toml");
const LINE_0_4: &str = include_str!("../../bellpepper-core-0.4/Cargo.toml");

#[test]
fn both_lines_have_the_same_features_and_dependencies() {
    fn from_features_on(manifest: &str) -> &str {
        &manifest[manifest.find("[features]").expect("there are features")..]
    }
    assert_eq!(from_features_on(LINE_0_2), from_features_on(LINE_0_4));
}

/// The tests of the 0.2 line are found by cargo, those of the 0.4 line are listed.
#[test]
fn both_lines_run_the_same_tests() {
    let mut found: Vec<String> = std::fs::read_dir(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../bellpepper-core/tests"),
    )
    .unwrap()
    .map(|entry| entry.unwrap().path())
    .map(|path| path.file_stem().unwrap().to_str().unwrap().to_string())
    .collect();
    found.sort();
    let listed: Vec<&str> = LINE_0_4
        .split("[[test]]\n")
        .skip(1)
        .map(|test| test.split('"').nth(1).expect("a test has a name"))
        .collect();
    assert_eq!(listed, found);
}
