//! `World`: one schedule on a system, with the packets under way and the properties.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use super::schedule::Dice;
use super::{Carrier, FIELDS, LossEvent, LossSystem, OWNED, Op, Setup, States};

/// Ticks that a datagram lives at most.
const LIFETIME: u32 = 20;

/// Updates within which all clients equal the server once nothing is lost any more.
const BOUND: u32 = 60;

/// Updates after that in which silence falls.
const SILENCE: u32 = 30;

type Checked = Result<(), String>;

/// A schedule that violates a property, shortened as far as it still does.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Number of the property and the place.
    pub error: String,
    /// Conditions of the schedule.
    pub setup: Setup,
    /// The operations. A delivery of all packets follows.
    pub ops: Vec<Op>,
}

impl Failure {
    /// Plays the short schedule again, for an output of the system.
    ///
    /// # Errors
    ///
    /// The violated property.
    pub fn replay<S: LossSystem>(&self, build: impl Fn(&Setup) -> S) -> Result<(), String> {
        World::new(build(&self.setup), self.setup).play(&self.ops)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{:?}\n{:?}", self.error, self.setup, self.ops)
    }
}

/// Plays the random schedule of a seed, 30 to 300 operations.
///
/// # Errors
///
/// When a property is violated, with a short schedule that violates it.
pub fn check<S: LossSystem>(seed: u64, build: impl Fn(&Setup) -> S) -> Result<(), Box<Failure>> {
    let mut dice = Dice::new(seed);
    let setup = Setup::random(&mut dice);
    let length = 30 + dice.index(270);
    let ops = setup.schedule(&mut dice, length);
    let play = |ops: &[Op]| World::new(build(&setup), setup).play(ops);
    play(&ops).map_err(|error| {
        let (ops, error) = shorten(ops, error, &play);
        Box::new(Failure { error, setup, ops })
    })
}

/// Leaves out operations as long as the same property is violated.
fn shorten(
    mut ops: Vec<Op>,
    mut error: String,
    play: &impl Fn(&[Op]) -> Checked,
) -> (Vec<Op>, String) {
    let mut size = ops.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < ops.len() {
            let mut fewer = ops.clone();
            fewer.drain(at..ops.len().min(at + size));
            match play(&fewer) {
                Err(new) if new[..2] == error[..2] => (ops, error) = (fewer, new),
                _ => at += size,
            }
        }
        size /= 2;
    }
    (ops, error)
}

/// Values that a complete tick has, and for each client the objects that it has afterwards, and the objects hidden from it since the
/// update before, perhaps for a moment only.
struct Frame {
    values: States,
    changes: States,
    shown: Vec<BTreeSet<u32>>,
    hidden: Vec<BTreeSet<u32>>,
}

struct World<S: LossSystem> {
    system: S,
    setup: Setup,
    tick: u32,
    /// Number of operations, and value of the next change.
    count: u32,
    streams: Vec<VecDeque<S::Packet>>,
    /// Datagrams to clients, with the ticks in which they were sent.
    down: Vec<Vec<(u32, S::Packet)>>,
    up: Vec<Vec<S::Packet>>,
    /// Whether no datagram was lost so far.
    is_lossless: bool,
    /// Whether the last packet to a client came on its stream.
    by_stream: bool,
    frames: BTreeMap<u32, Frame>,
    /// Objects hidden from each client since the last frame.
    hidden: Vec<BTreeSet<u32>>,
    /// Values of the objects after the last update in a new tick.
    framed: States,
    /// Last values by class of object.
    ends: BTreeMap<u32, u32>,
    seen: Vec<States>,
    calls: Vec<BTreeSet<u32>>,
    /// Last reported tick by client, and whether it was complete.
    reported: Vec<(u32, bool)>,
}

