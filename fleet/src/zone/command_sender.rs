//! `CommandSender`: commands of clients, on their way to the zones of their objects.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::NetId;

use super::command_queue::CommandQueue;
use super::membership::Directory;
use super::message::{CommandState, CommandStates, NumberedCommand, ZoneCall};
use crate::zone::{ClientId, ZoneId};
use crate::{Carrier, CarrierEvent, NodeId, Question, QuestionId};

/// Pause before a command is sent again, if its object is in no known zone.
const PAUSE: Duration = Duration::from_millis(100);

/// Most commands in one message.
const MAX_COMMANDS: usize = 256;

/// Sends the commands of clients to the zones that have the objects: each command is applied once, in the order of its client and
/// object, whichever zones the object passes.
///
/// A command is kept until the journal of a zone has it. A node with clients, such as a gateway or a driver of bots, has one sender.
/// It passes the events of its carrier to [`take_event`](Self::take_event).
#[derive(Debug, Default)]
pub struct CommandSender {
    pub(crate) directory: Directory,
    /// Whether the commands are calls of players.
    are_calls: bool,
    queues: BTreeMap<(ClientId, NetId), RoutedQueue>,
    /// Commands of the questions without an answer.
    asked: BTreeMap<QuestionId, Vec<(ClientId, NetId)>>,
}

#[derive(Debug, Default)]
struct RoutedQueue {
    commands: CommandQueue,
    /// Zone that has the object, as far as known.
    zone: Option<ZoneId>,
    is_asked: bool,
    /// Time before which nothing is sent.
    after: Duration,
}

impl CommandSender {
    /// Creates the sender of a gateway.
    pub(crate) fn of_calls() -> Self {
        Self {
            are_calls: true,
            ..Self::default()
        }
    }

    /// Adds a command of a client to an object. The next [`update`](Self::update) sends it.
    pub fn send(&mut self, client: ClientId, object: NetId, command: impl Into<Bytes>) {
        let queue = self.queues.entry((client, object)).or_default();
        queue.commands.push(command.into());
    }

    /// Adds a command as [`send`](Self::send), if fewer than `most` wait. Returns whether it was added.
    pub(crate) fn send_within(
        &mut self,
        client: ClientId,
        object: NetId,
        zone: Option<ZoneId>,
        command: Bytes,
        most: usize,
    ) -> bool {
        let queue = self.queues.entry((client, object)).or_default();
        let has_room = queue.commands.pending().count() < most;
        if has_room {
            queue.zone = zone.or(queue.zone);
            queue.commands.push(command);
        }
        has_room
    }

    /// Returns whether commands of a client wait.
    pub(crate) fn has_pending(&self, client: ClientId) -> bool {
        let queues = self
            .queues
            .range((client, NetId(0))..=(client, NetId(u32::MAX)));
        let mut queues = queues.map(|(_, queue)| &queue.commands);
        queues.any(|commands| commands.pending().next().is_some())
    }

    /// Names the zone of an object, such as the publisher of its records. Without it the zones are asked in turn.
    pub fn set_zone(&mut self, object: NetId, zone: ZoneId) {
        for ((_, of), queue) in &mut self.queues {
            if *of == object {
                queue.zone = Some(zone);
            }
        }
    }

    /// Returns the number of commands that no zone has acknowledged.
    pub fn pending(&self) -> usize {
        let queues = self.queues.values();
        queues.map(|queue| queue.commands.pending().count()).sum()
    }

    /// Forgets the commands of a client that has left.
    pub fn forget_client(&mut self, client: ClientId) {
        self.queues.retain(|(of, _), _| *of != client);
    }

    /// Forgets the commands to an object that has ended.
    pub fn forget_object(&mut self, object: NetId) {
        self.queues.retain(|(_, of), _| *of != object);
    }

