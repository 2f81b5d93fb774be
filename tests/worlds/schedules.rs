//! Short schedules: updates and packets in an order that links seldom produce.

use std::time::Duration;

use syncvar::NetworkBehaviour;
use syncvar::interest::Tag;
use syncvar::prelude::*;
use syncvar::testing::{Conditions, Random};
use syncvar::{ClientConfig, Endpoint, PacketLimits, ServerConfig};
use syncvar_testing::{DATAGRAMS, Packet, Pair, token};

/// Returns a pair with datagrams that updates at 30 Hz.
fn joined(prefabs: impl Fn() -> Prefabs, config: ServerConfig) -> Pair {
    let mut pair = Pair::joined(prefabs, config, ClientConfig::default(), DATAGRAMS);
    pair.tick = Duration::from_nanos(33_333_334);
    settle(&mut pair);
    pair
}

/// Runs ticks without losses.
fn settle(pair: &mut Pair) {
    for _ in 0..20 {
        pair.update_server();
        pair.release_all();
        pair.up();
    }
}

/// Removes and returns the reports of ticks: number, and whether it is complete.
fn ticks(pair: &mut Pair) -> Vec<(u64, bool)> {
    let events = std::iter::from_fn(|| pair.client.poll_event());
    let ticks = events.filter_map(|event| match event {
        ClientEvent::Tick { tick, complete, .. } => Some((tick, complete)),
        _ => None,
    });
    ticks.collect()
}

