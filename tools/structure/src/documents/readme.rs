//! The claims of the README.

use std::fs;

const README: &str = include_str!("../../../../README.md");
const GETTING_STARTED: &str = include_str!("../../../../guide/src/getting-started.md");
const BROWSER: &str = include_str!("../../../../guide/src/browser.md");
const MANIFEST: &str = include_str!("../../../../Cargo.toml");
const HELLO: &str = include_str!("../../../../examples/hello.rs");
const GUIDE: &str = include_str!("../../../../src/guide.rs");
const GUIDE_OF_BEVY: &str = include_str!("../../../../bevy/bevy_syncvar/src/guide.rs");
const GUIDE_OF_FLEET: &str = include_str!("../../../../fleet/src/guide.rs");
const EXPANSION: &str = include_str!("../../../../syncvar-derive/src/tests/readme.snap");

/// The blocks of code in this language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    let starts: Vec<_> = README.split(&*fence).skip(1).collect();
    starts
        .into_iter()
        .filter_map(|rest| rest.split("```").next())
        .collect()
}

/// The lines without indentation, without comments and blank lines.
fn code(text: &str) -> Vec<&str> {
    let lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_smallest_program_is_the_example_and_has_at_most_20_lines() {
    let program = code(blocks("rust")[0]);
    assert_eq!(program, code(HELLO));
    assert!(program.len() <= 20, "{} lines", program.len());
}

#[test]
fn the_expansions_shown_are_real() {
    let expansion = code(EXPANSION);
    let shown = blocks("rs");
    assert_eq!(shown.len(), 2);
    for block in shown {
        let block = code(block);
        let found = expansion.windows(block.len()).any(|window| window == block);
        assert!(found, "not in the snapshot: {block:#?}");
    }
}

#[test]
fn the_compiler_named_is_that_of_the_manifest() {
    let line = MANIFEST
        .lines()
        .find(|line| line.starts_with("rust-version = "))
        .unwrap();
    let version = line.split('"').nth(1).unwrap();
    assert!(
        README.contains(&format!("Rust {version} or newer")),
        "{version}"
    );
}

#[test]
fn every_feature_is_named() {
    let features = MANIFEST
        .split("[features]")
        .nth(1)
        .unwrap()
        .split("\n[")
        .next()
        .unwrap();
    let names = features
        .lines()
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name.trim());
    let documents = [
        ("README.md", README),
        ("getting-started.md", GETTING_STARTED),
    ];
    for name in names.filter(|name| *name != "default" && !name.starts_with('#')) {
        for (document, text) in documents {
            assert!(text.contains(&format!("`{name}`")), "{document}: {name}");
        }
    }
}

#[test]
fn the_dependency_is_a_path_while_nothing_is_published() {
    for text in [README, GETTING_STARTED] {
        let block = text.split("[dependencies]\n").nth(1).unwrap();
        let line = block.lines().next().unwrap();
        assert!(line.starts_with("syncvar = { path = "), "{line}");
    }
}

#[test]
fn the_size_of_the_client_in_typescript_is_the_limit_of_ci() {
    let ci = fs::read_to_string(crate::root().join(".ci/web")).unwrap();
    assert!(ci.contains(r#"[ "$(gzip -9 -c syncvar.js | wc -c)" -le 22000 ]"#));
    assert!(README.contains("TypeScript client of 22 KB gzipped"));
    assert!(BROWSER.contains("one plain ES module of less than 22 000 bytes gzipped"));
}

#[test]
fn ci_runs_the_readmes_own_commands() {
    let commands = blocks("sh")[0]
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim());
    let ci = fs::read_to_string(crate::root().join(".ci/run")).unwrap();
    let commands: Vec<_> = commands.collect();
    assert_eq!(commands.len(), 2);
    for command in commands {
        // The tests have built the example.
        let command = match command.strip_prefix("cargo run --example ") {
            Some(example) => format!("\"$examples/{example}\""),
            None => command.to_owned(),
        };
        assert!(
            ci.lines().any(|line| line == format!("step {command}")),
            "{command}"
        );
    }
}

#[test]
fn the_readme_has_at_most_150_lines() {
    assert!(README.lines().count() <= 150);
}

#[test]
fn every_link_of_a_document_leads_to_a_file() {
    let root = crate::root();
    let mut documents = vec![root.join("README.md"), root.join("ARCHITECTURE.md")];
    for folder in ["guide/src", "guide/src/maintain"] {
        let entries = fs::read_dir(root.join(folder)).unwrap();
        documents.extend(entries.map(|entry| entry.unwrap().path()));
    }
    for document in documents
        .iter()
        .filter(|path| path.extension() == Some("md".as_ref()))
    {
        let text = fs::read_to_string(document).unwrap();
        let targets = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        let is_page = document.starts_with(root.join("guide"));
        for target in targets.filter(|target| !target.starts_with("http")) {
            // A book has its own pages only.
            let name = document.display();
            let leaves = target.strip_prefix("../").is_some_and(|rest| {
                rest.starts_with("../") || document.parent() == Some(&root.join("guide/src"))
            });
            assert!(
                !is_page || !leaves,
                "{name} links out of the book: {target}"
            );
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let file = match file {
                "" => document.clone(),
                file => document.with_file_name(file),
            };
            assert!(file.exists(), "{} links to {target}", document.display());
            if !heading.is_empty() {
                let page = fs::read_to_string(file).unwrap();
                let headings = page.lines().filter_map(|line| line.strip_prefix('#'));
                let mut anchors = headings.map(|heading| {
                    let text = heading.trim_start_matches('#').trim();
                    text.to_lowercase().replace(' ', "-")
                });
                let known = anchors.any(|anchor| anchor == heading);
                assert!(known, "{} links to {target}", document.display());
            }
        }
    }
}

#[test]
fn every_page_of_the_guide_with_code_is_compiled() {
    let folder = crate::root().join("guide/src");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let has_code = path.is_file() && fs::read_to_string(&path).unwrap().contains("```rust");
        let of_crates = [GUIDE_OF_BEVY, GUIDE_OF_FLEET];
        let of_crates = of_crates
            .iter()
            .any(|guide| guide.contains(&format!("/{name}\"")));
        let is_compiled = GUIDE.contains(&format!("\"{name}\"")) || of_crates;
        assert!(!has_code || is_compiled, "{name}");
    }
}
