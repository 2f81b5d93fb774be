//! `Stage`: an origin, relays and spectators in one process and in virtual time.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar::{ClientConfig, ConnectionId, Endpoint, PacketLimits, ServerConfig};
use syncvar_fleet::memory::{MemoryCarrier, MemoryFleet};
use syncvar_fleet::{Carrier, NodeId, Origin, Relay, RelayConfig, Role};

pub(crate) const TICK: Duration = Duration::from_millis(33);

/// Object with reliable fields, a collection and a call.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct Unit {
    #[sync_var(hook = on_hp)]
    pub(crate) hp: SyncVar<i32>,
    #[sync_var]
    pub(crate) name: SyncVar<String>,
    #[sync_var]
    pub(crate) tags: SyncList<u32>,
    pub(crate) shown: Option<i32>,
    pub(crate) hooks: u32,
    /// Hooks whose previous value was not the last one.
    pub(crate) wrong_hooks: u32,
    pub(crate) booms: Vec<u32>,
}

impl Unit {
    fn on_hp(&mut self, previous: i32) {
        let is_wrong = self.shown.is_some_and(|shown| shown != previous) || previous == *self.hp;
        self.wrong_hooks += u32::from(is_wrong);
        self.shown = Some(*self.hp);
        self.hooks += 1;
    }
}

/// Object with data beside its fields.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(synchronize)]
pub(crate) struct Banner {
    #[sync_var]
    pub(crate) colour: SyncVar<u32>,
    pub(crate) text: String,
}

impl Synchronize for Banner {
    fn on_synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError> {
        serializer.serialize_value(&mut self.text)
    }
}

#[network_calls]
impl Unit {
    #[client_rpc]
    pub(crate) fn boom(&mut self, number: u32) {
        self.booms.push(number);
    }
}

/// Object with unreliable state.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(channel = 1)]
pub(crate) struct Mover {
    #[sync_var]
    pub(crate) x: SyncVar<f32>,
    #[sync_var]
    pub(crate) y: SyncVar<f32>,
}

#[derive(SyncValue, Clone, PartialEq, Debug)]
pub(crate) struct Chat {
    pub(crate) text: String,
}

pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Unit>("unit")
        .register::<(Mover, Unit)>("walker")
        .register::<Banner>("banner")
        .message::<Chat>("chat")
}

/// Returns tokens that no run repeats.
fn token() -> [u8; 16] {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut token = [0; 16];
    token[..8].copy_from_slice(&number.to_le_bytes());
    token
}

pub(crate) fn relay_config() -> RelayConfig {
    RelayConfig {
        server: ServerConfig {
            reconnect_grace: Duration::from_secs(10),
            session_tokens: Some(token),
            ..ServerConfig::default()
        },
        ..RelayConfig::default()
    }
}

/// The server with the objects.
pub(crate) struct Source {
    pub(crate) server: NetworkServer,
    pub(crate) origin: Origin,
    pub(crate) carrier: MemoryCarrier,
    /// Own time at time zero of the stage: a restarted origin begins anew.
    pub(crate) started: Duration,
}

impl Source {
    pub(crate) fn new(fleet: &MemoryFleet, incarnation: u64, started: Duration) -> Self {
        let config = ServerConfig {
            incarnation,
            ..ServerConfig::default()
        };
        let mut server = NetworkServer::with_config(prefabs(), config);
        let origin = Origin::begin(&mut server).expect("an incarnation");
        Self {
            server,
            origin,
            carrier: fleet.node(Role::Origin, ""),
            started,
        }
    }
}

/// A client and its link to a relay.
pub(crate) struct Spectator {
    pub(crate) client: NetworkClient,
    pub(crate) relay: usize,
    pub(crate) link: Option<ConnectionId>,
    pub(crate) despawned: u32,
    /// Set if its relay has ended: the next relay may be behind it, and repeat calls.
    pub(crate) has_moved: bool,
    /// Texts of received chats.
    pub(crate) chats: Vec<String>,
    down: VecDeque<(u8, bool, Vec<u8>)>,
    up: VecDeque<(u8, bool, Vec<u8>)>,
}

