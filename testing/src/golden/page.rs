//! The page `DIFFERENCES.md`: the reason of each rule, and the vectors that it covers.

use super::Rule;

/// A line ``- `file` name`` below the heading of a rule; the name may end in `*` for any ending.
struct Entry<R> {
    rule: R,
    name: &'static str,
}

impl<R: Rule> Entry<R> {
    fn is_for(&self, rule: R, name: &str) -> bool {
        self.rule == rule
            && match self.name.strip_suffix('*') {
                Some(beginning) => name.starts_with(beginning),
                None => name == self.name,
            }
    }
}

/// Returns the entries of a file.
fn entries<R: Rule>(file: &str) -> Vec<Entry<R>> {
    let mut entries = Vec::new();
    let mut rule = None;
    for line in R::PAGE.lines() {
        if let Some(name) = line.strip_prefix("### ").or(line.strip_prefix("## ")) {
            rule = R::ALL.iter().copied().find(|rule| rule.name() == name);
        } else if let Some((listed_file, name)) = entry(line)
            && listed_file == file
        {
            let rule = rule.expect("a rule above its vectors");
            entries.push(Entry { rule, name });
        }
    }
    entries
}

fn entry(line: &'static str) -> Option<(&'static str, &'static str)> {
    let (file, name) = line.strip_prefix("- `")?.split_once('`')?;
    Some((file, name.trim_start_matches(':').trim_start()))
}

/// Returns the disagreements of the page with the rules that cover the vectors of a file.
pub(super) fn disagreements<R: Rule>(file: &str, covered: &[(String, Vec<R>)]) -> Vec<String> {
    let entries = entries::<R>(file);
    let mut disagreements = Vec::new();
    for (name, rules) in covered {
        for rule in R::ALL {
            let is_listed = entries.iter().any(|entry| entry.is_for(*rule, name));
            match (rules.contains(rule), is_listed) {
                (true, false) => disagreements.push(format!("add to {rule}: - `{file}` {name}")),
                (false, true) => disagreements.push(format!("not by {rule}: - `{file}` {name}")),
                _ => {}
            }
        }
    }
    for Entry { rule, name } in &entries {
        let entry = Entry { rule: *rule, name };
        if !covered.iter().any(|(name, _)| entry.is_for(*rule, name)) {
            disagreements.push(format!("no such vector below {rule}: - `{file}` {name}"));
        }
    }
    disagreements
}
