//! A `NetworkServer` with `NetworkClient`s as a system of the schedules.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use syncvar::limits::LossSettings;
use syncvar::prelude::*;
use syncvar::{
    Budget, Channel, ClientConfig, ConnectionId, Endpoint, PacketLimits, ServerConfig, SpawnOptions,
};
use syncvar_testing::loss::{
    Carrier, LossEvent, LossSystem, ORDERED, ObjectState, Op, SECRET, Setup, States, Traffic,
};

use super::contents::Contents;
use super::kinds::{BELL, Bell, Kind, Value, kind, prefabs, ring};

/// Ticks per second, so many that 40 000 of them end no connection.
const TICK_RATE: u32 = 10_000;

/// Time of a tick.
const TICK: Duration = Duration::from_micros(100);

/// Sent packets whose fates are kept, few so that they overflow.
const RING: usize = 32;

/// Ticks after which an undecided packet is lost.
const RECORD_TICKS: u32 = 60;

/// Packets that wait on a client: those of all ticks while a stream lags.
const HELD: usize = 64;

/// Packet size for which few entries fill a chunk.
const PACKET_SIZE: usize = 24 + 20;

/// Packets of the handshake, at most.
const HANDSHAKE: usize = 20;

pub(super) struct Ends {
    server: NetworkServer,
    clients: Vec<End>,
    setup: Setup,
    /// Values as frames have written them last.
    framed: States,
    /// Changes that take the stream, with their values. They wait for the next tick, so that the state that
    /// they send belongs to its frame.
    changes: Vec<(Op, u32)>,
    violation: Option<String>,
    tick: u32,
}

struct End {
    client: NetworkClient,
    connection: ConnectionId,
    /// Objects that the client is to see.
    wanted: BTreeSet<u32>,
    /// Number of reported calls.
    rung: usize,
    call: Option<u32>,
    contents: Contents,
}

fn id(number: u32) -> NetId {
    NetId(number + 1)
}

fn loss() -> LossSettings {
    let mut loss = LossSettings::default();
    loss.ring = RING;
    loss.ack_interval = Duration::ZERO;
    loss.record_ticks = RECORD_TICKS;
    loss.record_time = Duration::ZERO;
    loss.stall_after = TICK * 14;
    loss.max_probe_interval = TICK * 28;
    loss.max_held_packets = HELD;
    loss
}

/// Returns the middle of a tick.
fn time(tick: u32) -> Duration {
    TICK * tick + TICK / 2
}

impl Ends {
    pub(super) fn new(setup: &Setup) -> Self {
        let mut loss = loss();
        let config = ClientConfig {
            loss,
            tick_rate: TICK_RATE,
            ping_interval: Duration::ZERO,
            gather_time: Some(Duration::ZERO),
            ..ClientConfig::default()
        };
        if setup.repairs == 1 {
            loss.repair_bytes = 8;
        }
        let server = ServerConfig {
            loss,
            tick_rate: TICK_RATE,
            packet_size: PACKET_SIZE,
            ..ServerConfig::default()
        };
        let mut server = NetworkServer::with_config(prefabs(), server);
        let options = SpawnOptions {
            net_id: Some(BELL),
            ..SpawnOptions::default()
        };
        server.try_spawn(Bell::default(), options).unwrap();
        let limits = PacketLimits {
            datagrams: !setup.is_stream_only,
            ..PacketLimits::STREAM
        };
        let clients = (0..setup.clients).map(|_| {
            let mut client = NetworkClient::with_config(prefabs(), config.clone());
            let connection = Endpoint::handle_connect(&mut server, limits);
            Endpoint::handle_connect(&mut client, limits);
            End {
                client,
                connection,
                wanted: BTreeSet::new(),
                rung: 0,
                call: None,
                contents: Contents::default(),
            }
        });
        let mut ends = Self {
            clients: clients.collect(),
            server,
            setup: *setup,
            framed: States::new(),
            changes: Vec::new(),
            violation: None,
            tick: 1,
        };
        ends.shake_hands();
        ends
    }

