//! DIFFERENCES.md: the reason of every rule, and the vectors that it covers.

use super::rule::{Rule, Standing};

const TEXT: &str = include_str!("../../golden/DIFFERENCES.md");

/// A line ``- `file` name`` below `### rule`; the name may end in `*` for any ending.
struct Entry {
    rule: Rule,
    name: &'static str,
}

impl Entry {
    fn is_for(&self, rule: Rule, name: &str) -> bool {
        self.rule == rule
            && match self.name.strip_suffix('*') {
                Some(beginning) => name.starts_with(beginning),
                None => name == self.name,
            }
    }
}

/// The entries of a file.
fn entries(file: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut rule = None;
    for line in TEXT.lines() {
        if let Some(name) = line.strip_prefix("### ") {
            rule = rule_named(name);
        } else if let Some((listed_file, name)) = vector(line)
            && listed_file == file
        {
            let rule = rule.expect("a rule above its vectors");
            entries.push(Entry { rule, name });
        }
    }
    entries
}

fn rule_named(name: &str) -> Option<Rule> {
    Rule::ALL.iter().copied().find(|rule| rule.name() == name)
}

fn vector(line: &'static str) -> Option<(&'static str, &'static str)> {
    line.strip_prefix("- `")?.split_once("` ")
}

/// What DIFFERENCES.md says otherwise than the rules that cover the vectors of a file.
pub(crate) fn disagreements(file: &str, covered: &[(&str, Vec<Rule>)]) -> Vec<String> {
    let entries = entries(file);
    let mut disagreements = Vec::new();
    for (name, rules) in covered {
        for rule in Rule::ALL {
            let is_listed = entries.iter().any(|entry| entry.is_for(*rule, name));
            match (rules.contains(rule), is_listed) {
                (true, false) => disagreements.push(format!("add to {rule}: - `{file}` {name}")),
                (false, true) => disagreements.push(format!("not by {rule}: - `{file}` {name}")),
                _ => {}
            }
        }
    }
    let is_found = |entry: &&Entry| {
        covered
            .iter()
            .any(|(name, _)| entry.is_for(entry.rule, name))
    };
    for Entry { rule, name } in entries.iter().filter(|entry| !is_found(entry)) {
        disagreements.push(format!("no such vector below {rule}: - `{file}` {name}"));
    }
    disagreements
}

#[test]
fn every_rule_has_a_reason_and_stands_in_its_section() {
    let headings = [
        (Standing::Different, "Deliberately different"),
        (Standing::NotApplicable, "Not applicable"),
    ];
    let mut explained = Vec::new();
    for (section, (standing, heading)) in TEXT.split("\n## ").skip(1).zip(headings) {
        assert!(section.starts_with(heading), "`{heading}` is a section");
        for entry in section.split("\n### ").skip(1) {
            let (name, text) = entry.split_once('\n').expect("text below the name");
            let rule = rule_named(name).unwrap_or_else(|| panic!("`{name}` is no rule"));
            assert_eq!(rule.standing(), standing, "{name} is in the right section");
            assert!(!text.trim_start().starts_with('-'), "{name} has a reason");
            explained.push(rule);
        }
    }
    assert_eq!(explained, Rule::ALL, "all rules, in order");
}