    /// Takes an event of the carrier. Returns those that are not about commands and zones.
    pub fn take_event(
        &mut self,
        carrier: &mut impl Carrier,
        event: CarrierEvent,
        now: Duration,
    ) -> Option<CarrierEvent> {
        match &event {
            CarrierEvent::Asked {
                from,
                id,
                question: Question::Call(bytes),
            } => {
                let Some(ZoneCall::Lease(request)) = ZoneCall::from_bytes(bytes) else {
                    return Some(event);
                };
                self.directory.learn(*from, &request);
                carrier.answer(*from, *id, NO_VOTE.to_bytes());
                None
            }
            CarrierEvent::Answered { id, answer } => {
                let Some(keys) = self.asked.remove(id) else {
                    return Some(event);
                };
                let states = answer
                    .as_ref()
                    .and_then(|bytes| CommandStates::from_bytes(bytes));
                self.take_states(&keys, states, now);
                None
            }
            _ => Some(event),
        }
    }

    fn take_states(
        &mut self,
        keys: &[(ClientId, NetId)],
        states: Option<CommandStates>,
        now: Duration,
    ) {
        let zones: Vec<ZoneId> = self.directory.nodes().map(|(zone, _)| zone).collect();
        let states = states.map_or_else(VecDeque::new, |states| states.0.into());
        let states = states.into_iter().map(Some).chain(std::iter::repeat(None));
        for (key, state) in keys.iter().zip(states) {
            let Some(queue) = self.queues.get_mut(key) else {
                continue;
            };
            queue.is_asked = false;
            match state {
                Some(CommandState::Applied(number)) => queue.commands.acknowledge(number),
                Some(CommandState::Elsewhere(hint)) => {
                    // A zone without a hint has never had the object, or long ago.
                    queue.zone = hint.or_else(|| next(&zones, queue.zone));
                    queue.after = now
                        + if hint.is_some() {
                            Duration::ZERO
                        } else {
                            PAUSE / 4
                        };
                }
                // The process of the zone may have ended. The directory learns of its successor.
                None => queue.after = now + PAUSE,
            }
        }
    }

    /// Sends the commands that are not on their way.
    pub fn update(&mut self, carrier: &mut impl Carrier, now: Duration) {
        let zones: Vec<ZoneId> = self.directory.nodes().map(|(zone, _)| zone).collect();
        let mut batches: BTreeMap<NodeId, Vec<NumberedCommand>> = BTreeMap::new();
        for ((client, object), queue) in &mut self.queues {
            let is_due = !queue.is_asked && queue.after <= now;
            if !is_due || queue.commands.pending().next().is_none() {
                continue;
            }
            queue.zone = queue.zone.or_else(|| next(&zones, None));
            let Some(node) = queue.zone.and_then(|zone| self.directory.node(zone)) else {
                continue;
            };
            queue.is_asked = true;
            let batch = batches.entry(node).or_default();
            let commands = queue.commands.pending().take(MAX_COMMANDS);
            batch.extend(commands.map(|(number, command)| NumberedCommand {
                client: *client,
                object: *object,
                number,
                command: command.clone(),
            }));
        }
        for (node, commands) in batches {
            // A question has whole queues: its answer frees them.
            let keys = commands.iter().map(|it| (it.client, it.object)).collect();
            let call = if self.are_calls {
                ZoneCall::Calls(commands)
            } else {
                ZoneCall::Commands(commands)
            };
            let call = call.to_bytes();
            let id = carrier.ask(node, Question::Call(call));
            self.asked.insert(id, keys);
        }
    }
}

/// Returns the zone behind a zone, in a circle.
fn next(zones: &[ZoneId], zone: Option<ZoneId>) -> Option<ZoneId> {
    let behind = zones.iter().find(|it| Some(**it) > zone);
    behind.or_else(|| zones.first()).copied()
}

/// Answer of a node without a vote.
const NO_VOTE: super::lease::LeaseAnswer = super::lease::LeaseAnswer {
    voter: None,
    granted: false,
    term: 0,
    ids: 0,
};
