//! Short schedules: updates and packets in an order that links seldom produce.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use syncvar::NetworkBehaviour;
use syncvar::interest::Tag;
use syncvar::prelude::*;
use syncvar::testing::{Conditions, Random, compare_replicas};
use syncvar::{Channel, ClientConfig, Endpoint, PacketLimits, ServerConfig};

/// Time of a tick, rounded up.
const TICK: Duration = Duration::from_nanos(33_333_334);

/// Channel and bytes of a packet.
type Packet = (u8, Bytes);

/// A server with one client on a link with datagrams, whose packets the test delivers.
struct Link {
    server: NetworkServer,
    client: NetworkClient,
    connection: ConnectionId,
    now: Duration,
    stream: VecDeque<Packet>,
    datagrams: VecDeque<Packet>,
}

impl Link {
    /// Returns a link whose client has joined.
    fn new(prefabs: impl Fn() -> Prefabs, config: ServerConfig) -> Self {
        Self::with_datagrams(prefabs, config, 16 * 1024)
    }

    /// Returns a link with datagrams of this size.
    fn with_datagrams(
        prefabs: impl Fn() -> Prefabs,
        config: ServerConfig,
        max_unreliable: usize,
    ) -> Self {
        let limits = PacketLimits {
            datagrams: true,
            max_unreliable,
            ..PacketLimits::STREAM
        };
        let mut server = NetworkServer::with_config(prefabs(), config);
        let mut client = NetworkClient::with_config(prefabs(), ClientConfig::default());
        Endpoint::handle_connect(&mut client, limits);
        let connection = Endpoint::handle_connect(&mut server, limits);
        let mut link = Self {
            server,
            client,
            connection,
            now: Duration::ZERO,
            stream: VecDeque::new(),
            datagrams: VecDeque::new(),
        };
        link.settle();
        link
    }

    /// Updates the server in the next tick. Its packets wait.
    fn tick(&mut self) {
        self.now += TICK;
        self.server.update(self.now);
    }

    /// Updates the server once more in the same tick.
    fn tick_again(&mut self) {
        self.now += Duration::from_micros(100);
        self.server.update(self.now);
    }

    /// Takes the packets of the server.
    fn poll(&mut self) {
        while let Some(packet) = self.server.poll_transmit() {
            let queue = match packet.delivery {
                Channel::Reliable => &mut self.stream,
                Channel::Unreliable => &mut self.datagrams,
            };
            queue.push_back((packet.channel, packet.to_bytes()));
        }
    }

    /// Delivers the next packets of the stream.
    fn deliver_stream(&mut self, count: usize) {
        for (channel, bytes) in self.stream.drain(..count) {
            self.client.handle_packet(channel, &bytes).unwrap();
        }
    }

    /// Delivers the next datagrams.
    fn deliver_datagrams(&mut self, count: usize) {
        for (channel, bytes) in self.datagrams.drain(..count) {
            self.client.handle_datagram(channel, &bytes).unwrap();
        }
    }

    /// Delivers all packets of the server: the stream first.
    fn deliver(&mut self) {
        self.poll();
        self.deliver_stream(self.stream.len());
        self.deliver_datagrams(self.datagrams.len());
    }

    /// Updates the client, and delivers its packets.
    fn answer(&mut self) {
        self.client.update(self.now);
        while let Some(packet) = self.client.poll_transmit() {
            let (connection, channel) = (self.connection, packet.channel);
            let handled = match packet.delivery {
                Channel::Reliable => {
                    { &mut self.server }.handle_packet(connection, channel, &packet.bytes)
                }
                Channel::Unreliable => {
                    { &mut self.server }.handle_datagram(connection, channel, &packet.bytes)
                }
            };
            handled.unwrap();
        }
    }

    /// Runs ticks without losses.
    fn settle(&mut self) {
        for _ in 0..20 {
            self.tick();
            self.deliver();
            self.answer();
        }
    }

