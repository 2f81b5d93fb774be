//! `Forwarding`: messages of spectators on their way to the origin.

use std::collections::{BTreeSet, VecDeque};

use bytes::Bytes;
use syncvar_net::NetworkServer;
use syncvar_runtime::{ConnectionId, Encoding, NetworkWriter, ReceivedMessage};

use crate::spectator_message::Envelope;
use crate::{Carrier, NodeId, Question, QuestionId};

/// Most messages that wait for an answer.
const MAX_WAITING: usize = 1024;

/// Questions for one message, before it is dropped.
const MAX_TRIES: u32 = 5;

/// Messages on their way, and the rule that admits them.
#[derive(Debug, Default)]
pub(super) struct Forwarding {
    /// Names of the messages that are forwarded.
    admitted: BTreeSet<String>,
    /// Number of the last own message.
    number: u64,
    waiting: VecDeque<Waiting>,
    /// Messages that were not admitted, or dropped.
    pub(super) refused: u64,
}

#[derive(Debug)]
struct Waiting {
    bytes: Bytes,
    question: Option<QuestionId>,
    tries: u32,
}

impl Forwarding {
    /// Creates the rule that admits messages with some names.
    pub(super) fn new(admitted: &[String]) -> Self {
        Self {
            admitted: admitted.iter().cloned().collect(),
            ..Self::default()
        }
    }

    /// Takes a message of a spectator of this relay: it is forwarded, or counted as refused.
    pub(super) fn take(
        &mut self,
        server: &NetworkServer,
        relay: NodeId,
        spectator: ConnectionId,
        message: &ReceivedMessage,
    ) {
        let encoded = self.encode(server, message);
        let is_taken = encoded.is_some_and(|(number, payload)| {
            self.number += 1;
            let envelope = Envelope {
                relay,
                spectator: spectator.0,
                number: self.number,
                message: number,
                payload,
            };
            self.push(envelope.to_bytes())
        });
        self.refused += u64::from(!is_taken);
    }

    /// Returns the number and the value of an admitted message.
    fn encode(&self, server: &NetworkServer, message: &ReceivedMessage) -> Option<(i16, Bytes)> {
        if !self.admitted.contains(message.name()) {
            return None;
        }
        let kind = server.prefabs().messages().by_name(message.name())?;
        let mut payload = NetworkWriter::with_encoding(Encoding::Compact);
        kind.write(message.value()?, &mut payload).ok()?;
        let is_valid = payload.take_error().is_none();
        is_valid.then(|| (kind.number, payload.take_bytes()))
    }

    /// Takes a message of a relay that follows this one. Returns whether it is forwarded.
    pub(super) fn pass(&mut self, server: &NetworkServer, bytes: &Bytes) -> bool {
        let message = Envelope::from_bytes(bytes).and_then(|it| it.read(server.prefabs()));
        let is_admitted = message.is_some_and(|it| self.admitted.contains(it.name()));
        is_admitted && self.push(bytes.clone())
    }

    fn push(&mut self, bytes: Bytes) -> bool {
        let has_room = self.waiting.len() < MAX_WAITING;
        if has_room {
            self.waiting.push_back(Waiting {
                bytes,
                question: None,
                tries: 0,
            });
        }
        has_room
    }

    /// Asks the source to take the messages.
    pub(super) fn send(&mut self, carrier: &mut impl Carrier, source: NodeId) {
        for waiting in self.waiting.iter_mut().filter(|it| it.question.is_none()) {
            let question = Question::Call(waiting.bytes.clone());
            waiting.question = Some(carrier.ask(source, question));
            waiting.tries += 1;
        }
    }

    /// Takes the end of a question: the message has arrived, or is sent again.
    pub(super) fn take_answer(&mut self, id: QuestionId, is_answered: bool) {
        let place = self.waiting.iter().position(|it| it.question == Some(id));
        let Some(waiting) = place.and_then(|place| self.waiting.get_mut(place)) else {
            return;
        };
        waiting.question = None;
        let is_lost = !is_answered && waiting.tries >= MAX_TRIES;
        if is_answered || is_lost {
            self.refused += u64::from(is_lost);
            self.waiting.remove(place.unwrap_or_default());
        }
    }
}
