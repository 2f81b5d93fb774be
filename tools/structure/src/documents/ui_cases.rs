//! Compares `syncvar-derive/tests/ui/PARITY.md` with the catalogues in `ui/cases`, the files in `ui`
//! and the tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Reason for a case without a file.
const CAPABILITIES: &[&str] = &["user messages"];

/// A row of a table.
#[derive(Clone, Copy)]
struct CaseRow<'a> {
    case: &'a str,
    here: &'a str,
}

#[test]
fn every_case_of_both_weavers_stands_in_its_table_once() {
    let page = read("PARITY.md");
    for (title, catalogue, count) in [("UNet", "unet", 121), ("Mirror", "mirror", 195)] {
        let cases = read(&format!("cases/{catalogue}.txt"));
        assert_eq!(cases.lines().count(), count);
        assert_eq!(differences(&rows(&page, title), &cases), [""; 0]);
    }
}

#[test]
fn every_row_names_a_file_a_test_a_reason_or_a_capability() {
    let page = read("PARITY.md");
    let rows = rows(&page, "UNet").into_iter().chain(rows(&page, "Mirror"));
    let wrong: Vec<_> = rows.filter_map(wrong).collect();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn every_mistake_stands_beside_its_message() {
    let mut mistakes = 0;
    for folder in entries(&ui()).filter(|path| path.is_dir()) {
        for path in entries(&folder) {
            let other = match path.extension().and_then(|extension| extension.to_str()) {
                Some("rs") => path.with_extension("stderr"),
                Some("stderr") => path.with_extension("rs"),
                _ => continue,
            };
            assert!(
                other.exists(),
                "{} is without {}",
                path.display(),
                other.display()
            );
            mistakes += 1;
        }
    }
    assert!(mistakes > 0);
}

/// The checks above find planted mistakes.
#[test]
fn a_wrong_page_would_be_noticed() {
    let page = "## Here\n| case | says | here |\n| --- | --- | --- |\n| `a` | x | y |\n| `a` | x | y |\n\
                | `b` | x | y |\n## There\n| `c` | x | y |\n";
    let differences = differences(&rows(page, "Here"), "a\nc\n");
    assert_eq!(
        differences,
        [
            "`a` stands there 2 times",
            "`b` is no case",
            "`c` is missing"
        ]
    );

    for here in [
        "`ui/limit/no_such_file.rs`",
        "`derive.rs::no_such_test`",
        "`no_such_file.rs::a_test`",
        "`ui/limit/sixty_five`",
        "cannot be written in Rust",
        "cannot be written in Rust, because no",
        "later",
        "later: magic",
        "",
    ] {
        assert!(wrong(CaseRow { case: "a", here }).is_some(), "{here}");
    }
}

/// The rows of the table under a heading.
fn rows<'a>(page: &'a str, heading: &str) -> Vec<CaseRow<'a>> {
    let heading = format!("## {heading}");
    let section = page.lines().skip_while(|line| *line != heading).skip(1);
    let section = section.take_while(|line| !line.starts_with("## "));
    section.filter_map(row).collect()
}

/// `` | `case` | what the weaver says | here | ``
fn row(line: &str) -> Option<CaseRow<'_>> {
    let (case, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
    let (_, here) = rest.strip_suffix(" |")?.split_once(" | ")?;
    Some(CaseRow { case, here })
}

/// Returns the missing, unknown and repeated cases.
fn differences(rows: &[CaseRow<'_>], cases: &str) -> Vec<String> {
    let mut times: BTreeMap<&str, (bool, usize)> = BTreeMap::new();
    for case in cases.lines() {
        times.entry(case).or_default().0 = true;
    }
    for row in rows {
        times.entry(row.case).or_default().1 += 1;
    }
    let differences = times.into_iter().filter_map(|(case, found)| match found {
        (true, 1) => None,
        (true, 0) => Some(format!("`{case}` is missing")),
        (false, _) => Some(format!("`{case}` is no case")),
        (true, times) => Some(format!("`{case}` stands there {times} times")),
    });
    differences.collect()
}

/// Returns the fault of a row.
fn wrong(row: CaseRow<'_>) -> Option<String> {
    let CaseRow { case, here } = row;
    let quoted = here
        .strip_prefix('`')
        .and_then(|here| here.strip_suffix('`'));
    let right = if let Some((file, test)) = quoted.and_then(|quoted| quoted.split_once("::")) {
        fs::read_to_string(tests().join(file)).is_ok_and(|text| has_test(&text, test))
    } else if let Some(file) = quoted {
        let path = file.strip_prefix("ui/").map(|file| ui().join(file));
        path.is_some_and(|path| path.extension().is_some_and(|is| is == "rs") && path.exists())
    } else if let Some(reason) = here.strip_prefix("cannot be written in Rust, because ") {
        reason.split(' ').count() > 4
    } else {
        here.strip_prefix("later: ")
            .is_some_and(|capability| CAPABILITIES.contains(&capability))
    };
    (!right).then(|| format!("`{case}`: {here}"))
}

/// Whether a file has a test of this name.
fn has_test(text: &str, name: &str) -> bool {
    let mut previous = "";
    text.lines().map(str::trim).any(|line| {
        let found = previous == "#[test]" && line.starts_with(&format!("fn {name}("));
        previous = line;
        found
    })
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
}

fn read(path: &str) -> String {
    fs::read_to_string(ui().join(path)).unwrap()
}

/// Folder of the mistakes and their messages.
fn ui() -> PathBuf {
    crate::root().join("syncvar-derive/tests/ui")
}

/// Folder of the facade's tests.
fn tests() -> PathBuf {
    crate::root().join("tests")
}
