//! `InputRoutes`: inputs of the clients on their way to the zones.
//!
//! The input of a tick reaches the zone before the zone steps the tick. The gateway asks its clients for the inputs of ticks ahead of its
//! own: by the time to the zone, and by the time that the records of the zone are behind. The zones tell how early the inputs were.

use std::collections::BTreeMap;

use bytes::Bytes;
use syncvar_net::NetworkServer;

use super::players::Players;
use super::streams::ZoneStreams;
use crate::zone::gateway_record::tick_from_bytes;
use crate::zone::message::{ClientInputs, ZoneCall};
use crate::{Carrier, Question, QuestionId};

/// Ticks by which an input is ahead of the last tick of its zone at its arrival, at least and at most.
const EARLY: i64 = 2;
const TOO_EARLY: i64 = 4;

/// Answers in a row with too early inputs after which the distance shrinks.
const PATIENCE: u32 = 64;

/// Most ticks by which clients are ahead.
const MAX_AHEAD: i64 = 24;

/// Distance of the needed inputs from the ticks of the gateway.
#[derive(Debug)]
pub(super) struct InputRoutes {
    ahead: i64,
    /// Answers in a row with too early inputs.
    early: u32,
    /// Needed ticks by question.
    asked: BTreeMap<QuestionId, u64>,
}

impl Default for InputRoutes {
    fn default() -> Self {
        Self {
            ahead: EARLY,
            early: 0,
            asked: BTreeMap::new(),
        }
    }
}

impl InputRoutes {
    /// Sends the last inputs of all clients to all zones: an object may cross a border at any time.
    pub(super) fn send(
        &mut self,
        carrier: &mut impl Carrier,
        server: &mut NetworkServer,
        players: &Players,
        streams: &mut ZoneStreams,
        tick: u64,
    ) {
        let needed = tick.saturating_add_signed(self.ahead);
        for (_, stream) in streams.iter_mut() {
            let shift = stream.shift.get();
            let mut clients = Vec::new();
            for (client, connection) in players.present() {
                if let Some(inputs) = server.input_bytes(connection, needed, shift) {
                    clients.push(ClientInputs { client, inputs });
                }
            }
            if clients.is_empty() {
                continue;
            }
            let call = ZoneCall::Inputs(clients).to_bytes();
            let id = carrier.ask(stream.node(), Question::Call(call));
            self.asked.insert(id, stream.shift.to_zone(needed));
        }
    }

    /// Takes the end of a question. Returns whether it was one with inputs.
    pub(super) fn take_answer(&mut self, id: QuestionId, answer: Option<&Bytes>) -> bool {
        let Some(needed) = self.asked.remove(&id) else {
            return false;
        };
        let Some(arrived) = answer.and_then(|bytes| tick_from_bytes(bytes)) else {
            return true;
        };
        let lead = needed.wrapping_sub(arrived).cast_signed();
        self.early = if lead > TOO_EARLY { self.early + 1 } else { 0 };
        if lead < EARLY {
            // One step for each answer: the inputs on their way are as late.
            self.ahead = (self.ahead + 1).min(MAX_AHEAD);
        } else if self.early >= PATIENCE {
            self.early = 0;
            self.ahead = (self.ahead - 1).max(EARLY);
        }
        true
    }
}
