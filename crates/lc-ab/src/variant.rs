//! What is compared: how a variant is named on the command line, and which crate, which features
//! and which allocator the name stands for. Building it is left to `builds`.

use std::{path::PathBuf, str::FromStr};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// How reports call it: what the user wrote, with `#2` and so on when written twice.
    pub label: String,
    pub source: Source,
    pub jemalloc: bool,
}

/// Where the `bellpepper-core` of a variant comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The registry's crate.
    Upstream,
    /// The workspace's own crate with this storage feature.
    Storage(String),
    /// Somebody's own fork, with these of its features.
    Path { dir: PathBuf, features: Vec<String> },
}

impl Variant {
    /// The features of `bellpepper-core` that are asked for.
    pub fn core_features(&self) -> &[String] {
        match &self.source {
            Source::Upstream => &[],
            Source::Storage(storage) => std::slice::from_ref(storage),
            Source::Path { features, .. } => features,
        }
    }

    /// The features that `porep-synth` and the crate under it are built with. Only of a storage of
    /// the workspace's own is it known that the crate can say what it is.
    pub fn cargo_features(&self) -> Vec<String> {
        let mut features = Vec::new();
        if !matches!(self.source, Source::Storage(_)) {
            features.push("porep-synth/upstream".to_owned());
        }
        if self.jemalloc {
            features.push("porep-synth/jemalloc".to_owned());
        }
        features.extend(
            self.core_features()
                .iter()
                .map(|feature| format!("bellpepper-core/{feature}")),
        );
        features
    }

    /// What the program has to print as its allocator.
    pub fn allocator(&self) -> &'static str {
        if self.jemalloc {
            "jemalloc"
        } else {
            "system"
        }
    }

    /// What the program has to print as its storage.
    pub fn storage(&self) -> &str {
        match &self.source {
            Source::Storage(storage) => storage,
            Source::Upstream | Source::Path { .. } => "upstream",
        }
    }
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum VariantError {
    #[error("`{0}` is no variant: write `upstream`, a storage feature such as `lc-vec`, or `path:DIR[,feature…]`, each with `+jemalloc` if wanted")]
    Unknown(String),
    #[error("`{0}` names no folder: write `path:DIR` or `path:DIR,feature`")]
    NoFolder(String),
}

impl FromStr for Variant {
    type Err = VariantError;

    fn from_str(text: &str) -> Result<Self, VariantError> {
        let (name, jemalloc) = match text.strip_suffix("+jemalloc") {
            Some(name) => (name, true),
            None => (text, false),
        };
        let source = if let Some(path) = name.strip_prefix("path:") {
            let mut parts = path.split(',');
            let dir = parts.next().unwrap_or_default();
            let features: Vec<String> = parts.map(str::to_owned).collect();
            if dir.is_empty() || features.iter().any(String::is_empty) {
                return Err(VariantError::NoFolder(text.to_owned()));
            }
            Source::Path {
                dir: PathBuf::from(dir),
                features,
            }
        } else if name == "upstream" {
            Source::Upstream
        } else if name.starts_with("lc-") {
            Source::Storage(name.to_owned())
        } else {
            return Err(VariantError::Unknown(text.to_owned()));
        };
        Ok(Self {
            label: text.to_owned(),
            source,
            jemalloc,
        })
    }
}

/// Splits what `--variants` was given. Commas separate variants, until a `path:`, whose own
/// features follow after commas and so reach to the end of the argument.
pub fn parse_list(arguments: &[String]) -> Result<Vec<Variant>, VariantError> {
    let mut variants: Vec<Variant> = Vec::new();
    for argument in arguments {
        let mut rest = argument.as_str();
        while !rest.is_empty() {
            let end = if rest.starts_with("path:") {
                rest.len()
            } else {
                rest.find(',').unwrap_or(rest.len())
            };
            variants.push(rest[..end].parse()?);
            rest = rest[end..].trim_start_matches(',');
        }
    }
    for index in 0..variants.len() {
        let written = variants[index].label.clone();
        let before = variants[..index]
            .iter()
            .filter(|other| same_but_number(&other.label, &written))
            .count();
        if before > 0 {
            variants[index].label = format!("{written}#{}", before + 1);
        }
    }
    Ok(variants)
}

fn same_but_number(label: &str, written: &str) -> bool {
    label
        .strip_prefix(written)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(arguments: &[&str]) -> Result<Vec<Variant>, VariantError> {
        parse_list(&arguments.iter().map(|a| a.to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn names_become_sources_and_features() {
        let variants = list(&[
            "upstream,lc-vec+jemalloc",
            "path:../mine,fast,lc-x+jemalloc",
        ])
        .unwrap();
        assert_eq!(variants[0].source, Source::Upstream);
        assert_eq!(variants[0].cargo_features(), ["porep-synth/upstream"]);
        assert_eq!(
            variants[1].cargo_features(),
            ["porep-synth/jemalloc", "bellpepper-core/lc-vec"]
        );
        assert_eq!(variants[1].storage(), "lc-vec");
        assert_eq!(
            variants[2].source,
            Source::Path {
                dir: "../mine".into(),
                features: vec!["fast".into(), "lc-x".into()]
            }
        );
        assert_eq!(
            variants[2].cargo_features(),
            [
                "porep-synth/upstream",
                "porep-synth/jemalloc",
                "bellpepper-core/fast",
                "bellpepper-core/lc-x"
            ]
        );
    }

    #[test]
    fn the_same_variant_twice_gets_a_number() {
        let labels: Vec<String> = list(&["upstream,upstream,lc-vec,upstream"])
            .unwrap()
            .into_iter()
            .map(|variant| variant.label)
            .collect();
        assert_eq!(labels, ["upstream", "upstream#2", "lc-vec", "upstream#3"]);
    }

    #[test]
    fn bad_names_are_refused() {
        assert_eq!(list(&["vec"]), Err(VariantError::Unknown("vec".to_owned())));
        assert_eq!(
            list(&["path:"]),
            Err(VariantError::NoFolder("path:".to_owned()))
        );
        assert!(list(&["path:x,,y"]).is_err());
        assert!(list(&["upstream+mimalloc"]).is_err());
    }
}
