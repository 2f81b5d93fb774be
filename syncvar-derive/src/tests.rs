//! Comparison of every input in `tests/` with its expansion: the code that users read in `cargo expand`.
//!
//! A changed expansion is reviewed as product code; CONTRIBUTING.md describes how to accept it.

use std::fs;
use std::path::{Path, PathBuf};

use insta::{assert_snapshot, with_settings};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{DeriveInput, Item};

/// Limit of an input's lines, so that a reader sees the origin of each output line.
const MAX_INPUT_LINES: usize = 12;

#[test]
fn expansions_are_as_reviewed() {
    for path in inputs() {
        let source = fs::read_to_string(&path).unwrap();
        let file = path.file_name().unwrap().to_string_lossy();
        assert!(
            source.lines().count() <= MAX_INPUT_LINES,
            "{file} is too long"
        );
        with_settings!({
            snapshot_path => "tests",
            prepend_module_to_snapshot => false,
            description => source.trim_end(),
            omit_expression => true,
        }, {
            assert_snapshot!(file.trim_end_matches(".in.rs"), expand(&source));
        });
    }
}

/// Returns the files `tests/*.in.rs`, by name.
fn inputs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests");
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut inputs: Vec<_> = entries
        .filter(|path| path.to_string_lossy().ends_with(".in.rs"))
        .collect();
    inputs.sort();
    assert!(!inputs.is_empty());
    inputs
}

/// Expands every item of a file and formats the result.
fn expand(source: &str) -> String {
    let file = syn::parse_file(source).unwrap();
    let expanded = file.items.iter().map(|item| {
        if let Item::Impl(block) = item {
            let mut block = block.clone();
            block.attrs.clear();
            return crate::calls::network_calls(&TokenStream::new(), &block.to_token_stream());
        }
        let input: DeriveInput = syn::parse2(item.to_token_stream()).unwrap();
        if derives(item, "SyncValue") {
            crate::value(&input)
        } else if derives(item, "Interpolate") {
            crate::interpolate(&input)
        } else {
            crate::behaviour(&input)
        }
    });
    prettyplease::unparse(&syn::parse2(expanded.collect()).unwrap())
}

fn derives(item: &Item, name: &str) -> bool {
    let attrs = match item {
        Item::Struct(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        _ => return false,
    };
    attrs
        .iter()
        .any(|attr| attr.to_token_stream().to_string().contains(name))
}
