//! Coverage of the checklist in `tools/structure/src/documents/checklist/rows.txt`.
//!
//! A test covers a row when the comment above it holds the row's number, as in
//! `// checklist: U16 U17`. Without a comment above, the comment at the start of its body counts.
//! `tests/PARITY.md` gives the reason for each row without a meaning in Rust. Further rows without a test are open.
//! `.ci/checklist` prints the table.
#![allow(clippy::print_stdout, reason = "the table")]

pub(crate) mod lines;
pub(crate) mod rows;
pub(crate) mod scan;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use self::lines::{Line, lines};
use self::rows::{Checklist, RowState, is_required, not_applicable, rows};
use self::scan::tests;

#[test]
fn no_row_of_the_checklist_is_open() {
    let (list, page) = (
        read("tools/structure/src/documents/checklist/rows.txt"),
        read("tests/PARITY.md"),
    );
    let mut checklist = Checklist {
        rows: rows(&list).unwrap(),
        ..Checklist::default()
    };
    let of_document = |letter| {
        checklist
            .rows
            .iter()
            .filter(move |row| row.number.starts_with(letter))
    };
    let counts = ['U', 'M', 'N', 'B', 'T'].map(|letter| of_document(letter).count());
    assert_eq!(counts, [33, 22, 30, 24, 69]);
    let without_reason = |(_, reason): &(&str, &str)| reason.split(' ').count() < 5;
    let not_applicable = not_applicable(&page);
    assert_eq!(not_applicable.iter().find(|row| without_reason(row)), None);
    checklist.not_applicable = not_applicable.iter().map(|(row, _)| *row).collect();
    for path in sources() {
        let text = fs::read_to_string(&path).unwrap();
        let file = path.strip_prefix(root()).unwrap();
        let tests = tests(&text);
        assert!(
            tests.is_empty() || is_compiled(file),
            "{} is no module",
            file.display()
        );
        let file = file.display();
        for test in tests {
            let place = format!("{file}:{}: {}", test.line, test.name);
            for number in test.numbers {
                checklist
                    .covered
                    .entry(number)
                    .or_default()
                    .push(place.clone());
            }
        }
    }
    println!("{}", checklist.table());
    assert_eq!(checklist.contradictions(), [""; 0]);
    assert_eq!(checklist.which(is_required, RowState::Open), [""; 0]);
}

#[test]
fn scanner_counts_executed_tests_only() {
    let found = tests(&read("tools/structure/src/documents/checklist/counted.txt"));
    let found: Vec<_> = found
        .into_iter()
        .map(|test| {
            let numbers: Vec<_> = test.numbers.into_iter().collect();
            format!("{}: {}", test.name, numbers.join(" "))
        })
        .collect();
    assert_eq!(
        found,
        [
            "in_a_line_comment: U8 U9",
            "in_the_comment_above: B7 T40",
            "above_several_attributes: M5",
            "in_the_first_comment: N11",
            "of_another_harness: N12",
            "within_a_macro: U30",
            "in_the_upper_of_two_comments: M7",
            "of_no_row: T99",
            "on_one_line: U32",
        ]
    );

    let found = tests(&read(
        "tools/structure/src/documents/checklist/not_counted.txt",
    ));
    let numbers: BTreeSet<_> = found.into_iter().flat_map(|test| test.numbers).collect();
    assert_eq!(numbers, BTreeSet::new());
}

#[test]
fn scanner_separates_code_from_comments_and_strings() {
    let line = |code: &str, comment: &str| Line {
        code: code.to_owned(),
        comment: comment.to_owned(),
    };
    for (text, expected) in [
        ("a(); // b", vec![line("a();", "b")]),
        ("/// \"c", vec![line("", "\"c")]),
        (
            "a(\"// b\", 'c', '\\'', '\"', \"\\\"\");",
            vec![line("a(, , , , );", "")],
        ),
        (
            "fn f<'a>(b: &'a str) {",
            vec![line("fn f<'a>(b: &'a str) {", "")],
        ),
        (
            "r#\"a\n\"b\n\"#; c",
            vec![line("", ""), line("", ""), line("; c", "")],
        ),
        ("\"a\nb\"; c", vec![line("", ""), line("; c", "")]),
        (
            "/* a\n/* b */ c */ d",
            vec![line("", "a"), line("d", "b  c")],
        ),
        ("for\"a\"", vec![line("for", "")]),
        ("'é'; 'é', b'\\\\'", vec![line("; , b", "")]),
    ] {
        assert_eq!(lines(text), expected, "{text}");
    }
}

