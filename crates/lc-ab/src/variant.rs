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
    #[serde(flatten)]
    pub settings: Settings,
}

/// What a variant's program is linked with or told to do, beside the crate under it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub jemalloc: bool,
    /// The allocator asks the kernel for huge pages.
    pub huge_pages: bool,
    /// The assignment's vectors have their capacity from the start.
    pub reserve: bool,
    /// `A`, `B` and `C` are evaluated from compiled constraints where these are known.
    pub compiled: bool,
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

    /// The features that `package`, one of the workspace's own programs, is built with. Only of a
    /// storage of the workspace's own is it known that the crate can say what it is.
    pub fn package_features(&self, package: &str) -> Vec<String> {
        let of_own_crate = matches!(self.source, Source::Storage(_));
        [
            (!of_own_crate, "upstream"),
            (self.settings.jemalloc, "jemalloc"),
        ]
        .into_iter()
        .filter(|(on, _)| *on)
        .map(|(_, feature)| format!("{package}/{feature}"))
        .collect()
    }

    /// What `porep-synth` is told beside the circuit.
    pub fn arguments(&self) -> Vec<&'static str> {
        [
            (self.settings.reserve, "--reserve"),
            (self.settings.compiled, "--compiled"),
        ]
        .into_iter()
        .filter(|(on, _)| *on)
        .map(|(_, argument)| argument)
        .collect()
    }

    /// The variable that sets up the allocator, if any has to.
    pub fn environment(&self) -> Option<(&'static str, &'static str)> {
        match (self.settings.huge_pages, self.settings.jemalloc) {
            (false, _) => None,
            (true, false) => Some(("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")),
            (true, true) => Some(("_RJEM_MALLOC_CONF", "thp:always")),
        }
    }

    /// What the program has to print as its allocator.
    pub fn allocator(&self) -> &'static str {
        if self.settings.jemalloc {
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
    #[error(
        "`{0}` is no variant: write `upstream`, a storage feature such as `lc-vec`, or \
         `path:DIR[,feature…]`, each with `+jemalloc`, `+huge-pages`, `+reserve` or `+compiled` \
         if wanted"
    )]
    Unknown(String),
    #[error("`{0}` names no folder: write `path:DIR` or `path:DIR,feature`")]
    NoFolder(String),
}

impl FromStr for Variant {
    type Err = VariantError;

    fn from_str(text: &str) -> Result<Self, VariantError> {
        let mut name = text;
        let mut settings = Settings::default();
        while let Some((rest, setting)) = name.rsplit_once('+') {
            match setting {
                "jemalloc" => settings.jemalloc = true,
                "huge-pages" => settings.huge_pages = true,
                "reserve" => settings.reserve = true,
                "compiled" => settings.compiled = true,
                // A folder's name may have a plus in it.
                _ => break,
            }
            name = rest;
        }
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
        } else if name.starts_with("lc-") && !name.contains('+') {
            Source::Storage(name.to_owned())
        } else {
            return Err(VariantError::Unknown(text.to_owned()));
        };
        Ok(Self {
            label: text.to_owned(),
            source,
            settings,
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
        assert_eq!(variants[0].package_features("p"), ["p/upstream"]);
        assert_eq!(variants[1].package_features("p"), ["p/jemalloc"]);
        assert_eq!(variants[1].core_features(), ["lc-vec"]);
        assert_eq!(variants[1].storage(), "lc-vec");
        assert_eq!(
            variants[2].source,
            Source::Path {
                dir: "../mine".into(),
                features: vec!["fast".into(), "lc-x".into()]
            }
        );
        assert_eq!(
            variants[2].package_features("p"),
            ["p/upstream", "p/jemalloc"]
        );
    }

    #[test]
    fn settings_follow_in_any_order() {
        let variants = list(&[
            "lc-pooled+compiled+reserve,upstream+huge-pages,upstream+huge-pages+jemalloc",
            "path:a+b+reserve",
        ])
        .unwrap();
        assert_eq!(variants[0].storage(), "lc-pooled");
        assert_eq!(variants[0].arguments(), ["--reserve", "--compiled"]);
        assert_eq!(variants[0].environment(), None);
        assert_eq!(variants[1].environment().unwrap().0, "GLIBC_TUNABLES");
        assert_eq!(variants[2].environment().unwrap().0, "_RJEM_MALLOC_CONF");
        assert!(matches!(&variants[3].source, Source::Path { dir, .. } if dir.ends_with("a+b")));
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