#[test]
fn late_datagrams_return_no_private_fields() {
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

    const RED: Tag = Tag(1);
    let own = |pair: &mut Pair, id, owned: bool| {
        let owner = owned.then_some(pair.connection);
        pair.server.set_owner(id, owner).unwrap();
    };
    let group = |pair: &mut Pair, id, joins: bool| {
        pair.server.set_group(id, joins.then_some(RED)).unwrap();
    };
    let roles: [fn(&mut Pair, NetId, bool); 2] = [own, group];
    for set_role in roles {
        for delivers_first in [false, true] {
            let mut pair = joined(tanks, ServerConfig::default());
            pair.server.join_group(pair.connection, RED).unwrap();
            let id = pair.server.spawn(Tank::default());
            set_role(&mut pair, id, true);
            settle(&mut pair);
            drive(&mut pair, id, 7);
            pair.update_server();
            if delivers_first {
                // The datagram is under way.
                pair.poll();
            }
            set_role(&mut pair, id, false);
            pair.update_server_again();
            pair.release_all();
            pair.up();
            settle(&mut pair);
            pair.assert_equal();
            let tank = pair.client.get::<Tank>(id).unwrap();
            assert_eq!((*tank.heading, *tank.order, *tank.fuel), (7, 0, 0));
        }
    }

    fn tanks() -> Prefabs {
        Prefabs::new().register::<Tank>("tank")
    }

    /// Writes all fields of a tank.
    fn drive(pair: &mut Pair, id: NetId, value: u32) {
        let mut tank = pair.server.get_mut::<Tank>(id).unwrap();
        tank.heading.set(value);
        tank.order.set(value);
        tank.fuel.set(value);
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
    let mut pair = joined(rivals, ServerConfig::default());
    let id = pair.server.spawn(Rival::default());
    let door = pair.server.spawn(Door::default());
    settle(&mut pair);
    // The datagrams overtake the packet of the door.
    pair.server.get_mut::<Door>(door).unwrap().opened.set(1);
    for aim in [11, 12] {
        pair.server.get_mut::<Rival>(id).unwrap().aim.set(aim);
        pair.update_server();
        pair.poll();
    }
    pair.release(|packet| packet.is_datagram());
    // The datagrams wait no longer for the other packets of their ticks.
    pair.client.update(pair.now + 2 * pair.tick);
    assert_eq!(pair.client.get::<Rival>(id).unwrap().aim, 0);
    pair.release(|_| true);
    let rival = pair.client.get::<Rival>(id).unwrap();
    assert_eq!(rival.seen, [(0, 11), (11, 12)]);
}

#[test]
fn two_updates_of_a_tick_run_the_hooks_of_both() {
    let mut pair = joined(rivals, ServerConfig::default());
    let id = pair.server.spawn(Rival::default());
    let door = pair.server.spawn(Door::default());
    settle(&mut pair);
    for polls in [false, true] {
        let before = *pair.server.get::<Door>(door).unwrap().opened;
        pair.client.get_mut::<Door>(door).unwrap().seen.clear();
        pair.server
            .get_mut::<Rival>(id)
            .unwrap()
            .aim
            .set(before + 1);
        pair.server
            .get_mut::<Door>(door)
            .unwrap()
            .opened
            .set(before + 1);
        pair.update_server();
        if polls {
            pair.poll();
        }
        pair.server
            .get_mut::<Door>(door)
            .unwrap()
            .opened
            .set(before + 2);
        pair.update_server_again();
        pair.release_all();
        pair.up();
        let door = pair.client.get::<Door>(door).unwrap();
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
    let mut pair = joined(mines, ServerConfig::default());
    let id = pair.server.spawn(Mine::default());
    settle(&mut pair);
    pair.server.get_mut::<Mine>(id).unwrap().health.set(1);
    pair.update_server();
    pair.release_all();
    explode(&mut pair.server, id, 2);
    pair.update_server_again();
    pair.release_all();
    // Between two updates, before the transport polls.
    explode(&mut pair.server, id, 3);
    pair.release_all();
    settle(&mut pair);
    let mine = pair.client.get::<Mine>(id).unwrap();
    assert_eq!(mine.exploded, [(2, 3), (3, 3)]);
}

#[test]
fn tick_behind_a_lost_datagram_is_not_complete() {
    let mut pair = joined(mines, ServerConfig::default());
    let id = pair.server.spawn(Mine::default());
    let door = pair.server.spawn(Door::default());
    settle(&mut pair);
    assert!(ticks(&mut pair).last().unwrap().1);
    // The last datagram is lost, and a tick on the stream follows.
    pair.server.get_mut::<Mine>(id).unwrap().health.set(5);
    pair.update_server();
    pair.poll();
    pair.waiting.retain(|packet| !packet.is_datagram());
    pair.server.get_mut::<Door>(door).unwrap().opened.set(1);
    pair.update_server();
    pair.release_all();
    pair.up();
    assert_eq!(pair.client.get::<Door>(door).unwrap().opened, 1);
    let behind = ticks(&mut pair);
    assert_eq!(behind.len(), 1);
    assert!(!behind[0].1, "{behind:?}");
    let mut is_complete = false;
    for _ in 0..20 {
        pair.update_server();
        pair.release_all();
        pair.up();
        let health = *pair.client.get::<Mine>(id).unwrap().health;
        is_complete |= ticks(&mut pair).iter().any(|(_, complete)| *complete);
        assert!(health == 5 || !is_complete, "complete without the health");
    }
    assert!(is_complete, "the repair completes a tick");
}

/// A server to whose sessions a client returns after a lost pair.
fn with_sessions() -> ServerConfig {
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

#[test]
fn datagrams_of_a_client_may_be_shorter_than_those_of_its_server() {
    /// Object that its owner moves.
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0, channel = unreliable)]
    struct Cart {
        #[sync_var(write = owner)]
        x: SyncVar<u32>,
        #[sync_var]
        y: SyncVar<u32>,
    }

    let carts = || Prefabs::new().register::<Cart>("cart");
    for (size, has_datagrams) in [(600, true), (1_023, true), (1_200, true), (1_200, false)] {
        let server = NetworkServer::with_config(carts(), ServerConfig::default());
        let client = NetworkClient::new(carts());
        let limits = PacketLimits {
            datagrams: has_datagrams,
            ..DATAGRAMS
        };
        let mut pair = Pair::connect(server, client, limits);
        // A browser sends less than it receives.
        let limits = PacketLimits {
            max_unreliable: size,
            ..limits
        };
        Endpoint::handle_connect(&mut pair.client, limits);
        pair.tick = Duration::from_nanos(33_333_334);
        settle(&mut pair);
        let id = pair.server.spawn(Cart::default());
        pair.server.set_owner(id, Some(pair.connection)).unwrap();
        settle(&mut pair);
        pair.client.get_mut::<Cart>(id).unwrap().x.set(7);
        pair.server.get_mut::<Cart>(id).unwrap().y.set(8);
        settle(&mut pair);
        assert_eq!(pair.server.get::<Cart>(id).unwrap().x, 7, "{size}");
        assert_eq!(pair.client.get::<Cart>(id).unwrap().y, 8, "{size}");
        let losses = pair.server.losses(pair.connection).unwrap();
        let on_client = pair.client.losses();
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

#[test]
fn copies_of_a_held_value_report_nothing() {
    let mut pair = joined(beacons, ServerConfig::default());
    let beacon = pair.server.spawn(Beacon::default());
    let mine = pair.server.spawn(Mine::default());
    settle(&mut pair);
    while pair.client.poll_event().is_some() {}
    let cases = [
        [false, false, false],
        [true, false, false],
        [false, true, false],
    ];
    for (light, is_lost) in (1..).zip(cases) {
        let before = pair.client.get::<Beacon>(beacon).unwrap().hooks;
        pair.server
            .get_mut::<Beacon>(beacon)
            .unwrap()
            .light
            .set(light);
        pair.server
            .get_mut::<Beacon>(beacon)
            .unwrap()
            .colours
            .push(light);
        let lights = reported_lights(&mut pair, (beacon, mine), is_lost);
        assert_eq!(lights, [light], "{is_lost:?}");
        let hooks = pair.client.get::<Beacon>(beacon).unwrap().hooks;
        assert_eq!(hooks, before.map(|runs| runs + 1), "{is_lost:?}");
        settle(&mut pair);
    }

    /// Returns the lights that the client reports for the next ticks, in each of which a datagram with another change
    /// carries the copy of the one before.
    fn reported_lights(
        pair: &mut Pair,
        (beacon, mine): (NetId, NetId),
        is_lost: [bool; 3],
    ) -> Vec<u32> {
        let mut lights = Vec::new();
        for is_lost in is_lost {
            let health = *pair.server.get::<Mine>(mine).unwrap().health + 1;
            pair.server
                .get_mut::<Mine>(mine)
                .unwrap()
                .health
                .set(health);
            pair.update_server();
            pair.poll();
            let datagrams = pair.waiting.iter().filter(|packet| packet.is_datagram());
            assert_eq!(datagrams.count(), 1);
            if is_lost {
                pair.waiting.retain(|packet| !packet.is_datagram());
            }
            pair.release_all();
            pair.client.update(pair.now);
            while let Some(event) = pair.client.poll_event() {
                if event.changed::<Beacon>().is_some() {
                    lights.push(*pair.client.get::<Beacon>(beacon).unwrap().light);
                }
            }
        }
        lights
    }
}

#[test]
fn lost_copies_are_repaired_when_records_end_early() {
    // Records are removed every eighth tick.
    for phase in 0..8 {
        let mut config = ServerConfig::default();
        config.loss.record_ticks = 1;
        config.loss.record_time = Duration::ZERO;
        let mut pair = joined(beacons, config);
        let id = pair.server.spawn(Beacon::default());
        let mine = pair.server.spawn(Mine::default());
        settle(&mut pair);
        (0..phase).for_each(|_| pair.update_server());
        pair.release_all();
        pair.server.get_mut::<Beacon>(id).unwrap().light.set(1);
        for health in 1..3 {
            // The copy travels with another change.
            pair.server
                .get_mut::<Mine>(mine)
                .unwrap()
                .health
                .set(health);
            pair.update_server();
            pair.poll();
            let lost = pair.waiting.extract_if(.., |packet| packet.is_datagram());
            assert_eq!(lost.count(), 1, "the change and its copy are lost");
            pair.release_all();
        }
        settle(&mut pair);
        assert_eq!(pair.client.get::<Beacon>(id).unwrap().light, 1, "{phase}");
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

/// Object with a long field.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Sign {
    #[sync_var]
    text: SyncVar<String>,
}

/// The ring is full with the datagrams of the tick that repairs a loss: the connection is detached, and none of them leaves.
#[test]
fn repair_of_the_tick_that_detaches_a_connection_arrives_later() {
    let signs = || rivals().register::<Sign>("sign");
    for record_ticks in 1..8 {
        let mut config = ServerConfig {
            packet_size: 64,
            ..ServerConfig::default()
        };
        config.loss.ring = 6;
        config.loss.record_ticks = record_ticks;
        config.loss.record_time = Duration::ZERO;
        let mut pair = joined(signs, config);
        let [lost, noise] = [(); 2].map(|()| pair.server.spawn(Sign::default()));
        let door = pair.server.spawn(Door::default());
        settle(&mut pair);
        // The client may hold all datagrams until it has the packet of the door.
        pair.server.get_mut::<Door>(door).unwrap().opened.set(1);
        for tick in 0..12_u8 {
            let id = if tick == 0 { lost } else { noise };
            let text = char::from(b'a' + tick).to_string().repeat(30);
            pair.server.get_mut::<Sign>(id).unwrap().text.set(text);
            pair.update_server();
            pair.poll();
        }
        pair.waiting.retain(|packet| !packet.is_datagram());
        settle(&mut pair);
        pair.assert_equal();
    }
}

/// A full ring detaches the connection in the second update of a tick. Its losses have no record any more when the client
/// returns.
#[test]
fn losses_of_a_detached_connection_are_repaired_after_its_return() {
    for steps in 8..32 {
        let mut config = with_sessions();
        config.loss.ring = 6;
        let mut net = MemoryNetwork::with_config(mines, config, Conditions::default());
        net.datagrams = true;
        // Two updates for each tick.
        net.tick = Duration::from_nanos(16_666_667);
        net.connect();
        net.settle();
        let ids: Vec<_> = (0..16).map(|_| net.server.spawn(Mine::default())).collect();
        net.settle();
        net.stall_client(0, Duration::from_secs(2));
        for step in 0..steps {
            if let Some(id) = ids.get(step / 2) {
                net.server.get_mut::<Mine>(*id).unwrap().health.set(5);
            }
            net.step();
        }
        net.cut(0);
        // Records are forgotten every eighth tick.
        (0..40).for_each(|_| net.step());
        net.reconnect(0);
        net.settle();
        net.assert_replicas_equal();
    }
}

#[test]
fn farewell_may_cross_the_answer_of_the_server() {
    let (server, client) = (NetworkServer::new(mines()), NetworkClient::new(mines()));
    let mut pair = Pair::connect(server, client, PacketLimits::STREAM);
    pair.up();
    pair.update_server();
    assert!(!pair.server_packets().is_empty(), "the answer is under way");
    pair.client.disconnect("changed my mind");
    pair.up();
    let events = pair.server_events();
    let misbehaved = |event: &ServerEvent| matches!(event, ServerEvent::Misbehaved { .. });
    assert!(!events.iter().any(misbehaved), "{events:?}");
    assert!(!pair.server.is_connected(pair.connection));
}

#[test]
fn new_burst_ends_a_forged_tick() {
    for forged in [1_u32 << 16, 1 << 20, 1 << 30] {
        let mut pair = joined(mines, ServerConfig::default());
        let id = pair.server.spawn(Mine::default());
        settle(&mut pair);
        pair.server.get_mut::<Mine>(id).unwrap().health.set(5);
        pair.update_server();
        pair.poll();
        let place = pair.waiting.iter().position(Packet::is_datagram);
        let datagram = pair.waiting.remove(place.unwrap());
        let bytes = &datagram.bytes;
        assert_eq!(bytes[0] & 0x03, 0x01, "a short tick");
        let tick = u32::from(u16::from_le_bytes([bytes[3], bytes[4]])) + forged;
        let wide = [
            &[bytes[0] | 0x02, bytes[1], bytes[2]][..],
            &tick.to_le_bytes(),
            &bytes[5..],
        ];
        pair.client
            .handle_datagram(datagram.channel, &wide.concat())
            .unwrap();
        pair.server.get_mut::<Mine>(id).unwrap().health.set(6);
        settle(&mut pair);

        pair.server.set_not_ready(pair.connection);
        settle(&mut pair);
        pair.server.get_mut::<Mine>(id).unwrap().health.set(8);
        pair.server.set_ready(pair.connection);
        settle(&mut pair);
        assert_eq!(pair.client.get::<Mine>(id).unwrap().health, 8, "{forged}");
        ticks(&mut pair);
        pair.server.get_mut::<Mine>(id).unwrap().health.set(7);
        settle(&mut pair);
        assert_eq!(pair.client.get::<Mine>(id).unwrap().health, 7, "{forged}");
        let (tick, is_complete) = ticks(&mut pair).pop().expect("a report");
        assert!(is_complete && tick <= pair.server.network_time().tick);
    }
}
