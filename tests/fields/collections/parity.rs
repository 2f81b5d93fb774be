//! Holds `tests/PARITY.md` to the tests that it names.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What a case can be left to.
const CAPABILITIES: &[&str] = &[];

#[test]
fn each_case_of_both_projects_has_one_row_with_a_test_or_reason() {
    /// The tables, and how many cases each has.
    const TABLES: &[(&str, usize)] = &[
        ("Mirror, SyncDictionaryActionTest_Deferral", 3),
        ("Mirror, SyncDictionaryActionTest_HostMode", 1),
        ("Mirror, SyncListActionTest_HostMode", 1),
        ("Mirror, SyncSetActionTest_HostMode", 1),
        ("Mirror, SyncDictionaryTest", 27),
        ("Mirror, SyncListClassTest", 2),
        ("Mirror, SyncListStructTest", 2),
        ("Mirror, SyncListTest", 34),
        ("Mirror, SyncSetTest", 31),
        ("Mirror, NetworkBehaviourSerializeTest", 8),
        ("Mirror, NetworkBehaviourChildSerializeTest", 8),
        (
            "Mirror, other tests of behaviours, as far as they are about collections",
            9,
        ),
        ("Netcode, lists and collections", 26),
    ];

    /// The last section, which `tools/structure/src/documents/checklist.rs` looks after.
    const OF_THE_CHECKLIST: &str = "Rows of the checklist that have no meaning in Rust";

    let page = fs::read_to_string(tests().join("PARITY.md")).unwrap();
    let titles = page.lines().filter_map(|line| line.strip_prefix("## "));
    let expected = TABLES.iter().map(|(title, _)| *title);
    assert!(titles.eq(expected.chain([OF_THE_CHECKLIST])));
    let mut wrong = Vec::new();
    for (title, count) in TABLES {
        let rows = rows(&page, title);
        let cases: BTreeSet<_> = rows.iter().map(|(case, _)| *case).collect();
        assert_eq!((rows.len(), cases.len()), (*count, *count), "{title}");
        wrong.extend(rows.into_iter().filter(|(_, here)| !is_right(here)));
    }
    assert_eq!(wrong, []);
}

#[test]
fn a_wrong_row_would_be_noticed() {
    for here in [
        "`collections/mirror_lists.rs::no_such_test`",
        "`collections/no_such_file.rs::test_init_the_full_state_arrives`",
        "collections/mirror_lists.rs::test_init_the_full_state_arrives",
        "cannot be written in Rust, because no",
        "later: magic",
        "",
    ] {
        assert!(!is_right(here), "{here}");
    }
    let page = "## A\n| `x` | y | z |\n| `x2` | y | z |\n## B\n| `w` | y | z |\n";
    assert_eq!(rows(page, "A"), [("x", "z"), ("x2", "z")]);
}

/// Case and last column of each row of the table under a heading.
fn rows<'a>(page: &'a str, title: &str) -> Vec<(&'a str, &'a str)> {
    let section = page
        .lines()
        .skip_while(|line| *line != format!("## {title}"));
    let section = section.skip(1).take_while(|line| !line.starts_with("## "));
    let rows = section.filter_map(|line| {
        let (case, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        Some((case, rest.strip_suffix(" |")?.rsplit_once(" | ")?.1))
    });
    rows.collect()
}

fn is_right(here: &str) -> bool {
    let quoted = here
        .strip_prefix('`')
        .and_then(|here| here.strip_suffix('`'));
    if let Some((file, test)) = quoted.and_then(|quoted| quoted.split_once("::")) {
        let text = fs::read_to_string(tests().join(file)).unwrap_or_default();
        return has_test(&text, test);
    }
    let reason = here.strip_prefix("cannot be written in Rust, because ");
    let capability = here.strip_prefix("later: ");
    reason.is_some_and(|reason| reason.split(' ').count() > 4)
        || capability.is_some_and(|capability| CAPABILITIES.contains(&capability))
}

/// Whether a file has a test of this name.
fn has_test(text: &str, name: &str) -> bool {
    let start = format!("fn {name}(");
    let mut lines = text.lines().map(str::trim);
    let is_test = |line: &str| line == "#[test]";
    let mut before = "";
    lines.any(|line| {
        let found = line.starts_with(&start) && is_test(before);
        before = line;
        found
    })
}

/// The folder `tests`.
fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}