/// An origin, relays and spectators.
pub(crate) struct Stage {
    pub(crate) now: Duration,
    pub(crate) fleet: MemoryFleet,
    pub(crate) source: Source,
    pub(crate) relays: Vec<Option<Relay<MemoryCarrier>>>,
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) spectators: Vec<Spectator>,
    pub(crate) random: Random,
    /// Share of lost datagrams of spectators, in 1000.
    pub(crate) datagram_loss: u32,
    calls: u32,
}

impl Stage {
    pub(crate) fn new(seed: u64) -> Self {
        let fleet = MemoryFleet::new(seed);
        let source = Source::new(&fleet, seed | 1, Duration::ZERO);
        Self {
            now: Duration::ZERO,
            fleet,
            source,
            relays: Vec::new(),
            nodes: Vec::new(),
            spectators: Vec::new(),
            random: Random::new(seed ^ 0x5eed),
            datagram_loss: 0,
            calls: 0,
        }
    }

    /// Adds a relay that follows the origin, or other relays.
    pub(crate) fn relay(&mut self, sources: &[usize], config: RelayConfig) -> usize {
        let carrier = self.fleet.node(Role::Relay, "");
        let node = carrier.id();
        let sources: Vec<_> = sources.iter().map(|relay| self.nodes[*relay]).collect();
        if sources.is_empty() {
            self.fleet.connect(node, self.source.carrier.id());
        }
        for source in sources {
            self.fleet.connect(node, source);
        }
        self.nodes.push(node);
        self.relays.push(Some(Relay::new(carrier, config)));
        self.relays.len() - 1
    }

    /// Ends a relay. Its spectators lose their links.
    pub(crate) fn crash_relay(&mut self, relay: usize) {
        self.fleet.crash(self.nodes[relay]);
        self.relays[relay] = None;
        for spectator in &mut self.spectators {
            if spectator.relay == relay && spectator.link.take().is_some() {
                Endpoint::handle_disconnect(&mut spectator.client, ConnectionId::SERVER);
                spectator.forget_packets();
                spectator.has_moved = true;
            }
        }
    }

    /// Starts the origin anew, without its objects. `also`: relays that follow it.
    pub(crate) fn restart_origin(&mut self, incarnation: u64, relays: &[usize]) {
        self.fleet.crash(self.source.carrier.id());
        self.source = Source::new(&self.fleet, incarnation, self.now);
        for relay in relays {
            self.fleet
                .connect(self.nodes[*relay], self.source.carrier.id());
        }
    }

    /// Adds a spectator with compiled types, or without.
    pub(crate) fn spectator(&mut self, relay: usize, typed: bool) -> usize {
        let config = ClientConfig::default();
        let client = if typed {
            NetworkClient::with_config(prefabs(), config)
        } else {
            NetworkClient::learning_with_config(config)
        };
        self.spectators.push(Spectator {
            client,
            relay,
            link: None,
            despawned: 0,
            has_moved: false,
            chats: Vec::new(),
            down: VecDeque::new(),
            up: VecDeque::new(),
        });
        self.spectators.len() - 1
    }

    /// Runs for some ticks without changes of the program.
    pub(crate) fn run(&mut self, ticks: u32) {
        for _ in 0..ticks {
            self.step();
        }
    }

    /// One tick of all nodes.
    pub(crate) fn step(&mut self) {
        self.now += TICK;
        self.update_origin();
        // Three times: once for each level, and for an answer.
        for part in 1..=3_u32 {
            let now = self.now + TICK * part / 4;
            self.fleet.update(now);
            for relay in self.relays.iter_mut().flatten() {
                relay.update(now);
            }
            self.connect();
            self.carry(now);
        }
    }

    pub(crate) fn update_origin(&mut self) {
        let Source {
            server,
            origin,
            carrier,
            started,
        } = &mut self.source;
        server.update(self.now.saturating_sub(*started));
        origin.pump(server, carrier, self.now);
    }

    /// Connects the spectators without a link to their relay.
    fn connect(&mut self) {
        for spectator in &mut self.spectators {
            if spectator.link.is_none()
                && let Some(relay) = &mut self.relays[spectator.relay]
            {
                let limits = PacketLimits {
                    datagrams: true,
                    ..PacketLimits::frames(64 * 1024)
                };
                spectator.link = Some(Endpoint::handle_connect(relay, limits));
                Endpoint::handle_connect(&mut spectator.client, limits);
            }
        }
    }