    /// Asserts that the client has the state of the server, and nothing that it may not read.
    #[track_caller]
    fn assert_equal(&mut self) {
        let found = compare_replicas(&mut self.server, self.connection, &mut self.client);
        let found: Vec<_> = found.iter().map(ToString::to_string).collect();
        assert!(found.is_empty(), "{found:#?}");
    }

    /// Returns the reports of ticks since the last call: number, and whether it is complete.
    fn ticks(&mut self) -> Vec<(u64, bool)> {
        let events = std::iter::from_fn(|| self.client.poll_event());
        let ticks = events.filter_map(|event| match event {
            ClientEvent::Tick { tick, complete, .. } => Some((tick, complete)),
            _ => None,
        });
        ticks.collect()
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Tank {
    #[sync_var]
    heading: SyncVar<u32>,
    #[sync_var(read = group)]
    order: SyncVar<u32>,
    #[sync_var(read = owner)]
    fuel: SyncVar<u32>,
}

fn tanks() -> Prefabs {
    Prefabs::new().register::<Tank>("tank")
}

/// Writes all fields of a tank.
fn drive(link: &mut Link, id: NetId, value: u32) {
    let mut tank = link.server.get_mut::<Tank>(id).unwrap();
    tank.heading.set(value);
    tank.order.set(value);
    tank.fuel.set(value);
}

#[test]
fn late_datagrams_return_no_private_fields() {
    const RED: Tag = Tag(1);
    let own = |link: &mut Link, id, owned: bool| {
        let owner = owned.then_some(link.connection);
        link.server.set_owner(id, owner).unwrap();
    };
    let group = |link: &mut Link, id, joins: bool| {
        link.server.set_group(id, joins.then_some(RED)).unwrap();
    };
    let roles: [fn(&mut Link, NetId, bool); 2] = [own, group];
    for set_role in roles {
        for delivers_first in [false, true] {
            let mut link = Link::new(tanks, ServerConfig::default());
            link.server.join_group(link.connection, RED).unwrap();
            let id = link.server.spawn(Tank::default());
            set_role(&mut link, id, true);
            link.settle();
            drive(&mut link, id, 7);
            link.tick();
            if delivers_first {
                // The datagram is under way.
                link.poll();
            }
            set_role(&mut link, id, false);
            link.tick_again();
            link.deliver();
            link.answer();
            link.settle();
            link.assert_equal();
            let tank = link.client.get::<Tank>(id).unwrap();
            assert_eq!((*tank.heading, *tank.order, *tank.fuel), (7, 0, 0));
        }
    }
}

/// Object whose hook notes its values.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Rival {
    #[sync_var(read = others, hook = on_aim)]
    aim: SyncVar<u32>,
    seen: Vec<(u32, u32)>,
}

impl Rival {
    fn on_aim(&mut self, previous: u32) {
        self.seen.push((previous, *self.aim));
    }
}

/// Object on a reliable channel.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Door {
    #[sync_var(hook = on_opened)]
    opened: SyncVar<u32>,
    seen: Vec<(u32, u32)>,
}

impl Door {
    fn on_opened(&mut self, previous: u32) {
        self.seen.push((previous, *self.opened));
    }
}

fn rivals() -> Prefabs {
    let prefabs = Prefabs::new().register::<Rival>("rival");
    prefabs.register::<Door>("door")
}

#[test]
fn held_datagrams_of_two_ticks_run_their_hooks_apart() {
    let mut link = Link::new(rivals, ServerConfig::default());
    let id = link.server.spawn(Rival::default());
    let door = link.server.spawn(Door::default());
    link.settle();
    // The datagrams overtake the packet of the door.
    link.server.get_mut::<Door>(door).unwrap().opened.set(1);
    for aim in [11, 12] {
        link.server.get_mut::<Rival>(id).unwrap().aim.set(aim);
        link.tick();
        link.poll();
    }
    link.deliver_datagrams(2);
    // The datagrams wait no longer for the other packets of their ticks.
    link.client.update(link.now + 2 * TICK);
    assert_eq!(link.client.get::<Rival>(id).unwrap().aim, 0);
    link.deliver_stream(1);
    let rival = link.client.get::<Rival>(id).unwrap();
    assert_eq!(rival.seen, [(0, 11), (11, 12)]);
}

