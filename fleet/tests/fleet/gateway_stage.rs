//! `GatewayStage`: zones with a gateway and its clients in virtual time, with an oracle.
//!
//! The oracle knows the promises of the section "Gateway" of the guide: no object ends on a client while it exists in the world, hooks run
//! once for each change, each command runs once, and a client is equal to the union of the zones.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use syncvar::NetworkIdentity;
use syncvar::join::Payload;
use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar::{Channel, ConnectionId, Endpoint, PacketLimits, ServerConfig};
use syncvar_fleet::gateway::{Gateway, GatewayConfig};
use syncvar_fleet::memory::MemoryCarrier;
use syncvar_fleet::{Carrier, Role};

use crate::zone_stage::ZoneStage;
use crate::zone_world::{Pulse, Walker, prefabs};

/// Returns tokens that no run repeats.
fn token() -> [u8; 16] {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut token = [0; 16];
    token[..8].copy_from_slice(&number.to_le_bytes());
    token
}

/// Starts a gateway that reaches all processes.
fn gateway(stage: &mut ZoneStage, incarnation: u64, hold: Duration) -> Gateway<MemoryCarrier> {
    let carrier = stage.fleet.node(Role::Gateway, "");
    stage.guests.push(carrier.id());
    for process in &stage.processes {
        stage.fleet.connect(carrier.id(), process.carrier.id());
    }
    let server = ServerConfig {
        incarnation,
        reconnect_grace: Duration::from_secs(10),
        session_tokens: Some(token),
        ..ServerConfig::default()
    };
    let config = GatewayConfig {
        server,
        hold,
        ..GatewayConfig::default()
    };
    Gateway::new(carrier, config).expect("an incarnation")
}

/// Client of the gateway.
pub(crate) struct Player {
    pub(crate) client: NetworkClient,
    /// Its walker.
    pub(crate) own: NetId,
    /// Number of its last call.
    pub(crate) called: u32,
    link: Option<ConnectionId>,
    /// Objects that have ended on the client.
    pub(crate) despawned: Vec<NetId>,
    /// Objects that it has had.
    pub(crate) known: BTreeSet<NetId>,
    /// Largest step of its own walker.
    pub(crate) largest_step: f32,
    last: Option<f32>,
}

pub(crate) struct GatewayStage {
    pub(crate) zones: ZoneStage,
    pub(crate) gateway: Gateway<MemoryCarrier>,
    pub(crate) players: Vec<Player>,
    pub(crate) is_stalled: bool,
    /// Share of lost datagrams of the clients, in 1000.
    pub(crate) datagram_loss: u32,
    random: Random,
}

impl GatewayStage {
    /// Starts zones with walkers, and a gateway. A zone may be without a process for the whole of a schedule.
    pub(crate) fn new(seed: u64, zones: u32, walkers: u16) -> Self {
        Self::with_hold(seed, zones, walkers, Duration::from_mins(2))
    }

    /// Starts zones with walkers, and a gateway that keeps objects without a zone for a time.
    pub(crate) fn with_hold(seed: u64, zones: u32, walkers: u16, hold: Duration) -> Self {
        let mut stage = ZoneStage::new(seed, zones);
        let gateway = gateway(&mut stage, seed + 1000, hold);
        let mut stage = Self {
            zones: stage,
            gateway,
            players: Vec::new(),
            is_stalled: false,
            datagram_loss: 0,
            random: Random::new(seed),
        };
        stage.run(40);
        for place in 0..zones as usize {
            stage.zones.spawn(place, walkers);
        }
        stage.run(40);
        stage
    }

    /// Adds a client that is the player of a walker.
    pub(crate) fn join(&mut self, own: NetId) -> usize {
        let mut client = NetworkClient::new(prefabs());
        let key = format!("player {own}");
        client.set_join_payload(Payload::of(&key).expect("a short text"));
        self.players.push(Player {
            client,
            own,
            called: 0,
            link: None,
            despawned: Vec::new(),
            known: BTreeSet::new(),
            largest_step: 0.0,
            last: None,
        });
        let place = self.players.len() - 1;
        self.connect(place);
        place
    }