    fn shake_hands(&mut self) {
        let mut datagrams = Vec::new();
        for _ in 0..HANDSHAKE {
            for client in 0..self.clients.len() {
                for (carrier, packet) in self.update_client(client, 0) {
                    match carrier {
                        Carrier::Stream => self.receive_on_server(client, carrier, packet),
                        Carrier::Datagram => datagrams.push((client, packet)),
                    }
                }
            }
            for (client, carrier, packet) in self.update_server(0) {
                for (carrier, answer) in self.receive_on_client(client, carrier, packet) {
                    match carrier {
                        Carrier::Stream => self.receive_on_server(client, carrier, answer),
                        Carrier::Datagram => datagrams.push((client, answer)),
                    }
                }
            }
        }
        // The first measured round trip is one tick.
        self.update_server(1);
        for (client, packet) in datagrams {
            self.receive_on_server(client, Carrier::Datagram, packet);
        }
        for end in &mut self.clients {
            assert!(end.client.get::<Bell>(BELL).is_some(), "not joined");
            while end.client.poll_event().is_some() {}
            if self.setup.budget < 9 {
                let budget = Budget::new(self.setup.budget * (PACKET_SIZE - 24));
                self.server
                    .set_budget(end.connection, Some(budget))
                    .unwrap();
            }
        }
    }

    fn kind(&self, number: u32) -> Kind {
        kind(number, self.setup.has_echo)
    }

    fn exists(&self, number: u32) -> bool {
        (self.kind(number).on_server)(&self.server, id(number)).is_some()
    }

    fn owner(&self, number: u32) -> Option<ConnectionId> {
        self.server.owner(id(number))
    }

    /// Returns an object as on the server, with the fields that a client reads.
    fn state(&self, number: u32, class: u32, client: Option<usize>) -> Option<ObjectState> {
        let numbers = (self.kind(number).on_server)(&self.server, id(number))?;
        let connection = client.map(|client| self.clients[client].connection);
        let is_owned = connection.is_some() && self.owner(number) == connection;
        let readable = |field| field != SECRET || is_owned || client.is_none();
        Some(ObjectState {
            class,
            is_owned,
            values: std::array::from_fn(|field| readable(field).then_some(numbers[field])),
        })
    }

    fn class(&self, number: u32) -> u32 {
        self.framed.get(&number).map_or(0, |object| object.class)
    }

    fn spawn(&mut self, number: u32, class: u32) {
        if !(self.kind(number).spawn)(&mut self.server, id(number), class) {
            return;
        }
        if let Some(state) = self.state(number, class, None) {
            self.framed.insert(number, state);
        }
        for end in &mut self.clients {
            end.wanted.insert(number);
        }
    }

    fn write(&mut self, number: u32, field: usize, value: Value) {
        (self.kind(number).write)(&mut self.server, id(number), field, value);
    }

    fn set_owner(&mut self, number: u32, owner: Option<usize>) {
        let owner = owner.map(|client| self.clients[client].connection);
        let has_it = owner.is_none_or(|owner| {
            let mut observers = self.server.observers(id(number));
            observers.any(|observer| observer == owner)
        });
        if self.exists(number) && has_it {
            self.server.set_owner(id(number), owner).unwrap();
            // Pending changes were sent to the former owner.
            self.note_frame();
        }
    }

    fn change_in_tick(&mut self, change: Op, value: u32) {
        match change {
            Op::Spawn(object) if !self.exists(object) => self.spawn(object, value),
            Op::Despawn(object) if self.exists(object) => {
                self.server.despawn(id(object)).unwrap();
                self.framed.remove(&object);
                for end in &mut self.clients {
                    end.contents.forget(object + 1);
                    end.wanted.remove(&object);
                }
            }
            // An object that was spawned since has the same number.
            Op::Write(object, field) if value > self.class(object) => {
                self.write(object, field, Value::new(value, false));
            }
            Op::Show(client, object) if self.exists(object) => {
                let end = &mut self.clients[client];
                end.wanted.insert(object);
                self.server.show(id(object), end.connection).unwrap();
            }
            Op::Hide(client, object) if self.exists(object) => {
                let connection = self.clients[client].connection;
                if self.owner(object) == Some(connection) {
                    self.set_owner(object, None);
                }
                self.clients[client].wanted.remove(&object);
                self.clients[client].contents.forget(object + 1);
                self.server.hide(id(object), connection).unwrap();
            }
            Op::Own(object, client) => self.set_owner(object, Some(client)),
            Op::Disown(object) => self.set_owner(object, None),
            _ => {}
        }
    }

