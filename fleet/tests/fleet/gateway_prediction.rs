//! Predictions of clients of a gateway: inputs reach the zone that steps the object, over borders.

use std::collections::VecDeque;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{ConnectionId, Endpoint, PacketLimits, ServerConfig};
use syncvar_fleet::gateway::{Gateway, GatewayConfig};
use syncvar_fleet::memory::{Faults, MemoryCarrier, MemoryFleet};
use syncvar_fleet::zone::{Regions, VoterId, Zone, ZoneConfig, ZoneId};
use syncvar_fleet::{Carrier, Role};

/// Ticks per second.
const RATE: u32 = 20;
const TICK: Duration = Duration::from_millis(50);
/// Time of a packet between the gateway and its client.
const WAY: Duration = Duration::from_millis(60);

#[derive(SyncValue, Clone, Default)]
struct Move {
    x: f32,
}

#[derive(NetworkBehaviour, Default, Clone)]
#[network_behaviour(send_interval = 0)]
struct Runner {
    #[sync_var(interpolate = linear)]
    x: SyncVar<f32>,
}

fn step(runner: &mut Runner, input: &Move, _tick: u64) {
    runner.x += 0.25 * input.x;
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Runner>("runner").input::<Move>()
}

fn server_config(incarnation: u64) -> ServerConfig {
    ServerConfig {
        incarnation,
        tick_rate: RATE,
        ..ServerConfig::default()
    }
}

/// Packets on their way, with the times of their arrivals.
type Way = VecDeque<(Duration, u8, Vec<u8>)>;

/// Takes the next packet that has arrived.
fn arrived(way: &mut Way, now: Duration) -> Option<(u8, Vec<u8>)> {
    if way.front()?.0 > now {
        return None;
    }
    let (_, channel, bytes) = way.pop_front()?;
    Some((channel, bytes))
}

struct Race {
    fleet: MemoryFleet,
    zones: Vec<(Zone, MemoryCarrier)>,
    gateway: Gateway<MemoryCarrier>,
    client: NetworkClient,
    link: ConnectionId,
    down: Way,
    up: Way,
    now: Duration,
    runner: Option<NetId>,
    /// Steps of the zones without an input of the client.
    missing: u32,
}

impl Race {
    fn new() -> Self {
        let fleet = MemoryFleet::new(1);
        fleet.set_faults(Faults {
            delay: Duration::from_millis(15),
            ..Faults::default()
        });
        let there = fleet.node(Role::Gateway, "");
        let mut zones: Vec<(Zone, MemoryCarrier)> = Vec::new();
        for number in 1..=2 {
            let mut config = ZoneConfig::new(ZoneId(number));
            config.lease = Duration::from_millis(400);
            config.server = server_config(number.into());
            config.voter = Some(VoterId(number));
            config.voters = vec![VoterId(1), VoterId(2)];
            let regions = Regions::new(|server, it| Some([*server.get::<Runner>(it)?.x, 0.0]))
                .region(ZoneId(1), [-100.0, -1.0], [5.0, 1.0])
                .region(ZoneId(2), [5.0, -1.0], [100.0, 1.0])
                .hysteresis(1.0);
            let node = fleet.node(Role::Zone, "");
            fleet.connect(there.id(), node.id());
            if let Some((_, other)) = zones.last() {
                fleet.connect(node.id(), other.id());
            }
            zones.push((Zone::new(config, prefabs, regions).expect("a zone"), node));
        }
        let config = GatewayConfig {
            server: server_config(9),
            ..GatewayConfig::default()
        };
        let mut gateway = Gateway::new(there, config).expect("an incarnation");
        let link = gateway.handle_connect(PacketLimits::STREAM);
        let mut client = NetworkClient::new(prefabs());
        client.handle_connect();
        Self {
            fleet,
            zones,
            gateway,
            client,
            link,
            down: Way::new(),
            up: Way::new(),
            now: Duration::ZERO,
            runner: None,
            missing: 0,
        }
    }