    /// Moves the packets between spectators and relays.
    fn carry(&mut self, now: Duration) {
        for (number, relay) in self.relays.iter_mut().enumerate() {
            let Some(relay) = relay else { continue };
            while let Some(packet) = relay.poll_transmit() {
                let unreliable = packet.delivery == syncvar::Channel::Unreliable;
                let bytes = packet.to_bytes().to_vec();
                let (link, channel) = (packet.connection, packet.channel);
                let of_link = |it: &&mut Spectator| it.relay == number && it.link == Some(link);
                if let Some(spectator) = self.spectators.iter_mut().find(of_link) {
                    spectator.down.push_back((channel, unreliable, bytes));
                }
            }
            while let Some(closed) = relay.poll_close() {
                Endpoint::handle_disconnect(relay, closed);
                let of_link = |it: &&mut Spectator| it.relay == number && it.link == Some(closed);
                if let Some(spectator) = self.spectators.iter_mut().find(of_link) {
                    spectator.receive(&mut self.random, self.datagram_loss);
                    spectator.link = None;
                    Endpoint::handle_disconnect(&mut spectator.client, ConnectionId::SERVER);
                    spectator.forget_packets();
                }
            }
        }
        for spectator in &mut self.spectators {
            spectator.receive(&mut self.random, self.datagram_loss);
            Endpoint::update(&mut spectator.client, now);
            while let Some(event) = spectator.client.poll_event() {
                spectator.take_event(&event);
            }
            while let Some(packet) = Endpoint::poll_transmit(&mut spectator.client) {
                let unreliable = packet.delivery == syncvar::Channel::Unreliable;
                let bytes = packet.to_bytes().to_vec();
                spectator.up.push_back((packet.channel, unreliable, bytes));
            }
            while spectator.client.poll_close().is_some() {}
            let Some(relay) = &mut self.relays[spectator.relay] else {
                continue;
            };
            let Some(link) = spectator.link else { continue };
            while relay.accepts_packets(link)
                && let Some((channel, unreliable, bytes)) = spectator.up.pop_front()
            {
                let handled = match unreliable {
                    true if self.random.chance(self.datagram_loss) => Ok(()),
                    true => relay.handle_datagram(link, channel, &bytes),
                    false => relay.handle_packet(link, channel, &bytes),
                };
                handled.expect("a valid packet of a spectator");
            }
        }
    }

    /// Changes objects of the origin at random.
    pub(crate) fn play(&mut self) {
        let random = &mut self.random;
        let server = &mut self.source.server;
        let ids: Vec<NetId> = server.identities().map(net_id).collect();
        for _ in 0..=random.below(3) {
            let Some(id) = random.pick(&ids).copied() else {
                break;
            };
            let value = random.below(1000);
            if let Ok(mut mover) = server.get_mut::<Mover>(id) {
                mover.x.set(random.between(0.0, 100.0));
                if random.chance(300) {
                    mover.y.set(random.between(0.0, 100.0));
                }
            }
            match random.below(8) {
                0 => drop(server.despawn(id)),
                1 | 2 => with_unit(server, id, |unit| unit.hp.set(value.cast_signed())),
                3 => with_unit(server, id, |unit| unit.name.set(format!("unit {value}"))),
                4 => with_unit(server, id, |unit| unit.tags.push(value)),
                5 => with_unit(server, id, |unit| unit.tags.pop().is_some()),
                6 => {
                    let parent = random.pick(&ids).copied().filter(|parent| *parent != id);
                    let _ = server.set_parent(id, parent);
                }
                _ => {
                    self.calls += 1;
                    let _ = server.calls::<Unit>(id).boom(self.calls);
                }
            }
        }
        if ids.len() < 4 || (ids.len() < 24 && random.chance(300)) {
            let unit = Unit {
                hp: random.below(100).cast_signed().into(),
                ..Unit::default()
            };
            if random.chance(500) {
                server.spawn(unit);
            } else {
                server.spawn((Mover::default(), unit));
            }
        }
    }