#[test]
fn a_wrong_list_or_page_would_be_noticed() {
    let list = "# title\n\nU1 one\nT2 * two\nT3 three\nU1 again\n";
    let page = "## A\n| `U9` | no |\n## Rows of the checklist that have no meaning in Rust\n| row | reason |\n\
                | `U1` | because |\n| `T9` | because |\n## B\n| `U8` | no |\n";
    let mut checklist = Checklist {
        rows: rows(list).unwrap(),
        ..Checklist::default()
    };
    assert_eq!(
        checklist.which(is_required, RowState::Open),
        ["U1", "T2", "U1"]
    );
    assert_eq!(not_applicable(page), [("U1", "because"), ("T9", "because")]);
    checklist.not_applicable = not_applicable(page).iter().map(|(row, _)| *row).collect();
    checklist
        .covered
        .insert("U1".to_owned(), vec!["a".to_owned()]);
    checklist
        .covered
        .insert("U4".to_owned(), vec!["b".to_owned()]);
    assert_eq!(
        checklist.contradictions(),
        [
            "U1 stands in the list twice",
            "U1 has a test and a reason for none: a",
            "U4 is no row: b",
            "T9 is no row: PARITY.md",
        ]
    );
    assert_eq!(checklist.which(is_required, RowState::Open), ["T2"]);
    assert!(checklist.table().contains("starred (T*): 1 rows\n  covered          0\n  not applicable   0\n  open             1  T2\n"));
    assert!(is_compiled(Path::new("tests/wire/netcode/writers.rs")));
    assert!(is_compiled(Path::new("syncvar-runtime/src/wire/packed.rs")));
    assert!(!is_compiled(Path::new(
        "tests/wire/netcode/no_such_module.rs"
    )));
    assert!(!is_compiled(Path::new(
        "syncvar-derive/tests/ui/conflict/value_by_hand_too.rs"
    )));
    for wrong in ["U1", "X1 one", "U one", "U1234 one", "U1\tone", "one"] {
        assert_eq!(rows(wrong).unwrap_err(), wrong);
    }
}

/// Rust files of the workspace that can hold tests.
fn sources() -> Vec<PathBuf> {
    let mut sources = Vec::new();
    let manifest = read("Cargo.toml");
    let (_, members) = manifest.split_once("\nmembers = [").unwrap();
    let (members, _) = members.split_once(']').unwrap();
    let members = members
        .split('"')
        .skip(1)
        .step_by(2)
        .map(|path| root().join(path));
    let crates = members.chain([root()]);
    let mut folders: Vec<_> = crates
        .flat_map(|path| [path.join("src"), path.join("tests")])
        .collect();
    while let Some(folder) = folders.pop() {
        if !folder.is_dir() {
            continue;
        }
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.push(path);
            }
        }
    }
    sources.sort();
    sources.dedup();
    assert!(sources.len() > 100, "{} files", sources.len());
    sources
}

/// Whether a file is the root of a crate, or a module of a file that its folder or one above belongs
/// to.
fn is_compiled(file: &Path) -> bool {
    let (folder, stem) = (file.parent().unwrap(), file.file_stem().unwrap());
    if folder.ends_with("tests") || stem == "lib" || stem == "main" {
        return true;
    }
    let declaration = format!("mod {};", stem.to_string_lossy());
    let declares = |above: &Path| {
        let text = fs::read_to_string(root().join(above)).unwrap_or_default();
        lines(&text).iter().any(|line| {
            let before = line.code.strip_suffix(&declaration);
            before.is_some_and(|before| before.is_empty() || before.starts_with("pub"))
        })
    };
    let mut candidates = folder.ancestors().flat_map(|folder| {
        let roots = ["lib.rs", "main.rs", "mod.rs"].map(|root| folder.join(root));
        roots.into_iter().chain([folder.with_extension("rs")])
    });
    candidates.any(|candidate| declares(&candidate))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

fn root() -> PathBuf {
    crate::root()
}
