//! The end of a program: nothing is lost any more, and all ends settle.

use std::time::Duration;

use syncvar::schema::Readers;

use super::Checked;
use super::ends::World;
use super::program::Conditions;

/// Runs of the loops within which all ends settle once nothing is lost any more.
const BOUND: u32 = 600;

/// Undecided datagrams of an end that sends inputs.
const FLYING: usize = 16;

impl World {
    /// Ends all losses: then each client equals the server, all calls have run, and nothing is kept.
    pub(super) fn settle(&mut self) -> Checked {
        self.conditions = Conditions::default();
        self.stalled = 0;
        let mut difference = None;
        for run in 0..BOUND {
            for client in 0..self.ends.len() {
                let end = &mut self.ends[client];
                end.stalled = 0;
                (end.up.blocked, end.down.blocked) = (Duration::ZERO, Duration::ZERO);
                (end.up.lossy, end.down.lossy) = (Duration::ZERO, Duration::ZERO);
                if end.view.is_waiting && end.client.is_connected() && run % 30 == 0 {
                    end.client.ready();
                }
                self.connect(client);
            }
            self.run()?;
            if run % 10 == 9 {
                difference = (0..self.ends.len()).find_map(|client| self.difference(client));
                if difference.is_none() {
                    return Ok(());
                }
            }
        }
        difference.map_or(Ok(()), Err)
    }

    /// Describes the first difference of a client from the server, or a remainder of its bookkeeping.
    fn difference(&self, client: usize) -> Option<String> {
        let end = &self.ends[client];
        let at = |text: String| Some(format!("{text} (client {client})"));
        if !self.oracle.ready[client] || !end.client.is_connected() {
            return at("different: not ready".into());
        }
        for (id, object) in &self.oracle.objects {
            let is_visible = self.oracle.sees(object, client);
            if is_visible != end.client.identity(*id).is_some() {
                return at(format!("different: {id} is visible: {is_visible}"));
            }
            if !is_visible {
                continue;
            }
            if end.client.is_owner(*id) != (object.owner == Some(client)) {
                return at(format!("different: owner of {id}"));
            }
            let contents = end.view.contents(*id)?;
            for (field, content) in object.fields.iter().zip(contents) {
                let expected = match field.rule.read {
                    _ if field.rule.initial_only => *content,
                    _ if self.oracle.reads(object, field.rule, client) => {
                        field.history.last()?.content
                    }
                    // A new owner keeps the last value.
                    Readers::Others => *content,
                    _ => 0,
                };
                if content.abs_diff(expected) >= field.rule.threshold {
                    let name = field.rule.name;
                    return at(format!(
                        "different: {name} of {id} is {content}, not {expected}"
                    ));
                }
            }
        }
        if let Some(number) = end.view.heard.expected.first().or(end.ordered.first()) {
            return at(format!("call: {number} has not run"));
        }
        self.kept(client).and_then(at)
    }

    /// Describes what the ends keep for a client that has received everything.
    fn kept(&self, client: usize) -> Option<String> {
        let end = &self.ends[client];
        let limit = if end.input.is_some() { FLYING } else { 0 };
        let server = self.server.losses(end.connection).ok().flatten();
        let both = server.into_iter().chain(end.client.losses());
        for losses in both {
            if losses.flying > limit
                || losses.backlog + losses.shown > 0
                || losses.detached_for.is_some()
            {
                return Some(format!("kept: {losses:?}"));
            }
        }
        None
    }
}
