//! `Refusals`: refused commands, for their senders.

use std::collections::BTreeMap;

use syncvar_runtime::{ConnectionId, NetId};

use crate::message::{CommandRefused, RefusalReason};

/// Most messages to a connection in an update. A client that calls whatever it can must not make the server
/// send as much: further commands count in the statistics only.
const MAX_MESSAGES: usize = 32;

type RefusalKey = (ConnectionId, NetId, u64, RefusalReason);

/// Refused commands since the last update: number of the calls by sender, object, command and reason.
#[derive(Debug, Default)]
pub(crate) struct Refusals(BTreeMap<RefusalKey, u32>);

impl Refusals {
    pub(crate) fn note(
        &mut self,
        sender: ConnectionId,
        object: NetId,
        number: u64,
        reason: RefusalReason,
    ) {
        let key = (sender, object, number, reason);
        if let Some(calls) = self.0.get_mut(&key) {
            *calls = calls.saturating_add(1);
            return;
        }
        let first = (sender, NetId(0), 0, RefusalReason::UnknownObject);
        let of_sender = self.0.range(first..).take_while(|(key, _)| key.0 == sender);
        if of_sender.count() < MAX_MESSAGES {
            self.0.insert(key, 1);
        }
    }

    /// Takes the messages, ordered by connection.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = (ConnectionId, CommandRefused)> + use<> {
        let taken = std::mem::take(&mut self.0);
        taken.into_iter().map(|(key, calls)| {
            let (sender, object, number, reason) = key;
            let message = CommandRefused {
                object,
                number,
                reason,
                calls,
            };
            (sender, message)
        })
    }
}
