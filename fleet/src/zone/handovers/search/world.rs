//! States of the search and the steps between them.

mod gateway;

use std::collections::HashMap;
use std::hash::Hash;

use bytes::Bytes;
use syncvar_runtime::NetId;

use crate::zone::command_queue::CommandQueue;
use crate::zone::handovers::{
    CommandPlace, Departure, Handovers, Offer, OfferAnswer, Reception, Settlement,
};
use crate::zone::{ClientId, ZoneId};

use super::Bounds;
use gateway::{GatewayView, Told, ZoneLogs};

const OBJECT: NetId = NetId(7);
const CLIENT: ClientId = ClientId(1);
/// Rounds of messages in which a handover and all commands end.
const ROUNDS: u32 = 4;

const ZONES: [ZoneId; 2] = [ZoneId(0), ZoneId(1)];

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Message {
    Offer(usize, Offer),
    Answer(usize, OfferAnswer),
    Command(usize, u32, Bytes),
    Acknowledgement(u32),
}

/// State of a zone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Node {
    handovers: Handovers,
    /// The object in the server: the commands that were applied.
    server: Option<Vec<u8>>,
}

/// Values with their numbers.
struct Numbers<T> {
    values: Vec<T>,
    numbers: HashMap<T, u16>,
}

/// A set of messages, as bits.
type Messages = u128;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Zone {
    live: u16,
    journal: u16,
    /// Records for the gateway.
    records: ZoneLogs,
    /// Messages that wait for the journal.
    held: Messages,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct World {
    zones: [Zone; 2],
    /// View of the gateway.
    view: u16,
    queue: u16,
    acknowledged: u32,
    sent: Messages,
    departures: u8,
    commands: u8,
    crashes: u8,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    Depart(usize),
    Issue,
    SendCommand(usize),
    /// The journal has the state, and the messages leave. A crash between the two is a loss of the messages.
    Commit(usize),
    Repeat(usize),
    Crash(usize),
    Arrive(u16, bool),
    /// The gateway plays the next record of a zone, or its keyframe.
    Play(usize),
    Keyframe(usize),
}

pub(super) struct Search {
    bounds: Bounds,
    nodes: Numbers<Node>,
    queues: Numbers<CommandQueue>,
    messages: Numbers<Message>,
    logs: Numbers<Vec<Told>>,
    views: Numbers<GatewayView>,
}

impl<T: Clone + Eq + Hash> Numbers<T> {
    fn new() -> Self {
        let (values, numbers) = (Vec::new(), HashMap::new());
        Self { values, numbers }
    }

    fn number(&mut self, value: T) -> u16 {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = self.count();
        self.values.push(value.clone());
        self.numbers.insert(value, number);
        number
    }

    /// Returns the set with a value alone.
    fn bit(&mut self, value: T) -> Messages {
        let bit = Messages::from(1_u8).checked_shl(self.number(value).into());
        bit.expect("at most 128 messages")
    }

    fn count(&self) -> u16 {
        u16::try_from(self.values.len()).expect("few values")
    }

    fn get(&self, number: u16) -> &T {
        &self.values[usize::from(number)]
    }
}

impl World {
    /// Returns the state behind a loss of every message.
    pub(super) fn silent(self) -> Self {
        Self { sent: 0, ..self }
    }

    /// Returns the number of the sent messages.
    pub(super) fn messages(&self) -> u32 {
        self.sent.count_ones()
    }
}

impl Search {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            nodes: Numbers::new(),
            queues: Numbers::new(),
            messages: Numbers::new(),
            logs: Numbers::new(),
            views: Numbers::new(),
        }
    }

    pub(super) fn begin(&mut self) -> World {
        let none = self.nodes.number(Node::default());
        let mut first = Node::default();
        first.handovers.spawn(OBJECT);
        first.server = Some(Vec::new());
        let empty = self.logs.number(Vec::new());
        let spawned = self.logs.number(vec![Told::Entered(1)]);
        let zone = |node, published| Zone {
            live: node,
            journal: node,
            records: ZoneLogs {
                published,
                written: empty,
            },
            held: 0,
        };
        World {
            zones: [zone(self.nodes.number(first), spawned), zone(none, empty)],
            view: self.views.number(GatewayView::default()),
            queue: self.queues.number(CommandQueue::default()),
            acknowledged: 0,
            sent: 0,
            departures: 0,
            commands: 0,
            crashes: 0,
        }
    }

    pub(super) fn actions(&self, world: &World) -> Vec<Action> {
        let bounds = self.bounds;
        let mut actions = Vec::new();
        let is_pending = self.queues.get(world.queue).pending().next().is_some();
        for (place, zone) in world.zones.iter().enumerate() {
            let handovers = &self.nodes.get(zone.live).handovers;
            if handovers.is_real(OBJECT) && world.departures < bounds.departures {
                actions.push(Action::Depart(place));
            }
            if zone.live != zone.journal || zone.held != 0 {
                actions.push(Action::Commit(place));
                if world.crashes < bounds.crashes {
                    actions.push(Action::Crash(place));
                }
            } else if handovers.offers().next().is_some() {
                actions.push(Action::Repeat(place));
            }
            if is_pending {
                actions.push(Action::SendCommand(place));
            }
        }
        if world.commands < bounds.commands {
            actions.push(Action::Issue);
        }
        actions.extend(self.view_actions(world));
        for number in 0..self.messages.count() {
            if world.sent & (1 << number) != 0 {
                actions.push(Action::Arrive(number, true));
                if matches!(self.messages.get(number), Message::Offer(..)) {
                    actions.push(Action::Arrive(number, false));
                }
            }
        }
        actions
    }

    pub(super) fn act(&mut self, world: &mut World, action: Action) {
        match action {
            Action::Depart(place) => {
                world.departures += 1;
                let mut node = self.nodes.get(world.zones[place].live).clone();
                let state = Bytes::from(node.server.take().expect("a real object"));
                assert!(node.handovers.depart(OBJECT, ZONES[1 - place], state));
                world.zones[place].live = self.nodes.number(node);
                self.tell(&mut world.zones[place], Told::Departed);
                self.offer(&mut world.zones[place]);
            }
            Action::Issue => {
                world.commands += 1;
                let mut queue = self.queues.get(world.queue).clone();
                queue.push(vec![world.commands].into());
                world.queue = self.queues.number(queue);
            }
            Action::SendCommand(place) => {
                for (number, command) in self.queues.get(world.queue).clone().pending() {
                    let message = Message::Command(place, number, command.clone());
                    world.sent |= self.messages.bit(message);
                }
            }
            Action::Commit(place) => {
                self.publish(&mut world.zones[place]);
                let zone = &mut world.zones[place];
                zone.journal = zone.live;
                world.sent |= std::mem::take(&mut zone.held);
            }
            Action::Repeat(place) => self.offer(&mut world.zones[place]),
            Action::Crash(place) => {
                world.crashes += 1;
                let zone = &mut world.zones[place];
                zone.live = zone.journal;
                zone.held = 0;
                zone.records.written = self.logs.number(Vec::new());
            }
            Action::Play(place) => self.play(world, place),
            Action::Keyframe(place) => self.play_keyframe(world, place),
            Action::Arrive(message, admits) => self.arrive(world, message, admits),
        }
    }

    fn offer(&mut self, zone: &mut Zone) {
        let offers: Vec<_> = self.nodes.get(zone.live).handovers.offers().collect();
        for (to, offer) in offers {
            let message = Message::Offer(to.0 as usize, offer);
            zone.held |= self.messages.bit(message);
        }
    }

    fn arrive(&mut self, world: &mut World, message: u16, admits: bool) {
        match self.messages.get(message).clone() {
            Message::Offer(to, offer) => {
                let zone = &mut world.zones[to];
                let mut node = self.nodes.get(zone.live).clone();
                let reception = node.handovers.take_offer(ZONES[1 - to], &offer, admits);
                if matches!(reception, Reception::Admitted(_)) {
                    assert_eq!(node.server, None, "a second copy in one server");
                    node.server = Some(offer.state.to_vec());
                    self.tell(zone, Told::Entered(offer.epoch));
                }
                zone.live = self.nodes.number(node);
                if let Reception::Admitted(answer) | Reception::Known(answer) = reception {
                    zone.held |= self.messages.bit(Message::Answer(1 - to, answer));
                }
            }
            Message::Answer(to, answer) => {
                let zone = &mut world.zones[to];
                let mut node = self.nodes.get(zone.live).clone();
                let settled = node.handovers.take_answer(ZONES[1 - to], answer);
                if let Some(Settlement::Returned(_, state)) = settled {
                    node.server = Some(state.to_vec());
                    let epoch = node.handovers.residences[&OBJECT].epoch;
                    self.tell(zone, Told::Entered(epoch));
                }
                zone.live = self.nodes.number(node);
            }
            Message::Command(to, number, command) => {
                let zone = &mut world.zones[to];
                let mut node = self.nodes.get(zone.live).clone();
                let last = match node.handovers.place(OBJECT, CLIENT, number) {
                    CommandPlace::Next => {
                        let server = node.server.as_mut().expect("a real object");
                        server.extend(command);
                        node.handovers.note_applied(OBJECT, CLIENT, number);
                        number
                    }
                    CommandPlace::Known(last) => last,
                    CommandPlace::Early | CommandPlace::Elsewhere => return,
                };
                zone.live = self.nodes.number(node);
                zone.held |= self.messages.bit(Message::Acknowledgement(last));
            }
            Message::Acknowledgement(number) => {
                world.acknowledged = world.acknowledged.max(number);
                let mut queue = self.queues.get(world.queue).clone();
                queue.acknowledge(number);
                world.queue = self.queues.number(queue);
            }
        }
    }

    /// Checks the promises for a state.
    pub(super) fn check(&self, world: &World) -> Result<(), &'static str> {
        let [one, two] = world.zones;
        for [one, two] in [[one.live, two.live], [one.journal, two.journal]] {
            let is_real = |node| self.nodes.get(node).handovers.is_real(OBJECT);
            if is_real(one) && is_real(two) {
                return Err("two real copies");
            }
        }
        for number in [one.live, one.journal, two.live, two.journal] {
            let node = self.nodes.get(number);
            let log = node.server.as_deref();
            if log.is_some() != node.handovers.is_real(OBJECT) {
                return Err("a copy without a residence");
            }
            if log.is_some_and(|log| !(1..).zip(log).all(|(number, it)| number == *it)) {
                return Err("a command was applied twice, or not at all");
            }
            if log.is_some_and(|log| log.len() < world.acknowledged as usize) {
                return Err("an acknowledged command is lost");
            }
            for (object, residence) in &node.handovers.residences {
                let open = |departure: &Departure| {
                    let outgoing = node.handovers.outgoing.get(&departure.to);
                    outgoing.and_then(|it| it.open.get(&departure.number)) == Some(object)
                };
                if !residence.departure.iter().all(open) {
                    return Err("a departure without an offer");
                }
            }
            let mut incoming = node.handovers.incoming.values();
            if incoming.any(|it| it.answers.len() > 1) {
                return Err("an answer is kept for ever");
            }
        }
        self.check_view(world)
    }

    /// Continues without losses behind a loss of every message: the object becomes real, and all commands are applied.
    pub(super) fn recover(&mut self, mut world: World) -> Result<(), &'static str> {
        for _ in 0..ROUNDS {
            for place in 0..2 {
                self.act(&mut world, Action::Repeat(place));
                self.act(&mut world, Action::SendCommand(place));
                self.act(&mut world, Action::Commit(place));
            }
            for number in 0..self.messages.count() {
                if world.sent & (1 << number) != 0 {
                    self.act(&mut world, Action::Arrive(number, true));
                    self.check(&world)?;
                }
            }
            world.sent = 0;
        }
        let is_real = |zone: &Zone| self.nodes.get(zone.live).handovers.is_real(OBJECT);
        if !world.zones.iter().any(is_real) {
            return Err("the object is lost");
        }
        if world.acknowledged != world.commands.into() {
            return Err("a command is lost");
        }
        self.check_end(world)
    }
}