#[test]
fn two_updates_of_a_tick_run_the_hooks_of_both() {
    let mut link = Link::new(rivals, ServerConfig::default());
    let id = link.server.spawn(Rival::default());
    let door = link.server.spawn(Door::default());
    link.settle();
    for polls in [false, true] {
        let before = *link.server.get::<Door>(door).unwrap().opened;
        link.client.get_mut::<Door>(door).unwrap().seen.clear();
        link.server
            .get_mut::<Rival>(id)
            .unwrap()
            .aim
            .set(before + 1);
        link.server
            .get_mut::<Door>(door)
            .unwrap()
            .opened
            .set(before + 1);
        link.tick();
        if polls {
            link.poll();
        }
        link.server
            .get_mut::<Door>(door)
            .unwrap()
            .opened
            .set(before + 2);
        link.tick_again();
        link.deliver();
        link.answer();
        let door = link.client.get::<Door>(door).unwrap();
        assert_eq!(door.seen, [(before, before + 1), (before + 1, before + 2)]);
    }
}

/// Object that explodes.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Mine {
    #[sync_var]
    health: SyncVar<u32>,
    /// Values of the calls, and those of the field at that time.
    exploded: Vec<(u32, u32)>,
}

#[network_calls]
impl Mine {
    #[client_rpc(after_state)]
    fn explode(&mut self, health: u32) {
        self.exploded.push((health, *self.health));
    }
}

fn mines() -> Prefabs {
    let prefabs = Prefabs::new().register::<Mine>("mine");
    prefabs.register::<Door>("door")
}

/// Writes the health of a mine, and calls it.
fn explode(server: &mut NetworkServer, id: NetId, health: u32) {
    server.get_mut::<Mine>(id).unwrap().health.set(health);
    server.calls::<Mine>(id).explode(health).unwrap();
}

#[test]
fn call_after_state_of_a_second_update_sees_it() {
    let mut link = Link::new(mines, ServerConfig::default());
    let id = link.server.spawn(Mine::default());
    link.settle();
    link.server.get_mut::<Mine>(id).unwrap().health.set(1);
    link.tick();
    link.deliver();
    explode(&mut link.server, id, 2);
    link.tick_again();
    link.deliver();
    // Between two updates, before the transport polls.
    explode(&mut link.server, id, 3);
    link.deliver();
    link.settle();
    let mine = link.client.get::<Mine>(id).unwrap();
    assert_eq!(mine.exploded, [(2, 3), (3, 3)]);
}

#[test]
fn tick_behind_a_lost_datagram_is_not_complete() {
    let mut link = Link::new(mines, ServerConfig::default());
    let id = link.server.spawn(Mine::default());
    let door = link.server.spawn(Door::default());
    link.settle();
    assert!(link.ticks().last().unwrap().1);
    // The last datagram is lost, and a tick on the stream follows.
    link.server.get_mut::<Mine>(id).unwrap().health.set(5);
    link.tick();
    link.poll();
    link.datagrams.clear();
    link.server.get_mut::<Door>(door).unwrap().opened.set(1);
    link.tick();
    link.deliver();
    link.answer();
    assert_eq!(link.client.get::<Door>(door).unwrap().opened, 1);
    let behind = link.ticks();
    assert_eq!(behind.len(), 1);
    assert!(!behind[0].1, "{behind:?}");
    let mut is_complete = false;
    for _ in 0..20 {
        link.tick();
        link.deliver();
        link.answer();
        let health = *link.client.get::<Mine>(id).unwrap().health;
        is_complete |= link.ticks().iter().any(|(_, complete)| *complete);
        assert!(health == 5 || !is_complete, "complete without the health");
    }
    assert!(is_complete, "the repair completes a tick");
}

