//! Statistics as text: a table with names, without the rows that are 0.

use std::fmt;

use syncvar_runtime::Counter;

use super::Stats;
use crate::MessageType;

/// Message types with their counters, without those that are 0.
struct ByType<'a>(&'a [Counter]);

impl ByType<'_> {
    fn rows(&self) -> impl Iterator<Item = (MessageType, Counter)> {
        let all = MessageType::ALL.into_iter().zip(self.0.iter().copied());
        all.filter(|(_, cost)| *cost != Counter::default())
    }
}

impl fmt::Debug for ByType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.rows()).finish()
    }
}

/// Without the message types and behaviours that are 0.
impl fmt::Debug for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let used = |cost: &Counter| *cost != Counter::default();
        let behaviours = self.behaviours.iter();
        let behaviours: Vec<_> = behaviours
            .filter(|cost| used(&cost.full) || used(&cost.delta))
            .collect();
        f.debug_struct("Stats")
            .field("sent", &self.sent)
            .field("received", &self.received)
            .field("unknown_objects", &self.unknown_objects)
            .field("ignored_pings", &self.ignored_pings)
            .field("ignored_writes", &self.ignored_writes)
            .field("refused", &self.refused)
            .field("refused_commands", &self.refused_commands)
            .field("encoded", &ByType(&self.encoded.0))
            .field("decoded", &ByType(&self.decoded.0))
            .field("behaviours", &behaviours)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:44}{:>10}{:>12}", "packets", "count", "bytes")?;
        self.sent.write_row(f, "sent")?;
        self.received.write_row(f, "received")?;
        for (title, counters) in [("encoded", &self.encoded.0), ("decoded", &self.decoded.0)] {
            let counters = ByType(counters);
            let mut rows = counters.rows().peekable();
            if rows.peek().is_some() {
                writeln!(f, "{title:44}{:>10}{:>12}", "messages", "bytes")?;
            }
            for (message_type, cost) in rows {
                cost.write_row(f, &format!("{message_type:?}"))?;
            }
        }
        let total: u64 = self
            .behaviours
            .iter()
            .map(|it| it.full.messages + it.delta.messages)
            .sum();
        if total > 0 {
            writeln!(f, "{:44}{:>10}{:>12}", "behaviours", "messages", "bytes")?;
        }
        for behaviour in &self.behaviours {
            let name = format!("{}: {}", behaviour.prefab, behaviour.behaviour);
            behaviour.full.write_row(f, &format!("{name}, snapshots"))?;
            behaviour.delta.write_row(f, &format!("{name}, deltas"))?;
        }
        if let Some(profile) = &self.profile {
            profile.fmt(f)?;
        }
        for (name, count) in self.refusals() {
            if count > 0 {
                writeln!(f, "{name:44}{count:>10}")?;
            }
        }
        Ok(())
    }
}

impl Stats {
    /// Returns the refused and ignored input, by name.
    fn refusals(&self) -> [(&'static str, u64); 11] {
        let (refused, commands) = (&self.refused, self.refused_commands.total());
        let values = refused.elements + refused.memory + refused.work + refused.depth;
        [
            ("messages for unknown objects", self.unknown_objects),
            ("ignored pings", self.ignored_pings),
            ("ignored writes", self.ignored_writes),
            ("refused commands", commands),
            ("malformed messages", refused.malformed),
            ("messages beyond the limits of values", values),
            ("packets beyond the rate", refused.packets),
            ("delayed snapshots", refused.delayed_snapshots),
            ("closed for misbehaviour", refused.misbehaved),
            ("closed before ready, by timeout", refused.late_joins),
            ("closed without a place", refused.without_place),
        ]
    }
}