impl<S: LossSystem> World<S> {
    fn new(system: S, setup: Setup) -> Self {
        let clients = setup.clients;
        Self {
            system,
            setup,
            tick: 1,
            count: 0,
            streams: (0..clients).map(|_| VecDeque::new()).collect(),
            down: (0..clients).map(|_| Vec::new()).collect(),
            up: (0..clients).map(|_| Vec::new()).collect(),
            is_lossless: setup.is_prompt,
            by_stream: false,
            frames: BTreeMap::new(),
            hidden: vec![BTreeSet::new(); clients],
            framed: States::new(),
            ends: BTreeMap::new(),
            seen: vec![States::new(); clients],
            calls: vec![BTreeSet::new(); clients],
            reported: vec![(0, true); clients],
        }
    }

    fn play(mut self, ops: &[Op]) -> Checked {
        ops.iter().try_for_each(|op| self.step(*op))?;
        self.settle()
    }

    fn step(&mut self, op: Op) -> Checked {
        self.count += 1;
        match op {
            Op::Tick => {
                self.tick += 1;
                self.drop_old();
                self.update()?;
            }
            Op::TickAgain => self.update()?,
            Op::Idle => {
                for client in 0..if self.is_lossless {
                    self.setup.clients
                } else {
                    0
                } {
                    self.step(Op::Pump(client))?;
                }
                // A packet that waits for its stream all this time is given up.
                self.is_lossless &= self.streams.iter().all(VecDeque::is_empty);
                self.tick += 40_000;
                // No transport keeps a datagram that long: its tick would be misread.
                self.drop_old();
            }
            Op::Stream(client) => {
                if let Some(packet) = self.streams[client].pop_front() {
                    self.receive(client, Carrier::Stream, packet);
                }
            }
            Op::Deliver(client, at) => {
                if let Some((_, packet)) = take(&mut self.down[client], at) {
                    self.receive(client, Carrier::Datagram, packet);
                }
            }
            Op::Repeat(client, at) => {
                if let Some((_, packet)) = self.down[client].get(at).cloned() {
                    self.receive(client, Carrier::Datagram, packet);
                }
            }
            Op::Lose(client, at) => self.is_lossless &= take(&mut self.down[client], at).is_none(),
            Op::LoseUp(client, at) => self.is_lossless &= take(&mut self.up[client], at).is_none(),
            Op::DeliverUp(client, at) => {
                if let Some(packet) = take(&mut self.up[client], at) {
                    self.system
                        .receive_on_server(client, Carrier::Datagram, packet);
                }
            }
            Op::Run(client) => {
                let packets = self.system.update_client(client, self.tick);
                self.send_up(client, packets);
            }
            Op::Pump(client) => self.pump(client)?,
            change => {
                self.note_hidden(change);
                self.system.change(change, self.count);
            }
        }
        self.check()
    }

    fn note_hidden(&mut self, change: Op) {
        for (client, hidden) in self.hidden.iter_mut().enumerate() {
            match change {
                Op::Hide(from, object) if from == client => drop(hidden.insert(object)),
                Op::Despawn(object) => drop(hidden.insert(object)),
                _ => {}
            }
        }
    }

    fn pump(&mut self, client: usize) -> Checked {
        while !self.down[client].is_empty() {
            self.step(Op::Deliver(client, 0))?;
        }
        self.step(Op::Run(client))?;
        while !self.up[client].is_empty() {
            self.step(Op::DeliverUp(client, 0))?;
        }
        Ok(())
    }

    /// No datagram lives for so long that its numbers could be misread.
    fn drop_old(&mut self) {
        for down in &mut self.down {
            let before = down.len();
            down.retain(|(sent, _)| sent + LIFETIME >= self.tick);
            self.is_lossless &= down.len() == before;
        }
    }

