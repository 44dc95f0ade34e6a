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