    /// Returns the first difference between a spectator and the origin; `None` for equal objects.
    pub(crate) fn difference(&self, spectator: usize) -> Option<String> {
        let (server, client) = (&self.source.server, &self.spectators[spectator].client);
        let ours: Vec<NetId> = server.identities().map(net_id).collect();
        let theirs: Vec<NetId> = client.identities().map(net_id).collect();
        if ours != theirs {
            return Some(format!("objects {ours:?}, at the spectator {theirs:?}"));
        }
        ours.into_iter().find_map(|id| {
            let (here, there) = (state_at(server, id), state_of(client, id));
            let (parent, its) = (server.ancestors(id).next(), client.ancestors(id).next());
            if here == there && parent == its {
                return None;
            }
            Some(format!(
                "{id}: {here} below {parent:?}, at the spectator {there} below {its:?}"
            ))
        })
    }

    /// Checks that all spectators are equal to the origin, and that no hook ran twice.
    pub(crate) fn check(&self) {
        for (number, spectator) in self.spectators.iter().enumerate() {
            if let Some(difference) = self.difference(number) {
                panic!("spectator {number} at {:?}: {difference}", self.now);
            }
            for identity in spectator.client.identities() {
                if let Some(unit) = spectator.client.get::<Unit>(identity.net_id()) {
                    assert_eq!(unit.wrong_hooks, 0, "spectator {number}");
                    let is_once = unit.booms.is_sorted_by(|a, b| a < b);
                    assert!(is_once || spectator.has_moved, "{:?}", unit.booms);
                }
            }
        }
    }
}

impl Spectator {
    fn take_event(&mut self, event: &ClientEvent) {
        match event {
            ClientEvent::Despawned { .. } => self.despawned += 1,
            ClientEvent::Message(message) => {
                let chat = message.get::<Chat>().map(|chat| chat.text.clone());
                self.chats.extend(chat);
            }
            _ => {}
        }
    }

    fn forget_packets(&mut self) {
        self.up.clear();
        self.down.clear();
    }

    fn receive(&mut self, random: &mut Random, loss: u32) {
        while let Some((channel, unreliable, bytes)) = self.down.pop_front() {
            let client = &mut self.client;
            let server = ConnectionId::SERVER;
            let handled = match unreliable {
                true if random.chance(loss) => Ok(()),
                true => Endpoint::handle_datagram(client, server, channel, &bytes),
                false => Endpoint::handle_packet(client, server, channel, &bytes),
            };
            handled.expect("a valid packet of a relay");
        }
    }
}

fn with_unit<T>(server: &mut NetworkServer, id: NetId, change: impl FnOnce(&mut Unit) -> T) {
    if let Ok(mut unit) = server.get_mut::<Unit>(id) {
        change(&mut unit);
    }
}

/// Returns the state of an object as text.
fn state_at(server: &NetworkServer, id: NetId) -> String {
    let unit = server.get::<Unit>(id).expect("each object has a unit");
    let place = server.get::<Mover>(id).map(|it| (*it.x, *it.y));
    text(*unit.hp, &unit.name, &unit.tags, place)
}

fn state_of(client: &NetworkClient, id: NetId) -> String {
    if let Some(unit) = client.get::<Unit>(id) {
        let place = client.get::<Mover>(id).map(|it| (*it.x, *it.y));
        return text(*unit.hp, &unit.name, &unit.tags, place);
    }
    let field = |behaviour, field| {
        let value = client.value(id, behaviour, field);
        value.map(ToString::to_string).unwrap_or_default()
    };
    let place = client
        .untyped(id, "Mover")
        .map(|_| (field("Mover", "x"), field("Mover", "y")));
    format!(
        "{} {} {} {:?}",
        field("Unit", "hp"),
        field("Unit", "name"),
        field("Unit", "tags"),
        place
    )
}

fn text(hp: i32, name: &str, tags: &[u32], place: Option<(f32, f32)>) -> String {
    use syncvar::untyped::Value;
    let number = |value: f32| Value::from(value).to_string();
    let tags: Vec<Value> = tags.iter().map(|tag| Value::from(*tag)).collect();
    format!(
        "{} {} {} {:?}",
        Value::from(hp),
        Value::from(name),
        Value::from(tags),
        place.map(|(x, y)| (number(x), number(y)))
    )
}

/// Returns the id of an object.
pub(crate) fn net_id(identity: syncvar::NetworkIdentity<'_>) -> NetId {
    identity.net_id()
}