    fn step(&mut self, input: f32) {
        self.now += TICK;
        let now = self.now;
        self.fleet.update(now);
        for place in 0..2 {
            self.run_zone(place);
        }
        self.gateway.update(now);
        while let Some(event) = self.gateway.poll_event() {
            if let ServerEvent::Connected { connection } = event {
                let server = self.gateway.server_mut().expect("a server");
                server.set_player_key(connection, "ann").expect("it");
            }
        }
        while let Some(packet) = self.gateway.poll_transmit() {
            let bytes = packet.to_bytes().to_vec();
            self.down.push_back((now + WAY, packet.channel, bytes));
        }
        self.client.set_input(&Move { x: input }).expect("an input");
        self.client.update(now);
        while let Some((channel, bytes)) = arrived(&mut self.down, now) {
            self.client
                .handle_packet(channel, &bytes)
                .expect("a packet");
        }
        while let Some(packet) = self.client.poll_transmit() {
            let bytes = packet.bytes.to_vec();
            self.up.push_back((now + WAY, packet.channel, bytes));
        }
        while self.gateway.accepts_packets(self.link)
            && let Some((channel, bytes)) = arrived(&mut self.up, now)
        {
            let handled = Endpoint::handle_packet(&mut self.gateway, self.link, channel, &bytes);
            handled.expect("a packet of an honest client");
        }
    }

    fn run_zone(&mut self, place: usize) {
        // The zones have started at different times.
        let now = self.now + Duration::from_millis(12_345) * u32::from(place == 1);
        let (zone, carrier) = &mut self.zones[place];
        zone.receive(carrier, now, &mut ());
        if let Some(server) = zone.server_mut() {
            if place == 0 && self.runner.is_none() {
                let runner = server.spawn(Runner::default());
                server.give_to_player(runner, "ann").expect("it exists");
                self.runner = Some(runner);
            }
            for tick in server.ticks_until(now) {
                let runner = self.runner.filter(|it| server.identity(*it).is_some());
                let Some(runner) = runner else {
                    continue;
                };
                if let Some(owner) = server.owner(runner) {
                    let known = server.input::<Move>(owner, tick);
                    let is_missing = !matches!(known, syncvar::motion::Input::Known(_));
                    self.missing += u32::from(is_missing);
                }
                server.step(runner, tick, step).expect("the runner");
            }
        }
        zone.update(now, &mut ());
        zone.transmit(carrier, now);
    }
}

#[test]
fn a_client_predicts_its_object_over_borders() {
    let mut race = Race::new();
    for _ in 0..100 {
        race.step(0.0);
    }
    let runner = race.runner.expect("the runner");
    assert!(race.client.is_owner(runner));
    race.client.predict(runner, step).expect("a prediction");
    for _ in 0..100 {
        race.step(0.0);
    }
    let corrections = |race: &Race| race.client.prediction_stats().corrections;
    let zone = |race: &Race| race.gateway.zone_of(runner).map_or(0, |zone| zone.0);
    let (before, mut borders) = (corrections(&race), 0);
    let (mut present, mut quiet, mut last) = (1, 0, before);
    race.missing = 0;
    for tick in 0..800_u32 {
        // Turns within a zone, and four walks over the border.
        let is_east = tick / 200 % 2 == 0;
        let speed = if tick % 40 < 8 { -0.5 } else { 0.5 };
        race.step(if is_east { speed } else { -speed });
        if !matches!(zone(&race), 0) && zone(&race) != present {
            (present, borders) = (zone(&race), borders + 1);
            quiet = 0;
        }
        quiet += 1;
        // A handover has no step for a tick or two: the client is ahead by them.
        if quiet > 20 {
            assert_eq!(corrections(&race), last, "no correction apart from borders");
        }
        last = corrections(&race);
    }
    assert!(borders >= 3, "{borders} borders");
    assert_eq!(race.missing, 0, "each step has the input of its tick");
    let steps = race.client.prediction_stats().steps;
    assert!(steps >= 800, "{steps} predicted steps");
    let predicted = *race.client.predicted::<Runner>(runner).expect("it").x;
    let known = *race.client.get::<Runner>(runner).expect("it").x;
    assert!((predicted - known).abs() < 4.0);
    println!("{borders} borders, {} corrections", last - before);
}
