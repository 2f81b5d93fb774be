//! Comparison of two builds, by the roles of the old one.

use std::fmt::Write as _;
use std::str::FromStr;

use syncvar::schema::{Schema, SchemaChange};

/// Role of the old build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormerEnd {
    /// A client of the old build on a server of the new one.
    Client,
    /// A server of the old build with a client of the new one.
    Server,
    /// A recording of the old build, played by the new one.
    Recording,
}

impl FormerEnd {
    pub(crate) const ALL: [Self; 3] = [Self::Client, Self::Server, Self::Recording];

    const fn name(self) -> &'static str {
        match self {
            Self::Client => "old client",
            Self::Server => "old server",
            Self::Recording => "old recording",
        }
    }
}

impl FromStr for FormerEnd {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let role = Self::ALL.into_iter();
        let mut role = role.filter(|role| role.name().replace(' ', "-") == text);
        let unknown = || "one of old-client, old-server, old-recording".to_owned();
        role.next().ok_or_else(unknown)
    }
}

/// Result of a comparison.
#[derive(Debug)]
pub(crate) struct Check {
    /// A line for each role, and below it a line for each difference.
    pub(crate) text: String,
    pub(crate) is_compatible: bool,
}

/// Compares an old and a new build in these roles of the old one.
pub(crate) fn check(old: &Schema, new: &Schema, roles: &[FormerEnd]) -> Check {
    let comparison = old.compare(new);
    let mut check = Check {
        text: String::new(),
        is_compatible: true,
    };
    for role in FormerEnd::ALL
        .into_iter()
        .filter(|role| roles.contains(role))
    {
        let changes = match role {
            FormerEnd::Client => &comparison.old_client,
            FormerEnd::Server => &comparison.old_server,
            FormerEnd::Recording => &comparison.old_recording,
        };
        let is_refused = changes.iter().any(SchemaChange::is_refused);
        check.is_compatible &= !is_refused;
        let verdict = match (is_refused, changes.is_empty()) {
            (true, _) => "refused",
            (false, true) => "equal",
            (false, false) => "plays",
        };
        let _ = writeln!(check.text, "{}: {verdict}", role.name());
        for change in changes {
            let _ = writeln!(check.text, "  {change}");
        }
    }
    check
}
