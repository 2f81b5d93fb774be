//! The rules by which a vector of Mirror is not one of ours, and the page that explains them.
//!
//! `DIFFERENCES.md` has a section for each rule, with the reason, and under it one line for each file
//! and group of vectors that it covers, with their number.

use std::collections::BTreeMap;

/// Why a vector is not met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    /// A type of Unity that has no counterpart here.
    NoSuchType,
    /// A value that Rust's type cannot hold.
    NoSuchValue,
    /// Whatever is written to is sent: a member of a struct, an element of an array.
    NoUnnoticedWrites,
    /// Floats compare by their bits.
    ComparesByBits,
    /// What is in a full state is not sent as a change after it.
    NothingTwice,
    /// Apply, then notify.
    NotifiedAfterwards,
    /// A collection's hook runs on clients only.
    HookOnServer,
    /// A reference is the number of an object, whether it is there or not.
    ReferencesAreIds,
    /// What was sent stands in no recording.
    NotRecorded,
    /// Mirror's host mode.
    HostMode,
    /// A baseline that is due between two sends goes with the next one.
    BaselinesOnTime,
    /// A client that joins before the first baseline of an object makes it due at once.
    FirstBaseline,
    /// A reading error is an error at once, and nothing of the component is applied.
    StrictReading,
    /// C# methods that override one another.
    Virtual,
}

/// Of which kind a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Ours does otherwise, on purpose.
    Different,
    /// There is nothing here that the vector could be about.
    NotApplicable,
}

pub(crate) fn standing(rule: Rule) -> Standing {
    match rule {
        Rule::BaselinesOnTime
        | Rule::ComparesByBits
        | Rule::FirstBaseline
        | Rule::NothingTwice
        | Rule::NotifiedAfterwards
        | Rule::ReferencesAreIds
        | Rule::StrictReading => Standing::Different,
        Rule::NoUnnoticedWrites
        | Rule::NoSuchType
        | Rule::NoSuchValue
        | Rule::HookOnServer
        | Rule::HostMode
        | Rule::NotRecorded
        | Rule::Virtual => Standing::NotApplicable,
    }
}

const PAGE: &str = include_str!("DIFFERENCES.md");

/// The lines of the page about a file: `rule`, group and number.
fn listed(file: &str) -> Vec<String> {
    let mut rule = "";
    let mut lines = Vec::new();
    for line in PAGE.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            rule = title;
        } else if let Some(rest) = line.strip_prefix(&format!("- `{file}`: ")) {
            lines.push(format!("{rule}: {rest}"));
        }
    }
    lines.sort();
    lines
}

/// Panics when the page does not say of a file what has come of it.
pub(crate) fn verify(file: &str, ruled: &BTreeMap<(Rule, String), usize>) {
    let mut found: Vec<_> = ruled
        .iter()
        .map(|((rule, group), count)| format!("{rule:?}: {group} ({count})"))
        .collect();
    found.sort();
    for line in &found {
        let rule = line.split(':').next().unwrap_or_default();
        let title = format!("## {rule}\n");
        assert!(
            PAGE.contains(&title),
            "DIFFERENCES.md does not explain `{line}`"
        );
    }
    let listed = listed(file);
    for line in found.iter().filter(|line| !listed.contains(line)) {
        println!("DIFFERENCES.md does not list, of {file}: {line}");
    }
    for line in listed.iter().filter(|line| !found.contains(line)) {
        println!("DIFFERENCES.md lists in vain, of {file}: {line}");
    }
    assert_eq!(found, listed, "{file}: see above");
}
