//! Holds `tests/PARITY.md` to the list of Mirror's tests, and to the tests of ours that it names.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn each_mirror_test_has_one_row_with_a_test_or_a_reason() {
    let (page, cases) = (
        read("tests/PARITY.md"),
        read("tests/sessions/parity/cases.txt"),
    );
    let cases = listed(&cases);
    assert_eq!(cases.len(), 612);
    assert_eq!(cases.iter().collect::<BTreeSet<_>>().len(), 612);
    let rows = rows(&page);
    let named: Vec<_> = rows.iter().map(|(of, case, _)| (*of, *case)).collect();
    assert_eq!(named, cases);
    let wrong: Vec<_> = rows.iter().filter(|(.., here)| !is_right(here)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_tests_of_collections_are_on_the_page_of_the_root() {
    /// Mirror's tests of its collections, which the page of the root package has.
    const OF_COLLECTIONS: &[&str] = &[
        "SyncDictionaryActionTest_Deferral",
        "SyncDictionaryActionTest_HostMode",
        "SyncListActionTest_HostMode",
        "SyncSetActionTest_HostMode",
        "SyncDictionaryTest",
        "SyncListClassTest",
        "SyncListStructTest",
        "SyncListTest",
        "SyncSetTest",
    ];

    let page = read("../../tests/PARITY.md");
    for fixture in OF_COLLECTIONS {
        assert!(
            page.contains(&format!("\n## Mirror, {fixture}\n")),
            "{fixture}"
        );
    }
}

#[test]
fn a_wrong_row_would_be_noticed() {
    for here in [
        "`tests/sessions/parity/page.rs::no_such_test`",
        "`tests/sessions/parity/no_such_file.rs::a_wrong_row_would_be_noticed`",
        "tests/sessions/parity/page.rs::a_wrong_row_would_be_noticed",
        "`tests/sessions/parity/page.rs::is_right`",
        "n.a.: no",
        "differs: yes",
        "",
    ] {
        assert!(!is_right(here), "{here}");
    }
    assert!(is_right(
        "`tests/sessions/parity/page.rs::a_wrong_row_would_be_noticed`"
    ));
    let page = "## A\n| case | here |\n| `x` | y |\n## B\n| `w` | z |\n";
    assert_eq!(rows(page), [("A", "x", "y"), ("B", "w", "z")]);
    assert_eq!(listed("# c\nA\n  x\n\nB\n  w\n"), [("A", "x"), ("B", "w")]);
}

/// Fixture and name of each case of the list.
fn listed(list: &str) -> Vec<(&str, &str)> {
    let (mut fixture, mut cases) = ("", Vec::new());
    for line in list
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        match line.strip_prefix("  ") {
            Some(case) => cases.push((fixture, case)),
            None => fixture = line,
        }
    }
    cases
}

/// Fixture, name and last column of each row of the page.
fn rows(page: &str) -> Vec<(&str, &str, &str)> {
    let (mut fixture, mut rows) = ("", Vec::new());
    for line in page.lines() {
        fixture = line.strip_prefix("## ").unwrap_or(fixture);
        let row = line
            .strip_prefix("| `")
            .and_then(|line| line.split_once("` | "));
        if let Some((case, here)) = row {
            rows.push((fixture, case, here.trim_end_matches(" |")));
        }
    }
    rows
}

fn is_right(here: &str) -> bool {
    let quoted = here
        .strip_prefix('`')
        .and_then(|here| here.strip_suffix('`'));
    if let Some((file, test)) = quoted.and_then(|quoted| quoted.split_once("::")) {
        let text = fs::read_to_string(root().join(file)).unwrap_or_default();
        return has_test(&text, test);
    }
    let reason = here
        .strip_prefix("n.a.: ")
        .or_else(|| here.strip_prefix("differs: "));
    reason.is_some_and(|reason| reason.split(' ').count() > 3)
}

/// Whether a file has a test of this name.
fn has_test(text: &str, name: &str) -> bool {
    let starts = [format!("fn {name}("), format!("async fn {name}(")];
    let is_test = |line: &str| line == "#[test]" || line.starts_with("#[tokio::test");
    let mut tested = false;
    text.lines().map(str::trim).any(|line| {
        let found = tested && starts.iter().any(|start| line.starts_with(start));
        tested = is_test(line) || tested && line.starts_with("#[");
        found
    })
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}