    fn update(&mut self) -> Checked {
        for (client, carrier, packet) in self.system.update_server(self.tick) {
            match carrier {
                Carrier::Stream => self.streams[client].push_back(packet),
                Carrier::Datagram => self.down[client].push((self.tick, packet)),
            }
        }
        if !self.frames.contains_key(&self.tick) {
            let states = (0..self.setup.clients).map(|client| self.system.server_state(client));
            let framed = self.system.framed();
            for object in framed.values() {
                self.ends.insert(object.class, self.count);
            }
            let frame = Frame {
                shown: states.map(|state| state.into_keys().collect()).collect(),
                values: framed.clone(),
                changes: changes(&self.framed, &framed),
                hidden: std::mem::replace(
                    &mut self.hidden,
                    vec![BTreeSet::new(); self.setup.clients],
                ),
            };
            self.framed = framed;
            self.frames.insert(self.tick, frame);
        }
        for client in 0..if self.is_lossless {
            self.setup.clients
        } else {
            0
        } {
            while !self.down[client].is_empty() {
                self.step(Op::Deliver(client, 0))?;
            }
            if self.tick.is_multiple_of(3) {
                self.step(Op::Pump(client))?;
            }
        }
        Ok(())
    }

    fn receive(&mut self, client: usize, carrier: Carrier, packet: S::Packet) {
        self.by_stream = carrier == Carrier::Stream;
        let answers = self.system.receive_on_client(client, carrier, packet);
        self.send_up(client, answers);
    }

    /// The stream to the server does not lag.
    fn send_up(&mut self, client: usize, packets: Vec<(Carrier, S::Packet)>) {
        for (carrier, packet) in packets {
            match carrier {
                Carrier::Stream => self.system.receive_on_server(client, carrier, packet),
                Carrier::Datagram => self.up[client].push(packet),
            }
        }
    }

    fn check(&mut self) -> Checked {
        if let Some(violation) = self.system.take_violation() {
            return Err(violation);
        }
        let framed = self.system.framed();
        for client in 0..self.setup.clients {
            let state = self.system.client_state(client);
            self.check_values(client, &state, &framed)?;
            for event in self.system.take_events(client) {
                match event {
                    LossEvent::Tick(tick, is_complete) => {
                        self.check_tick(client, tick, is_complete, &state)?;
                    }
                    LossEvent::Call(value) if !self.calls[client].insert(value) => {
                        return Err(format!("P7: call {value} runs twice on client {client}"));
                    }
                    LossEvent::Call(_) => {}
                }
            }
            self.seen[client] = state;
            for (name, length, limit) in self.system.usage(client) {
                if length > limit {
                    return Err(format!("P4: {length} {name} of client {client}"));
                }
            }
        }
        Ok(())
    }

    fn check_values(&self, client: usize, state: &States, framed: &States) -> Checked {
        for (number, object) in state {
            let class = object.class;
            let place = |field| format!("field {field} of object {number} on client {client}");
            let last = self.ends.get(&class).copied().unwrap_or(0);
            let server = framed.get(number).filter(|server| server.class == class);
            let former = self.seen[client].get(number);
            let former = former.filter(|former| former.class == class);
            for field in 0..FIELDS {
                let Some(value) = object.values[field] else {
                    continue;
                };
                let own = field == OWNED && object.is_owned;
                if value < class || value > last && field != OWNED {
                    return Err(format!("P0: {} is that of another class", place(field)));
                }
                let former = former.and_then(|former| former.values[field]);
                let former = former.filter(|former| !own && *former > value);
                // The stream ends an ownership and, perhaps in its next packet, replaces the values that the server has
                // not taken of it.
                let is_reset = |former| self.by_stream && !self.was_taken(*number, former);
                if former.is_some_and(|former| field != OWNED || !is_reset(former)) {
                    return Err(format!("P2: {} becomes older", place(field)));
                }
                let newest = server.and_then(|server| server.values[field]);
                if field != OWNED && newest.is_some_and(|newest| value > newest) {
                    return Err(format!("P6: {} is ahead of its tick", place(field)));
                }
            }
        }
        Ok(())
    }

    /// Returns whether an update of the server had this value of the owner of an object.
    fn was_taken(&self, number: u32, value: u32) -> bool {
        let mut frames = self.frames.values();
        frames.any(|frame| {
            let object = frame.changes.get(&number);
            object.is_some_and(|object| object.values[OWNED] == Some(value))
        })
    }