    /// Gives a client a link, also after the loss of the former one.
    pub(crate) fn connect(&mut self, place: usize) {
        let player = &mut self.players[place];
        let limits = PacketLimits {
            datagrams: true,
            ..PacketLimits::STREAM
        };
        player.link = Some(self.gateway.handle_connect(limits));
        Endpoint::handle_connect(&mut player.client, limits);
    }

    /// Ends the process of the gateway. The clients join a second one.
    pub(crate) fn replace_gateway(&mut self) {
        self.zones.fleet.crash(self.gateway.carrier().id());
        self.gateway = gateway(&mut self.zones, 2000, Duration::from_mins(2));
        for place in 0..self.players.len() {
            let player = &mut self.players[place];
            player.link = None;
            player.client.handle_disconnect();
            self.connect(place);
        }
    }

    /// Takes the link of a client.
    pub(crate) fn cut(&mut self, place: usize) {
        let player = &mut self.players[place];
        if let Some(link) = player.link.take() {
            Endpoint::handle_disconnect(&mut self.gateway, link);
            player.client.handle_disconnect();
        }
    }

    pub(crate) fn is_linked(&self, place: usize) -> bool {
        self.players[place].link.is_some()
    }

    /// Calls the own walker of a client.
    pub(crate) fn call(&mut self, place: usize) {
        let player = &mut self.players[place];
        let own = player.own;
        let sent = player.client.calls::<Walker>(own).call(player.called + 1);
        if sent.is_ok() {
            player.called += 1;
        }
    }

    pub(crate) fn run(&mut self, ticks: u32) {
        for _ in 0..ticks {
            self.step();
        }
    }

    pub(crate) fn step(&mut self) {
        self.step_and_tear(None);
    }

    pub(crate) fn step_and_tear(&mut self, torn: Option<usize>) {
        self.zones.step_and_tear(torn);
        if !self.is_stalled {
            self.serve();
        }
    }

    /// Stops the process of the gateway, or continues it.
    pub(crate) fn stall(&mut self, is_stalled: bool) {
        self.is_stalled = is_stalled;
        self.zones
            .fleet
            .stall(self.gateway.carrier().id(), is_stalled);
    }

    /// Runs the gateway and its clients for a tick.
    fn serve(&mut self) {
        let now = self.zones.now;
        self.gateway.update(now);
        while let Some(event) = self.gateway.poll_event() {
            let server = self.gateway.server_mut().expect("a server with events");
            if let ServerEvent::Connected { connection } = event {
                let key: String = { server.join_payload(connection) }
                    .and_then(|payload| payload.decode().ok())
                    .expect("a key");
                server
                    .set_player_key(connection, key)
                    .expect("a connection");
            }
        }
        let mut packets = Vec::new();
        while let Some(packet) = self.gateway.poll_transmit() {
            let unreliable = packet.delivery == Channel::Unreliable;
            if !unreliable || !self.random.chance(self.datagram_loss) {
                let (link, channel) = (packet.connection, packet.channel);
                packets.push((link, channel, unreliable, packet.to_bytes()));
            }
        }
        for player in &mut self.players {
            player.client.update(now);
            let mine = packets
                .iter()
                .filter(|(link, ..)| Some(*link) == player.link);
            for (_, channel, unreliable, bytes) in mine {
                let (client, server) = (&mut player.client, ConnectionId::SERVER);
                let handled = match unreliable {
                    true => Endpoint::handle_datagram(client, server, *channel, bytes),
                    false => Endpoint::handle_packet(client, server, *channel, bytes),
                };
                handled.expect("a packet");
            }
            player.take_events();
        }
        for player in &mut self.players {
            let Some(link) = player.link else {
                continue;
            };
            while self.gateway.accepts_packets(link)
                && let Some(packet) = Endpoint::poll_transmit(&mut player.client)
            {
                let unreliable = packet.delivery == Channel::Unreliable;
                let (gateway, channel) = (&mut self.gateway, packet.channel);
                let handled = match unreliable {
                    true if self.random.chance(self.datagram_loss) => Ok(()),
                    true => gateway.handle_datagram(link, channel, &packet.to_bytes()),
                    false => gateway.handle_packet(link, channel, &packet.to_bytes()),
                };
                handled.expect("a packet of an honest client");
            }
        }
        while let Some(link) = self.gateway.poll_close() {
            for player in self.players.iter_mut().filter(|it| it.link == Some(link)) {
                player.link = None;
                player.client.handle_disconnect();
            }
        }
    }

