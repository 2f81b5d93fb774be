//! `Source`: a parsed file with its crate and module.

use std::path::{Path, PathBuf};
use std::{fs, io};

use quote::ToTokens;
use syn::{Attribute, Meta};

/// Folders at the top of the workspace that hold no library and no tool: dev-only crates, tests and programs.
const OTHER_FOLDERS: [&str; 9] = [
    "benches",
    "clients",
    "examples",
    "fuzz",
    "guide",
    "node_modules",
    "target",
    "testing",
    "tests",
];

/// A parsed file of a crate.
pub struct Source {
    /// Folder of the crate, relative to the workspace; empty for the package at the root.
    pub package: String,
    /// Path of the file, relative to the workspace.
    pub path: String,
    /// Module of the file: `["server", "calls"]` for `src/server/calls.rs`, and empty for `src/lib.rs`.
    pub module: Vec<String>,
    /// The items.
    pub file: syn::File,
}

impl Source {
    /// Parses a file, by its path relative to the workspace.
    ///
    /// # Errors
    ///
    /// When the path is not in a folder `src`, or the text is not Rust.
    pub fn parse(path: &str, text: &str) -> Result<Self, String> {
        let slashed = format!("/{path}");
        let (package, inside) = slashed
            .split_once("/src/")
            .ok_or_else(|| format!("{path} is in no folder `src`"))?;
        let inside = inside.strip_suffix(".rs").unwrap_or(inside);
        let module = match inside {
            "lib" | "main" => Vec::new(),
            _ => inside.split('/').map(str::to_owned).collect(),
        };
        let file = syn::parse_file(text).map_err(|error| format!("{path}: {error}"))?;
        Ok(Self {
            package: package.trim_start_matches('/').to_owned(),
            path: path.to_owned(),
            module,
            file,
        })
    }
}

/// Reads all sources of the crates below a folder, without tests, benches and examples.
///
/// # Errors
///
/// When a file cannot be read or parsed.
pub fn read_workspace(root: &Path) -> io::Result<Vec<Source>> {
    let mut paths = Vec::new();
    list(root, &mut paths)?;
    paths.sort();
    let mut sources = Vec::new();
    for path in paths {
        let relative = path.strip_prefix(root).unwrap_or(&path);
        let relative = relative.to_string_lossy().replace('\\', "/");
        if format!("/{relative}").contains("/src/") && !relative.contains("src/bin/") {
            let text = fs::read_to_string(&path)?;
            sources.push(Source::parse(&relative, &text).map_err(io::Error::other)?);
        }
    }
    Ok(sources)
}

fn list(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if entry.file_type()?.is_dir() {
            if !name.starts_with('.') && !OTHER_FOLDERS.contains(&&*name) {
                list(&entry.path(), paths)?;
            }
        } else if name.ends_with(".rs") && name != "tests.rs" {
            paths.push(entry.path());
        }
    }
    Ok(())
}

/// Returns whether an item is compiled for tests only.
pub fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path
            .segments
            .last()
            .is_some_and(|last| last.ident == "test"),
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_token_stream().to_string().replace(' ', "");
            condition == "test" || condition.starts_with("all(test")
        }
        _ => false,
    })
}
