//! Messages of the guide's page about mistakes.

use std::fs;

const PAGE: &str = include_str!("../../../../guide/src/mistakes.md");

/// Returns the text of a table's cell without its marks of code.
fn plain(cell: &str) -> &str {
    cell.trim().trim_matches('`').trim()
}

/// Joins the messages of the compiler for all mistakes.
fn messages() -> String {
    let folder = crate::root().join("syncvar-derive/tests/ui");
    let mut texts = String::new();
    for rule in fs::read_dir(folder).unwrap() {
        let rule = rule.unwrap().path();
        for file in rule
            .is_dir()
            .then(|| fs::read_dir(rule).unwrap())
            .into_iter()
            .flatten()
        {
            let file = file.unwrap().path();
            if file
                .extension()
                .is_some_and(|extension| extension == "stderr")
            {
                texts.push_str(&fs::read_to_string(file).unwrap());
            }
        }
    }
    texts
}

#[test]
fn each_message_of_the_page_is_the_compilers() {
    let (texts, table) = (messages(), PAGE.split("\n## ").nth(1).unwrap());
    let rows: Vec<_> = table
        .lines()
        .filter(|line| line.starts_with("| "))
        .skip(2)
        .collect();
    assert!(rows.len() >= 15, "{} rows", rows.len());
    for row in rows {
        let message = plain(row.split(" | ").nth(1).unwrap());
        assert!(
            texts.contains(message),
            "no test has this message: {message}"
        );
    }
}

#[test]
fn each_warning_of_the_page_is_in_the_code() {
    let root = crate::root();
    let files = [
        "syncvar-runtime/src/clock.rs",
        "syncvar-runtime/src/events.rs",
        "protocols/net/src/server/alive.rs",
        "protocols/net/src/server/sessions/admission.rs",
    ];
    let code: String = files
        .iter()
        .map(|file| fs::read_to_string(root.join(file)).unwrap())
        .collect();
    let table = PAGE.split("\n## ").nth(2).unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| \""));
    let mut count = 0;
    for warning in rows.flat_map(|row| row.split('"').skip(1).step_by(2)) {
        for part in warning.split(" .. ") {
            assert!(code.contains(part), "no warning has: {part}");
            count += 1;
        }
    }
    assert!(count >= 7, "{count} warnings");
}