/// A server to whose sessions a client returns after a lost link.
fn with_sessions() -> ServerConfig {
    fn token() -> [u8; 16] {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        u128::from(NEXT.fetch_add(1, Ordering::Relaxed)).to_le_bytes()
    }
    ServerConfig {
        reconnect_grace: Duration::from_mins(1),
        session_tokens: Some(token),
        ..ServerConfig::default()
    }
}

#[test]
fn complete_ticks_have_all_changes_up_to_them() {
    for (seed, loss) in (0..12).zip([0.0, 0.05, 0.1].into_iter().cycle()) {
        let conditions = Conditions {
            delay: Duration::from_millis(40),
            jitter: Duration::from_millis(30),
            loss,
            seed,
            ..Conditions::default()
        };
        let mut net = MemoryNetwork::with_config(mines, with_sessions(), conditions);
        net.datagrams = true;
        net.tick = Duration::from_millis(16);
        net.connect();
        net.settle();
        let id = net.server.spawn(Mine::default());
        let door = net.server.spawn(Door::default());
        net.settle();
        while net.client_mut(0).poll_event().is_some() {}
        let mut random = Random::new(seed);
        // Value of each tick: the health of the last frame.
        let mut framed = Vec::new();
        let (mut complete_ticks, mut exploded) = (0, 0);
        for step in 1..400_u32 {
            match step % 100 {
                20 => net.cut(0),
                25 => net.reconnect(0),
                _ => {}
            }
            if random.chance(200) {
                net.server.get_mut::<Mine>(id).unwrap().health.set(step);
            }
            if random.chance(200) {
                net.server.get_mut::<Door>(door).unwrap().opened.set(step);
            }
            if random.chance(50) {
                explode(&mut net.server, id, step);
            }
            net.step();
            let tick = net.server.network_time().tick;
            let mine = net.server.get::<Mine>(id).unwrap();
            if mine.sync_var_dirty_bits() == 0 {
                framed.push((tick, *mine.health));
            }
            let health = *net.client(0).get::<Mine>(id).unwrap().health;
            while let Some(event) = net.client_mut(0).poll_event() {
                if let ClientEvent::Tick {
                    tick,
                    complete: true,
                    ..
                } = event
                {
                    let up_to = framed.partition_point(|(at, _)| *at <= tick);
                    let of_tick = framed[..up_to].last().map_or(0, |(_, health)| *health);
                    assert!(
                        health >= of_tick,
                        "seed {seed}: tick {tick} lacks {of_tick}"
                    );
                    complete_ticks += 1;
                }
            }
            let mine = net.client(0).get::<Mine>(id).unwrap();
            for (called, seen) in &mine.exploded[exploded..] {
                // A call waits for its state for a second.
                let is_overdue = step - called >= 62;
                assert!(
                    seen >= called || is_overdue,
                    "seed {seed}: {called} before its state"
                );
            }
            exploded = mine.exploded.len();
        }
        assert!(complete_ticks > 5, "seed {seed}: {complete_ticks}");
        net.settle();
        assert!(exploded > 5, "seed {seed}");
        net.assert_replicas_equal();
    }
}

/// Object that its owner moves.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Cart {
    #[sync_var(write = owner)]
    x: SyncVar<u32>,
}

#[test]
fn both_ends_do_without_datagrams_that_are_too_small() {
    let carts = || Prefabs::new().register::<Cart>("cart");
    for (size, has_datagrams) in [(600, false), (1_123, false), (1_124, true)] {
        let mut link = Link::with_datagrams(carts, ServerConfig::default(), size);
        let id = link.server.spawn(Cart::default());
        link.server.set_owner(id, Some(link.connection)).unwrap();
        link.settle();
        link.client.get_mut::<Cart>(id).unwrap().x.set(7);
        link.settle();
        assert_eq!(link.server.get::<Cart>(id).unwrap().x, 7, "{size}");
        let losses = link.server.losses(link.connection).unwrap();
        let on_client = link.client.losses();
        assert_eq!(
            (losses.is_some(), on_client.is_some()),
            (has_datagrams, has_datagrams),
            "{size}"
        );
    }
}