    fn check_tick(&mut self, client: usize, tick: u32, complete: bool, state: &States) -> Checked {
        if tick <= self.reported[client].0 {
            return Err(format!("P6: tick {tick} is told again on client {client}"));
        }
        self.reported[client] = (tick, complete);
        let Some(frame) = self.frames.get(&tick).filter(|_| complete) else {
            return Ok(());
        };
        for number in &frame.shown[client] {
            let place = |field| format!("field {field} of object {number} on client {client}");
            let values = if S::IS_CUMULATIVE {
                &frame.values
            } else {
                &frame.changes
            };
            let changed = &values[number];
            let Some(object) = state.get(number) else {
                let mut later = self.frames.range(tick + 1..).map(|(_, frame)| frame);
                let is_hidden = self.hidden[client].contains(number)
                    || later.any(|frame| {
                        !frame.shown[client].contains(number)
                            || frame.hidden[client].contains(number)
                    });
                if !is_hidden {
                    return Err(format!(
                        "P6: tick {tick} is complete without object {number}"
                    ));
                }
                continue;
            };
            for field in (0..FIELDS).filter(|field| *field != OWNED || !object.is_owned) {
                let values = (object.values[field], changed.values[field]);
                if object.class == changed.class
                    && let (Some(value), Some(written)) = values
                    && value < written
                {
                    return Err(format!(
                        "P6: tick {tick} is complete without {}",
                        place(field)
                    ));
                }
            }
        }
        Ok(())
    }

    /// Describes the first difference of a client, or that it is not attached.
    fn difference(&self, client: usize) -> Option<String> {
        let (server, own) = (
            self.system.server_state(client),
            self.system.client_state(client),
        );
        if server != own {
            return Some(format!(
                "P1: client {client} has {own:?}, the server {server:?}"
            ));
        }
        let is_settled = self.system.is_settled(client);
        (!is_settled).then(|| format!("P1: client {client} is owed fields or detached"))
    }

    /// Delivers everything: P1 within the bound, then silence, and P5.
    fn settle(&mut self) -> Checked {
        for round in 0..BOUND + SILENCE {
            for client in 0..self.setup.clients {
                while !self.streams[client].is_empty() {
                    self.step(Op::Stream(client))?;
                }
                self.step(Op::Pump(client))?;
            }
            if round == BOUND {
                let mut clients = 0..self.setup.clients;
                if let Some(difference) = clients.find_map(|client| self.difference(client)) {
                    return Err(difference);
                }
            }
            self.step(Op::Tick)?;
        }
        if self.down.iter().any(|down| !down.is_empty()) {
            return Err("P1: not silent in the end".to_owned());
        }
        for client in 0..self.setup.clients {
            let (tick, is_complete) = self.reported[client];
            if S::IS_CUMULATIVE && !is_complete {
                return Err(format!(
                    "P6: the last tick {tick} of client {client} is not complete"
                ));
            }
            let traffic = self.system.traffic(client);
            let is_ample = self.setup.budget > 8 && traffic.detached == 0;
            let is_exact = traffic.sent == traffic.framed && traffic.repaired <= traffic.visited;
            if self.is_lossless && is_ample && !is_exact {
                return Err(format!("P5: client {client} without loss: {traffic:?}"));
            }
        }
        Ok(())
    }
}

fn take<T>(list: &mut Vec<T>, at: usize) -> Option<T> {
    (at < list.len()).then(|| list.remove(at))
}

/// Returns the values that have changed.
fn changes(before: &States, after: &States) -> States {
    let mut changes = after.clone();
    for (number, object) in &mut changes {
        let before = before.get(number);
        if let Some(before) = before.filter(|before| before.class == object.class) {
            for field in 0..FIELDS {
                let value = &mut object.values[field];
                *value = value.filter(|value| Some(*value) != before.values[field]);
            }
        }
    }
    changes
}
