//! `SchemaReport`: why two builds do not play together.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;

/// Limit of the reasons in a report; a last line counts the others.
const MAX_REASONS: usize = 1000;

/// Reasons why an end does not play with a peer of another build: the differences of their schemas.
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::schema::SchemaReport;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
/// }
///
/// let client = Prefabs::new().register::<Door>("door");
/// let server = client.schema_text().replace("open: bool", "open: u8");
/// let report = SchemaReport::of_texts(&server, client.schema_text());
/// assert_eq!(
///     report.to_string(),
///     "prefab `door`, behaviour `Door`: the server has `open: u8`; \
///      prefab `door`, behaviour `Door`: this client has `open: bool`"
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaReport {
    /// Texts of the reasons.
    pub reasons: Vec<String>,
}

impl SchemaReport {
    /// Creates a report with one reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reasons: vec![reason.into()],
        }
    }

    /// Compares the canonical texts of a server and a client line by line: a reason for each line that one of the two
    /// lacks at its place, those of the server first.
    pub fn of_texts(server: &str, client: &str) -> Self {
        let (server_lines, client_lines) = (placed(server), placed(client));
        let mut report = Self::default();
        let (mut omitted, mut add) = (0_usize, |reason: String| {
            if report.reasons.len() < MAX_REASONS {
                report.reasons.push(reason);
                0
            } else {
                1
            }
        });
        for (lines, others, side) in [
            (&server_lines, &client_lines, "the server has"),
            (&client_lines, &server_lines, "this client has"),
        ] {
            let others: BTreeSet<_> = others.iter().collect();
            for line in lines.iter().filter(|line| !others.contains(line)) {
                omitted += add(line.reason(side));
            }
        }
        if report.reasons.is_empty() && server != client {
            let reason =
                "the fields, calls or behaviours have another order, or belong to other classes";
            return Self::new(reason);
        }
        if omitted > 0 {
            report
                .reasons
                .push(format!("{omitted} further differences"));
        }
        report
    }
}

impl fmt::Display for SchemaReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reasons.join("; "))
    }
}

impl Error for SchemaReport {}

/// Line of a schema, with the names of the parts that contain it; empty outside of a part.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Line<'a> {
    prefab: &'a str,
    behaviour: &'a str,
    text: &'a str,
}

impl Line<'_> {
    fn reason(&self, side: &str) -> String {
        let place = match (self.prefab, self.behaviour) {
            ("", _) => String::new(),
            (prefab, "") => format!("prefab `{prefab}`: "),
            (prefab, behaviour) => format!("prefab `{prefab}`, behaviour `{behaviour}`: "),
        };
        format!("{place}{side} `{}`", self.text)
    }
}

/// Returns the present name behind the first word of a line: without its quotes, if it has them.
fn name_of(line: &str) -> &str {
    let names = line.split_once(' ').map_or("", |(_, names)| names);
    let quoted = names.strip_prefix('"').and_then(|it| it.split('"').next());
    quoted.unwrap_or_else(|| names.split([' ', ',']).next().unwrap_or_default())
}

/// Returns the lines of a text with their places, without those of classes: a field may move to a base.
fn placed(text: &str) -> Vec<Line<'_>> {
    let (mut prefab, mut behaviour) = ("", "");
    let mut lines = Vec::new();
    for line in text.lines() {
        let text = line.trim_start();
        let depth = line.len() - text.len();
        if depth == 4 {
            continue;
        }
        let is_in = |limit| depth >= limit;
        lines.push(Line {
            prefab: if is_in(2) { prefab } else { "" },
            behaviour: if is_in(4) { behaviour } else { "" },
            text,
        });
        match depth {
            0 => (prefab, behaviour) = (name_of(text), ""),
            2 => behaviour = name_of(text),
            _ => {}
        }
    }
    lines
}