/// Object whose changes are sent twice.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable, redundancy = 1)]
struct Beacon {
    #[sync_var(hook = on_light)]
    light: SyncVar<u32>,
    #[sync_var(batch_hook = on_colours)]
    colours: SyncList<u32>,
    /// Runs of both hooks.
    hooks: [u32; 2],
}

impl Beacon {
    fn on_light(&mut self, _previous: u32) {
        self.hooks[0] += 1;
    }

    fn on_colours(&mut self, _changes: &[ListChange<u32>]) {
        self.hooks[1] += 1;
    }
}

fn beacons() -> Prefabs {
    let prefabs = Prefabs::new().register::<Beacon>("beacon");
    prefabs.register::<Mine>("mine")
}

/// Returns the lights that the client reports for the next ticks, in each of which a datagram with another change
/// carries the copy of the one before.
fn reported_lights(
    link: &mut Link,
    (beacon, mine): (NetId, NetId),
    is_lost: [bool; 3],
) -> Vec<u32> {
    let mut lights = Vec::new();
    for is_lost in is_lost {
        let health = *link.server.get::<Mine>(mine).unwrap().health + 1;
        link.server
            .get_mut::<Mine>(mine)
            .unwrap()
            .health
            .set(health);
        link.tick();
        link.poll();
        assert_eq!(link.datagrams.len(), 1);
        if is_lost {
            link.datagrams.clear();
        }
        link.deliver();
        link.client.update(link.now);
        while let Some(event) = link.client.poll_event() {
            if event.changed::<Beacon>().is_some() {
                lights.push(*link.client.get::<Beacon>(beacon).unwrap().light);
            }
        }
    }
    lights
}

#[test]
fn copies_of_a_held_value_report_nothing() {
    let mut link = Link::new(beacons, ServerConfig::default());
    let beacon = link.server.spawn(Beacon::default());
    let mine = link.server.spawn(Mine::default());
    link.settle();
    while link.client.poll_event().is_some() {}
    let cases = [
        [false, false, false],
        [true, false, false],
        [false, true, false],
    ];
    for (light, is_lost) in (1..).zip(cases) {
        let before = link.client.get::<Beacon>(beacon).unwrap().hooks;
        link.server
            .get_mut::<Beacon>(beacon)
            .unwrap()
            .light
            .set(light);
        link.server
            .get_mut::<Beacon>(beacon)
            .unwrap()
            .colours
            .push(light);
        let lights = reported_lights(&mut link, (beacon, mine), is_lost);
        assert_eq!(lights, [light], "{is_lost:?}");
        let hooks = link.client.get::<Beacon>(beacon).unwrap().hooks;
        assert_eq!(hooks, before.map(|runs| runs + 1), "{is_lost:?}");
        link.settle();
    }
}

#[test]
fn lost_copies_are_repaired_when_records_end_early() {
    // Records are removed every eighth tick.
    for phase in 0..8 {
        let mut config = ServerConfig::default();
        config.loss.record_ticks = 1;
        config.loss.record_time = Duration::ZERO;
        let mut link = Link::new(beacons, config);
        let id = link.server.spawn(Beacon::default());
        let mine = link.server.spawn(Mine::default());
        link.settle();
        (0..phase).for_each(|_| link.tick());
        link.deliver();
        link.server.get_mut::<Beacon>(id).unwrap().light.set(1);
        for health in 1..3 {
            // The copy travels with another change.
            link.server
                .get_mut::<Mine>(mine)
                .unwrap()
                .health
                .set(health);
            link.tick();
            link.poll();
            assert_eq!(
                link.datagrams.drain(..).len(),
                1,
                "the change and its copy are lost"
            );
            link.deliver();
        }
        link.settle();
        assert_eq!(link.client.get::<Beacon>(id).unwrap().light, 1, "{phase}");
    }
}

