//! The library's documentation says that data flows one way: so no file may import another that
//! imports it, at whatever distance.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// The modules at the crate's root that each of them names, tests aside.
fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let library = fs::read_to_string(src.join("lib.rs")).unwrap();
    let modules: Vec<&str> = library
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod "))
        .map(|module| module.trim_end_matches(';'))
        .collect();
    let text_of = |module: &str| -> String {
        let mut files = vec![src.join(format!("{module}.rs"))];
        let folder = fs::read_dir(src.join(module)).into_iter().flatten();
        files.extend(folder.map(|entry| entry.unwrap().path()));
        let texts = files
            .iter()
            .filter_map(|file| fs::read_to_string(file).ok());
        texts
            .map(|text| text.split("#[cfg(test)]").next().unwrap().to_owned())
            .collect()
    };
    let imports_of = |module: &str| -> BTreeSet<String> {
        let text = text_of(module);
        let mut imported = BTreeSet::new();
        for (start, _) in text.match_indices("crate::") {
            let rest = &text[start + "crate::".len()..];
            let named = match rest.strip_prefix('{') {
                Some(list) => list.split("};").next().unwrap(),
                None => rest.split([':', ';', ',']).next().unwrap(),
            };
            let words = named.split(|c: char| !c.is_alphanumeric() && c != '_');
            imported.extend(
                words
                    .filter(|word| modules.contains(word))
                    .map(str::to_owned),
            );
        }
        imported.remove(module);
        imported
    };
    modules
        .iter()
        .map(|module| (module.to_string(), imports_of(module)))
        .collect()
}

#[test]
fn no_modules_import_one_another_in_a_circle() {
    let mut left = imports();
    assert!(left["session"].contains("plan"), "the imports are not read");
    // Takes away, again and again, the modules that import none of those that are left.
    loop {
        let names: BTreeSet<String> = left.keys().cloned().collect();
        left.retain(|_, imported| !imported.is_disjoint(&names));
        if left.len() == names.len() {
            break;
        }
    }
    assert!(left.is_empty(), "in a circle: {left:#?}");
}