    /// P3: no datagram has a value that its client is known to have. Echoes repeat values on purpose.
    fn check_repeat(&mut self, client: usize, datagram: &[u8]) {
        let repeated = self.clients[client].contents.send(datagram, self.tick);
        if let Some((object, field, number)) = repeated.filter(|_| !self.setup.has_echo) {
            let place = format!("field {field} of object {} to client {client}", object - 1);
            self.violation = Some(format!("P3: {number} is sent again: {place}"));
        }
    }

    fn note_frame(&mut self) {
        for (number, object) in &mut self.framed {
            let kind = kind(*number, self.setup.has_echo);
            let Some(numbers) = (kind.on_server)(&self.server, id(*number)) else {
                continue;
            };
            let dirty = (kind.dirty)(&self.server, id(*number));
            for field in 0..numbers.len() {
                if !dirty[field] {
                    object.values[field] = Some(numbers[field]);
                }
            }
        }
    }
}

/// Returns whether a change sends state of an object.
fn concerns(change: Op, object: u32) -> bool {
    match change {
        Op::Own(it, _) | Op::Disown(it) | Op::Show(_, it) | Op::Hide(_, it) => it == object,
        _ => false,
    }
}

fn carrier(delivery: Channel) -> Carrier {
    match delivery {
        Channel::Reliable => Carrier::Stream,
        Channel::Unreliable => Carrier::Datagram,
    }
}

impl End {
    fn poll(&mut self) -> Vec<(Carrier, (u8, Bytes))> {
        let packets = std::iter::from_fn(|| self.client.poll_transmit());
        let packets = packets.map(|it| (carrier(it.delivery), (it.channel, it.bytes)));
        packets.collect()
    }
}

impl LossSystem for Ends {
    type Packet = (u8, Bytes);

    const IS_CUMULATIVE: bool = true;

    fn change(&mut self, change: Op, value: u32) {
        match change {
            Op::Write(_, ORDERED) => self.changes.push((change, value)),
            Op::Write(object, field) => self.write(object, field, Value::new(value, false)),
            Op::WriteLarge(object, field) => self.write(object, field, Value::new(value, true)),
            Op::WriteOwned(client, object) => {
                let write = self.kind(object).write_owned;
                let client = &mut self.clients[client].client;
                if client.is_owner(id(object)) {
                    write(client, id(object), Value::new(value, false));
                }
            }
            Op::Call(client) => self.clients[client].call = Some(value),
            Op::Despawn(object) => {
                // State that it sends would have no frame.
                self.changes.retain(|(it, _)| !concerns(*it, object));
                self.changes.push((change, value));
            }
            _ => self.changes.push((change, value)),
        }
    }

    fn update_server(&mut self, tick: u32) -> Vec<(usize, Carrier, Self::Packet)> {
        if std::mem::replace(&mut self.tick, tick) < tick {
            for (change, value) in std::mem::take(&mut self.changes) {
                self.change_in_tick(change, value);
            }
        }
        for end in &mut self.clients {
            if let Some(value) = end.call.take() {
                ring(&mut self.server, end.connection, value);
            }
        }
        self.server.update(time(tick));
        self.note_frame();
        let mut packets = Vec::new();
        while let Some(packet) = self.server.poll_transmit() {
            let place = (carrier(packet.delivery), packet.channel);
            let (connection, bytes) = (packet.connection, packet.to_bytes());
            let mut clients = self.clients.iter();
            if let Some(client) = clients.position(|end| end.connection == connection) {
                if place.0 == Carrier::Datagram {
                    self.check_repeat(client, &bytes);
                }
                packets.push((client, place.0, (place.1, bytes)));
            }
        }
        packets
    }

    fn update_client(&mut self, client: usize, tick: u32) -> Vec<(Carrier, Self::Packet)> {
        let end = &mut self.clients[client];
        end.client.update(time(tick));
        end.poll()
    }