    /// Checks the promises for a fleet at rest.
    pub(crate) fn check(&mut self) {
        for known in self.zones.objects.values_mut() {
            known.direction = 0.0;
        }
        self.run(120);
        self.zones.check();
        self.run(60);
        assert_eq!(
            self.gateway.pending_commands(),
            0,
            "all commands are acknowledged"
        );
        for player in &self.players {
            self.check_player(player);
        }
    }

    fn check_player(&self, player: &Player) {
        assert_eq!(player.despawned, [], "no object has ended on the client");
        let here: Vec<NetId> = { player.client.identities() }
            .map(NetworkIdentity::net_id)
            .collect();
        let world: Vec<NetId> = self.zones.objects.keys().copied().collect();
        assert_eq!(here, world, "the client has the objects of all zones");
        for object in world {
            let process = self.zones.real(object).expect("a real object");
            let real = process.zone.server().get::<Walker>(object).expect("it");
            let seen = player.client.get::<Walker>(object).expect("it");
            assert_eq!(seen.x.to_bits(), real.x.to_bits(), "{object}");
            let newest = *seen.writes / 8 * 8;
            let trail = (0..4).rev().filter_map(|it| newest.checked_sub(8 * it));
            let trail: Vec<u32> = trail.filter(|it| *it > 0).collect();
            assert_eq!(seen.trail[..], trail, "{object} at write {}", *seen.writes);
            assert_eq!(
                seen.wrong_hooks, 0,
                "hooks of {object} run once for a change"
            );
            assert_eq!(
                *seen.wrong_calls, 0,
                "calls of {object} in order, each once"
            );
            let behind = *real.writes - *seen.writes;
            assert!(behind <= 8, "{object} is {behind} ticks behind");
            let pulse = player.client.get::<Pulse>(object).expect("it");
            let behind = *real.writes - *pulse.beats;
            assert!(
                behind <= 8,
                "the datagrams of {object}: {behind} ticks behind"
            );
            assert_eq!(pulse.wrong_hooks, 0, "no value of {object} goes back");
            assert_eq!(self.gateway.zone_of(object), Some(process.zone.id()));
            let is_own = object == player.own;
            let owner = player.client.is_owner(object);
            assert_eq!(owner, is_own, "the owner of {object}");
            let secret = if is_own { *real.secret } else { 0 };
            assert_eq!(*seen.secret, secret, "a field of the owner of {object}");
            if is_own {
                assert_eq!(
                    *real.calls, player.called,
                    "each call of {object} runs once"
                );
                assert_eq!(*seen.calls, player.called, "a field of the owner");
            }
        }
    }
}

impl Player {
    fn take_events(&mut self) {
        while let Some(event) = self.client.poll_event() {
            match event {
                ClientEvent::Spawned { object } => {
                    self.known.insert(object);
                }
                ClientEvent::Despawned { object, .. } => self.despawned.push(object),
                ClientEvent::Poisoned { .. } => panic!("{event:?}"),
                _ => {}
            }
        }
        let x = self.client.get::<Walker>(self.own).map(|walker| *walker.x);
        if let (Some(last), Some(x)) = (self.last, x) {
            self.largest_step = self.largest_step.max((x - last).abs());
        }
        self.last = x;
    }
}
