//! The rows and their states.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::scan::is_number;

/// A line of `rows.txt`.
#[derive(Debug, PartialEq)]
pub(crate) struct ChecklistRow<'a> {
    pub(crate) number: &'a str,
    pub(crate) star: bool,
    pub(crate) about: &'a str,
}

/// The heading in `PARITY.md` of the rows that no test is about.
pub(crate) const NO_MEANING: &str = "Rows of the checklist that have no meaning in Rust";

/// Rows, and their tests and reasons.
#[derive(Debug, Default)]
pub(crate) struct Checklist<'a> {
    pub(crate) rows: Vec<ChecklistRow<'a>>,
    /// Which tests bear which number.
    pub(crate) covered: BTreeMap<String, Vec<String>>,
    pub(crate) not_applicable: BTreeSet<&'a str>,
}

/// The three things that can have become of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RowState {
    Covered,
    NotApplicable,
    Open,
}

/// The rows of a list; an error names the line that is none.
pub(crate) fn rows(list: &str) -> Result<Vec<ChecklistRow<'_>>, String> {
    let lines = list.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows = lines.map(|line| {
        let (number, about) = line.split_once(' ').unwrap_or((line, ""));
        let starless = about.strip_prefix("* ");
        let row = ChecklistRow {
            number,
            star: starless.is_some(),
            about: starless.unwrap_or(about),
        };
        let right = is_number(number) && !row.about.is_empty();
        right.then_some(row).ok_or_else(|| line.to_owned())
    });
    rows.collect()
}

/// The rows that `PARITY.md` gives a reason for.
pub(crate) fn not_applicable(page: &str) -> Vec<(&str, &str)> {
    let heading = format!("## {NO_MEANING}");
    let section = page.lines().skip_while(|line| *line != heading).skip(1);
    let section = section.take_while(|line| !line.starts_with("## "));
    let rows = section.filter_map(|line| {
        let (row, reason) = line.strip_prefix("| `")?.split_once("` | ")?;
        Some((row, reason.strip_suffix(" |")?))
    });
    rows.collect()
}

impl Checklist<'_> {
    pub(crate) fn state(&self, number: &str) -> RowState {
        if self.covered.contains_key(number) {
            RowState::Covered
        } else if self.not_applicable.contains(number) {
            RowState::NotApplicable
        } else {
            RowState::Open
        }
    }

    /// The numbers of a part of the rows that have come to this.
    pub(crate) fn which(&self, part: RowFilter, state: RowState) -> Vec<&str> {
        let rows = self.rows.iter().filter(|row| part(row));
        let rows = rows.filter(|row| self.state(row.number) == state);
        rows.map(|row| row.number).collect()
    }

    /// Returns the contradictions: numbers that are in the list twice, numbers without a row, and rows that
    /// have a test and a reason for none.
    pub(crate) fn contradictions(&self) -> Vec<String> {
        let mut known = BTreeSet::new();
        let twice = self.rows.iter().filter(|row| !known.insert(row.number));
        let mut found: Vec<_> = twice
            .map(|row| format!("{} stands in the list twice", row.number))
            .collect();
        for (number, tests) in &self.covered {
            if !known.contains(number.as_str()) {
                found.push(format!("{number} is no row: {}", tests.join(", ")));
            }
            if self.not_applicable.contains(number.as_str()) {
                found.push(format!(
                    "{number} has a test and a reason for none: {}",
                    tests.join(", ")
                ));
            }
        }
        let unknown = self
            .not_applicable
            .iter()
            .filter(|number| !known.contains(*number));
        found.extend(unknown.map(|number| format!("{number} is no row: PARITY.md")));
        found
    }

    pub(crate) fn table(&self) -> String {
        let mut table = String::new();
        for (title, part) in PARTS {
            let rows = self.rows.iter().filter(|row| part(row)).count();
            writeln!(table, "{title}: {rows} rows").unwrap();
            for (name, state) in [
                ("covered", RowState::Covered),
                ("not applicable", RowState::NotApplicable),
                ("open", RowState::Open),
            ] {
                let numbers = self.which(*part, state);
                let line = format!("  {name:<14} {:>3}  {}", numbers.len(), numbers.join(" "));
                writeln!(table, "{}", line.trim_end()).unwrap();
            }
        }
        table
    }
}

/// A part of the rows.
pub(crate) type RowFilter = fn(&ChecklistRow<'_>) -> bool;

/// The parts of the table.
pub(crate) const PARTS: &[(&str, RowFilter)] = &[
    ("UNet (U)", |row| row.number.starts_with('U')),
    ("Mirror (M)", |row| row.number.starts_with('M')),
    ("Netcode, variables (N)", |row| row.number.starts_with('N')),
    ("Netcode, behaviours (B)", |row| row.number.starts_with('B')),
    ("Netcode's tests, starred (T*)", |row| {
        row.number.starts_with('T') && row.star
    }),
    ("Netcode's tests, the others (T; for information)", |row| {
        row.number.starts_with('T') && !row.star
    }),
];

/// Whether a row has to be covered, or to have a reason for not being so.
pub(crate) fn is_required(row: &ChecklistRow<'_>) -> bool {
    !row.number.starts_with('T') || row.star
}