#[test]
fn fields_are_repaired_with_a_short_ring_and_returns() {
    for seed in 0..40 {
        let conditions = Conditions {
            delay: Duration::from_millis(60),
            jitter: Duration::from_millis(60),
            loss: 0.3,
            seed,
            ..Conditions::default()
        };
        let mut config = with_sessions();
        config.loss.ring = 6;
        config.loss.record_ticks = 20;
        config.loss.record_time = Duration::ZERO;
        let mut net = MemoryNetwork::with_config(beacons, config, conditions);
        net.datagrams = true;
        (0..2).for_each(|_| _ = net.connect());
        net.settle();
        let mut ids = Vec::new();
        for _ in 0..4 {
            ids.push(net.server.spawn(Beacon::default()));
            ids.push(net.server.spawn(Mine::default()));
        }
        net.settle();
        let mut random = Random::new(seed);
        for step in 1..150_u32 {
            for id in &ids {
                if random.chance(150) {
                    if let Ok(mut beacon) = net.server.get_mut::<Beacon>(*id) {
                        beacon.light.set(step);
                    } else {
                        net.server.get_mut::<Mine>(*id).unwrap().health.set(step);
                    }
                }
            }
            match random.below(40) {
                0 => net.cut(0),
                1 | 2 => net.reconnect(0),
                _ => {}
            }
            net.step();
        }
        net.reconnect(0);
        net.settle();
        net.assert_replicas_equal();
    }
}

#[test]
fn farewell_may_cross_the_answer_of_the_server() {
    let mut server = NetworkServer::new(mines());
    let mut client = NetworkClient::new(mines());
    Endpoint::handle_connect(&mut client, PacketLimits::STREAM);
    let connection = Endpoint::handle_connect(&mut server, PacketLimits::STREAM);
    client.update(Duration::ZERO);
    let send = |client: &mut NetworkClient, server: &mut NetworkServer| {
        while let Some(packet) = client.poll_transmit() {
            server
                .handle_packet(connection, packet.channel, &packet.bytes)
                .unwrap();
        }
    };
    send(&mut client, &mut server);
    server.update(Duration::ZERO);
    while server.poll_transmit().is_some() {}
    // The answer is under way.
    client.disconnect("changed my mind");
    send(&mut client, &mut server);
    let events: Vec<_> = std::iter::from_fn(|| server.poll_event()).collect();
    let misbehaved = |event: &ServerEvent| matches!(event, ServerEvent::Misbehaved { .. });
    assert!(!events.iter().any(misbehaved), "{events:?}");
    assert!(!server.is_connected(connection));
}

#[test]
fn new_burst_ends_a_forged_tick() {
    for forged in [1_u32 << 16, 1 << 20, 1 << 30] {
        let mut link = Link::new(mines, ServerConfig::default());
        let id = link.server.spawn(Mine::default());
        link.settle();
        link.server.get_mut::<Mine>(id).unwrap().health.set(5);
        link.tick();
        link.poll();
        let (channel, bytes) = link.datagrams.pop_front().unwrap();
        assert_eq!(bytes[0] & 0x03, 0x01, "a short tick");
        let tick = u32::from(u16::from_le_bytes([bytes[3], bytes[4]])) + forged;
        let wide = [
            &[bytes[0] | 0x02, bytes[1], bytes[2]][..],
            &tick.to_le_bytes(),
            &bytes[5..],
        ];
        link.client
            .handle_datagram(channel, &wide.concat())
            .unwrap();
        link.server.get_mut::<Mine>(id).unwrap().health.set(6);
        link.settle();

        link.server.set_not_ready(link.connection);
        link.settle();
        link.server.get_mut::<Mine>(id).unwrap().health.set(8);
        link.server.set_ready(link.connection);
        link.settle();
        assert_eq!(link.client.get::<Mine>(id).unwrap().health, 8, "{forged}");
        link.ticks();
        link.server.get_mut::<Mine>(id).unwrap().health.set(7);
        link.settle();
        assert_eq!(link.client.get::<Mine>(id).unwrap().health, 7, "{forged}");
        let (tick, is_complete) = link.ticks().pop().expect("a report");
        assert!(is_complete && tick <= link.server.network_time().tick);
    }
}
