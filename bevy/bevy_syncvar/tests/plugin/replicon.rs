//! The table of the situations that replicon tests: `tests/replicon.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Collects the names of the tests in the files of a folder.
fn collect(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, names);
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        for test in source.split("#[test]").skip(1) {
            let (_, test) = test.split_once("fn ").unwrap();
            names.insert(test.split_once('(').unwrap().0.to_owned());
        }
    }
}

#[test]
fn tests_of_the_table_exist() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut names = BTreeSet::new();
    collect(&folder.join("plugin"), &mut names);
    let table = fs::read_to_string(folder.join("replicon.md")).unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| "));
    let cells = rows.filter_map(|row| row.split('|').nth(2));
    let cells: Vec<&str> = cells.map(str::trim).collect();
    let listed = cells.iter().filter(|cell| cell.starts_with('`'));
    let listed = listed.flat_map(|cell| cell.split(" (").next().unwrap().split(", "));
    let listed: BTreeSet<&str> = listed.map(|name| name.trim_matches('`')).collect();
    let missing: Vec<_> = listed
        .iter()
        .filter(|name| !names.contains(**name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(cells.iter().all(|cell| !cell.is_empty()));
    let covered = cells.iter().filter(|cell| cell.starts_with('`')).count();
    assert!(covered >= 116, "{covered} tests of replicon are ported");
}