    fn receive_on_server(&mut self, client: usize, carrier: Carrier, packet: Self::Packet) {
        let connection = self.clients[client].connection;
        let (channel, bytes) = packet;
        if carrier == Carrier::Datagram {
            let since = self.tick.saturating_sub(RECORD_TICKS);
            self.clients[client].contents.receive(&bytes, since);
        }
        let handled = match carrier {
            Carrier::Stream => self.server.handle_packet(connection, channel, &bytes),
            Carrier::Datagram => self.server.handle_datagram(connection, channel, &bytes),
        };
        handled.expect("clients are honest");
    }

    fn receive_on_client(
        &mut self,
        client: usize,
        carrier: Carrier,
        (channel, bytes): Self::Packet,
    ) -> Vec<(Carrier, Self::Packet)> {
        let end = &mut self.clients[client];
        let handled = match carrier {
            Carrier::Stream => end.client.handle_packet(channel, &bytes),
            Carrier::Datagram => end.client.handle_datagram(channel, &bytes),
        };
        handled.expect("the server is honest");
        end.poll()
    }

    fn server_state(&self, client: usize) -> States {
        let wanted = self.clients[client].wanted.iter();
        let states = wanted.filter_map(|number| {
            let state = self.state(*number, self.class(*number), Some(client))?;
            Some((*number, state))
        });
        states.collect()
    }

    fn client_state(&self, client: usize) -> States {
        let client = &self.clients[client].client;
        let states = (0..self.setup.objects).filter_map(|number| {
            let (class, numbers) = (self.kind(number).on_client)(client, id(number))?;
            let is_owned = client.is_owner(id(number));
            // Authority precedes the values that come with it, perhaps in another packet.
            let readable = |field| field != SECRET || is_owned && numbers[SECRET] != 0;
            let state = ObjectState {
                class,
                is_owned,
                values: std::array::from_fn(|field| readable(field).then_some(numbers[field])),
            };
            Some((number, state))
        });
        states.collect()
    }

    fn framed(&self) -> States {
        self.framed.clone()
    }

    fn take_events(&mut self, client: usize) -> Vec<LossEvent> {
        let end = &mut self.clients[client];
        let mut events = Vec::new();
        while let Some(event) = end.client.poll_event() {
            match event {
                ClientEvent::Tick { tick, complete, .. } => {
                    let tick = u32::try_from(tick).unwrap();
                    events.push(LossEvent::Tick(tick, complete));
                }
                ClientEvent::Poisoned { error, .. } => panic!("unreadable: {error}"),
                _ => {}
            }
        }
        let rung = end.client.get::<Bell>(BELL).map_or(&[][..], Bell::rung);
        let calls = rung.get(end.rung..).unwrap_or_default();
        end.rung = rung.len();
        events.extend(calls.iter().map(|value| LossEvent::Call(*value)));
        events
    }

    fn usage(&self, client: usize) -> Vec<(&'static str, usize, usize)> {
        let end = &self.clients[client];
        let Ok(Some(losses)) = self.server.losses(end.connection) else {
            return Vec::new();
        };
        let visible = end.wanted.len() + 4;
        vec![
            ("sent packets", losses.flying, RING),
            ("objects in the backlog", losses.backlog, 2 * visible),
            ("shown objects", losses.shown, 2 * visible),
        ]
    }

    fn is_settled(&self, client: usize) -> bool {
        let connection = self.clients[client].connection;
        let stats = self.server.connection_stats(connection).unwrap();
        let losses = self.server.losses(connection).unwrap();
        stats.backlog == 0 && losses.is_none_or(|losses| losses.detached_for.is_none())
    }

    fn traffic(&self, client: usize) -> Traffic {
        let losses = self.server.losses(self.clients[client].connection);
        let losses = losses.unwrap().unwrap_or_default();
        Traffic {
            repaired: losses.repaired,
            visited: losses.caught_up,
            detached: losses.detached,
            ..Traffic::default()
        }
    }

    fn take_violation(&mut self) -> Option<String> {
        self.violation.take()
    }
}
