//! Every example of the crate's WIRE.md, byte for byte: the page is read, each left side is written by the
//! real code, and the right side is what must come out. Whoever adds an example adds its code, and the
//! other way round.

pub(crate) mod behaviours;
pub(crate) mod collections;
pub(crate) mod hybrid;
pub(crate) mod messages;
pub(crate) mod objects;
pub(crate) mod transports;
pub(crate) mod values;

use std::collections::BTreeMap;

use syncvar::mirror::hash16;

/// What an example is called, and its bytes as hexadecimal digits.
type Examples = Vec<(&'static str, String)>;

/// The examples of the page: left side and right side.
fn documented(page: &str) -> BTreeMap<String, String> {
    let mut examples = BTreeMap::new();
    let mut in_examples = false;
    for line in page.lines() {
        let is_head = line.starts_with("| example |");
        in_examples = is_head || in_examples && line.starts_with('|');
        if !in_examples || is_head || line.starts_with("| ---") {
            continue;
        }
        let columns = line.trim_matches(['|', ' ']).rsplit_once(" | ");
        let (left, right) = columns.unwrap_or_else(|| panic!("two columns: {line}"));
        // What stands between backticks are bytes, what stands beside them are words.
        let bytes: String = right.split('`').skip(1).step_by(2).collect();
        let bytes: String = bytes.split_whitespace().collect();
        assert!(hex::decode(&bytes).is_ok(), "no bytes: {line}");
        let twice = examples.insert(left.to_owned(), bytes);
        assert!(twice.is_none(), "two examples are called {left}");
    }
    examples
}

#[test]
fn document_examples_equal_the_written_bytes() {
    let mut documented = documented(include_str!("../../WIRE.md"));
    documented.retain(|name, _| !values::is_absent(name));
    assert!(documented.len() > 70, "{} are found", documented.len());
    let examples = [
        values::examples(),
        behaviours::examples(),
        collections::examples(),
        objects::examples(),
        messages::examples(),
        hybrid::examples(),
        transports::examples(),
    ];
    for (name, written) in examples.into_iter().flatten() {
        let bytes = documented.remove(name);
        assert_eq!(bytes, Some(written), "{name}");
    }
    assert!(
        documented.is_empty(),
        "nobody writes these: {documented:#?}"
    );
}

/// The messages of section 5: their ids are hashes of their names.
#[test]
fn every_message_of_the_document_has_its_id() {
    let rows = include_str!("../../WIRE.md").lines().filter_map(|line| {
        let (names, rest) = line.strip_prefix("| `")?.split_once(" | ")?;
        let (ids, rest) = rest.split_once(" | ")?;
        let from = rest.split_once(" | ")?.0;
        let is_message = ["client", "server", "both", "client, server"].contains(&from);
        is_message.then_some((names, ids))
    });
    let mut count = 0;
    for (names, ids) in rows {
        let (names, ids): (Vec<_>, Vec<_>) =
            (names.split(", ").collect(), ids.split(", ").collect());
        assert_eq!(names.len(), ids.len());
        for (name, id) in names.into_iter().zip(ids) {
            let name = name
                .trim_matches('`')
                .replace("...", "EntityStateMessageUnreliable");
            let written = hash16(&format!("Mirror.{name}")).to_le_bytes();
            let id = id.trim_matches('`').replace(' ', "");
            assert_eq!(id, hex::encode(written), "{name}");
            count += 1;
        }
    }
    assert_eq!(count, 18);
}

#[test]
fn other_table_rows_are_no_examples() {
    let page = "| a | `00` |\n\n| example | bytes |\n| --- | --- |\n| `b` | `01` `02 03` and c |\n\n| d | `04` |\n";
    let b = ("`b`".to_owned(), "010203".to_owned());
    assert_eq!(documented(page), BTreeMap::from([b]));
}
