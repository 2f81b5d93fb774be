//! Who observes an object and why, and the comparison of replicas.

#![expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "thresholds have the signature that they are called with"
)]

use std::time::Duration;

use syncvar::error::ObjectError;
use syncvar::interest::{GroupTags, SpatialGrid, Tag, ViewReason};
use syncvar::prelude::*;
use syncvar::stats::UnsentReason;
use syncvar::testing::{Conditions, DifferenceKind, Random};
use syncvar::values::Vector3;
use syncvar::{Budget, NetworkIdentity, ServerConfig, codec::Quantized};

/// Fields of every kind of reader.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Unit {
    #[sync_var]
    health: SyncVar<i32>,
    #[sync_var(with = Quantized<-100, 100, 10>)]
    place: SyncVar<f32>,
    #[sync_var]
    buffs: SyncList<String>,
    #[sync_var(read = owner)]
    gold: SyncVar<u32>,
    #[sync_var(read = others)]
    rumour: SyncVar<String>,
}

/// State on an unreliable channel.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = 1)]
struct Ghost {
    #[sync_var]
    place: SyncVar<Vector3>,
}

fn prefabs() -> Prefabs {
    let prefabs = Prefabs::new().register::<Unit>("unit");
    prefabs.register::<Ghost>("ghost")
}

const TEAM: Tag = Tag(3);
const HERE: Vector3 = Vector3 {
    x: 1.0,
    y: 0.0,
    z: 1.0,
};
const FAR: Vector3 = Vector3 { x: 900.0, ..HERE };

fn in_view(clients: usize) -> MemoryNetwork {
    let interest = GroupTags::new(SpatialGrid::xz(10.0, 30.0));
    let config = ServerConfig::default();
    let mut net = MemoryNetwork::with_interest(prefabs, config, Conditions::default(), interest);
    for _ in 0..clients {
        let index = net.connect();
        let connection = net.connection(index);
        tags(&mut net).inner_mut().watch(connection, HERE).unwrap();
    }
    net.settle();
    net
}

fn tags(net: &mut MemoryNetwork) -> &mut GroupTags<SpatialGrid> {
    net.server.interest_mut().unwrap()
}

fn spawn_at(net: &mut MemoryNetwork, position: Vector3, owner: Option<ConnectionId>) -> NetId {
    let options = SpawnOptions {
        position,
        owner,
        ..SpawnOptions::default()
    };
    net.server.try_spawn(Unit::default(), options).unwrap()
}

#[test]
fn each_rule_of_visibility_is_named() {
    let mut net = in_view(1);
    let connection = net.connection(0);
    let (near, far) = (
        spawn_at(&mut net, HERE, None),
        spawn_at(&mut net, FAR, None),
    );
    let own = spawn_at(&mut net, FAR, Some(connection));
    net.settle();
    let why = |net: &MemoryNetwork, id| net.server.why_visible(id, connection).unwrap();
    assert!(matches!(why(&net, near), ViewReason::Area(_)));
    assert!(matches!(why(&net, far), ViewReason::OutsideArea(_)));
    assert_eq!(why(&net, own), ViewReason::Owner);

    tags(&mut net).tag(near, Some(TEAM)).unwrap();
    net.settle();
    assert_eq!(why(&net, near), ViewReason::OutsideGroup(TEAM));
    tags(&mut net).join(connection, TEAM).unwrap();
    net.settle();
    assert_eq!(why(&net, near), ViewReason::Group(TEAM));

    net.server.show(far, connection).unwrap();
    net.server.hide(own, connection).unwrap();
    assert_eq!(why(&net, far), ViewReason::ShownByName);
    assert_eq!(why(&net, own), ViewReason::HiddenByName);
    net.server.show_to_all(far).unwrap();
    net.server.hide_from_all(near).unwrap();
    assert_eq!(why(&net, far), ViewReason::ShownToAll);
    assert_eq!(why(&net, near), ViewReason::HiddenFromAll);
    net.server.set_not_ready(connection);
    assert_eq!(why(&net, far), ViewReason::NotReady);
}

#[test]
fn every_reason_agrees_with_is_visible() {
    let mut net = in_view(3);
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let position = if random.chance(500) { HERE } else { FAR };
        let owner = random.chance(300).then(|| net.connection(0));
        let id = spawn_at(&mut net, position, owner);
        if random.chance(300) {
            tags(&mut net).tag(id, Some(TEAM)).unwrap();
        }
        let connection = net.connection(random.below(3) as usize);
        match random.below(5) {
            0 => net.server.show(id, connection).unwrap(),
            1 => net.server.hide(id, connection).unwrap(),
            2 => tags(&mut net).join(connection, TEAM).unwrap(),
            3 => tags(&mut net).leave(connection, TEAM),
            _ => {}
        }
        net.settle();
        for id in net.server.identities().map(NetworkIdentity::net_id) {
            for client in 0..3 {
                let connection = net.connection(client);
                let reason = net.server.why_visible(id, connection).unwrap();
                let visible = net.server.is_visible(id, connection);
                assert_eq!(reason.is_visible(), visible, "{reason}");
                let observes = net.server.observers(id).any(|it| it == connection);
                assert_eq!(observes, visible);
            }
        }
        net.assert_replicas_equal();
    }
}

#[test]
fn observers_are_ready_ascending_and_include_the_host() {
    let mut net = MemoryNetwork::new(prefabs);
    net.connect();
    let local = net.server.connect_local();
    net.connect();
    let unit = net.server.spawn(Unit::default());
    assert_eq!(net.server.observers(unit).count(), 0, "before the update");
    net.settle();
    let all = [net.connection(0), local, net.connection(1)];
    assert!(net.server.observers(unit).eq(all));
    net.server.hide(unit, local).unwrap();
    let not_ready = net.connection(0);
    net.server.set_not_ready(not_ready);
    net.settle();
    assert!(net.server.observers(unit).eq([all[2]]));
    let why = |connection| net.server.why_visible(unit, connection);
    assert_eq!(why(local), Ok(ViewReason::HiddenByName));
    assert_eq!(why(all[2]), Ok(ViewReason::Everyone));
}

#[test]
fn unknown_ids_have_no_observers_and_an_error() {
    let mut net = MemoryNetwork::pair(prefabs);
    let unit = net.server.spawn(Unit::default());
    let (nobody, nothing) = (ConnectionId(77), NetId(99));
    assert_eq!(net.server.observers(nothing).count(), 0);
    let connection = net.connection(0);
    let error = net.server.why_visible(nothing, connection);
    assert_eq!(error, Err(ObjectError::NoSuchObject(nothing)));
    let error = net.server.why_visible(unit, nobody);
    assert_eq!(error, Err(ObjectError::NotConnected(nobody)));
}

#[test]
fn differences_name_object_field_and_both_values() {
    let mut net = MemoryNetwork::new(prefabs);
    let owner = net.connect();
    net.connect();
    net.settle();
    let connection = net.connection(owner);
    let unit = spawn_at(&mut net, HERE, Some(connection));
    net.settle();
    let mut object = net.server.get_mut::<Unit>(unit).unwrap();
    object.health.set(90);
    object.place.set(-2.5);
    object.gold.set(7);
    object.rumour.set("rich".into());
    object.buffs.push("quick".into());
    drop(object);
    let texts: Vec<_> = net
        .replica_differences()
        .iter()
        .map(ToString::to_string)
        .collect();
    let of = |client: u32, field: &str, values: &str| {
        let connection = client + 1;
        format!(
            "client {client} (connection {connection}), object #1 (unit): Unit.{field} is {values} on the client"
        )
    };
    let [owner, other] = [0, 1].map(|client| {
        let place = of(client, "place", "-2.5 on the server, but 0");
        let buffs = of(client, "buffs", r#"["quick"] on the server, but []"#);
        [
            of(client, "health", "90 on the server, but 0"),
            place,
            buffs,
        ]
    });
    let gold = of(0, "gold", "7 on the server, but 0");
    let rumour = of(1, "rumour", r#""rich" on the server, but """#);
    assert_eq!(texts, [&owner[..], &[gold], &other[..], &[rumour]].concat());
    net.settle();
    net.assert_replicas_equal();
}

#[test]
fn a_hidden_object_must_be_absent() {
    let mut net = MemoryNetwork::pair(prefabs);
    let unit = net.server.spawn(Unit::default());
    net.settle();
    let connection = net.connection(0);
    net.server.hide(unit, connection).unwrap();
    let differences = net.replica_differences();
    let hidden = DifferenceKind::Unexpected(Some(ViewReason::HiddenByName));
    assert_eq!(differences[0].kind, hidden);
    net.settle();
    net.assert_replicas_equal();
    net.server.show(unit, connection).unwrap();
    let differences = net.replica_differences();
    assert_eq!(
        differences[0].kind,
        DifferenceKind::Missing(ViewReason::Everyone)
    );
}

#[test]
fn prefabs_may_capture_values() {
    let health = 40;
    let prefabs = move || {
        let make = move || Unit {
            health: health.into(),
            ..Unit::default()
        };
        Prefabs::new().register_with("unit", make)
    };
    let mut net = MemoryNetwork::pair(prefabs);
    let id = net.server.spawn(Unit::default());
    net.settle();
    net.assert_replicas_equal();
    assert_eq!(net.client(0).get::<Unit>(id).unwrap().health, 0);
}

#[test]
fn clients_know_the_servers_time_by_default() {
    let mut net = MemoryNetwork::pair(prefabs);
    net.settle();
    net.step();
    net.settle();
    let time = net.client(0).network_time().unwrap();
    assert!(time.time <= net.server.network_time().time);
}

#[test]
fn each_client_has_its_link_and_it_changes() {
    let mut net = MemoryNetwork::new(prefabs);
    net.connect();
    net.connect();
    let unit = net.server.spawn(Unit::default());
    net.settle();
    let slow = Conditions {
        delay: Duration::from_millis(400),
        ..Conditions::default()
    };
    net.set_link(1, slow);
    net.server.get_mut::<Unit>(unit).unwrap().health.set(5);
    net.step();
    let healths =
        |net: &MemoryNetwork| [0, 1].map(|c| *net.client(c).get::<Unit>(unit).unwrap().health);
    assert_eq!(healths(&net), [5, 0]);
    net.settle();
    assert_eq!(healths(&net), [5, 5]);
}

#[test]
fn a_narrow_link_delays_by_its_bandwidth() {
    let mut net = MemoryNetwork::pair(prefabs);
    net.ping_interval = Duration::ZERO;
    net.settle();
    let link = Conditions {
        bandwidth: Some(1000),
        ..Conditions::default()
    };
    net.set_link(0, link);
    let unit = net.server.spawn(Unit::default());
    let text = "x".repeat(2000);
    net.server.get_mut::<Unit>(unit).unwrap().buffs.push(text);
    let start = net.now();
    while net
        .client(0)
        .get::<Unit>(unit)
        .is_none_or(|unit| unit.buffs.is_empty())
    {
        net.step();
    }
    let duration = net.now().saturating_sub(start);
    assert!((2000..2400).contains(&duration.as_millis()), "{duration:?}");
}

#[test]
fn a_simulated_game_converges() {
    for seed in 0..8 {
        let mut net = in_view(2);
        net.simulate(seed, 120, |net, random| {
            let ids: Vec<_> = net
                .server
                .identities()
                .map(NetworkIdentity::net_id)
                .collect();
            match random.below(6) {
                0 => drop(net.server.spawn((Unit::default(),))),
                1 => drop(net.server.spawn(Ghost::default())),
                2 if ids.len() > 5 => net.server.despawn(ids[0]).unwrap(),
                _ => {}
            }
            let Some(id) = random.pick(&ids).copied() else {
                return;
            };
            let connection = net.connection(random.below(2) as usize);
            // The object may be gone, and the client away.
            let owner = random.chance(500).then_some(connection);
            let _ = net.server.set_owner(id, owner);
            if let Ok(mut unit) = net.server.get_mut::<Unit>(id) {
                unit.health += 1;
                unit.place.set(random.between(-90.0, 90.0));
                unit.gold.set(random.below(9));
                unit.buffs.push(random.number().to_string());
            } else if let Ok(mut ghost) = net.server.get_mut::<Ghost>(id) {
                ghost.place.x = random.between(0.0, 50.0);
            }
        });
    }
}

#[test]
fn equal_seeds_simulate_equal_runs() {
    let run = || {
        let mut net = MemoryNetwork::pair(prefabs);
        let id = net.server.spawn(Unit::default());
        net.simulate(11, 60, |net, random| {
            net.server
                .get_mut::<Unit>(id)
                .unwrap()
                .health
                .set(random.below(100).cast_signed());
        });
        (net.client_count(), net.server.stats().sent, net.now())
    };
    assert_eq!(run(), run());
}

#[test]
fn both_ends_count_packets_and_the_round_trip() {
    let link = Conditions {
        delay: Duration::from_millis(100),
        ..Conditions::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
    net.connect();
    net.server.spawn(Unit::default());
    (0..60).for_each(|_| net.step());
    net.settle();
    let server = net.server.connection_stats(net.connection(0)).unwrap();
    let client = net.client(0).connection_stats();
    assert_eq!(
        (server.sent, server.received),
        (client.received, client.sent)
    );
    assert_eq!((server.queued.messages, server.backlog), (0, 0));
    let round_trip = client.round_trip.unwrap();
    assert!(
        (200..300).contains(&round_trip.as_millis()),
        "{round_trip:?}"
    );
    let measured = server.round_trip.unwrap();
    assert!((200..300).contains(&measured.as_millis()), "{measured:?}");
    let text = server.to_string();
    assert!(text.contains("round trip 2"), "{text}");
    let nobody = ConnectionId(77);
    let error = net.server.connection_stats(nobody);
    assert_eq!(error, Err(ObjectError::NotConnected(nobody)));
}

#[test]
fn queue_and_backlog_are_counted() {
    let mut net = MemoryNetwork::pair(prefabs);
    net.settle();
    let connection = net.connection(0);
    let budget = Budget::new(10);
    let ids = [0; 20].map(|_| net.server.spawn(Unit::default()));
    net.settle();
    net.server.set_budget(connection, Some(budget)).unwrap();
    for id in ids {
        net.server.get_mut::<Unit>(id).unwrap().health.set(9);
    }
    let later = net.now() + 2 * net.tick;
    net.server.update(later);
    let stats = net.server.connection_stats(connection).unwrap();
    assert!(stats.backlog > 10, "{stats}");
    assert!(stats.queued.bytes > 0, "{stats}");
    let unsent = net.server.why_not_sent(ids[19]).unwrap();
    assert_eq!(unsent[0].reason, UnsentReason::Budget(connection));
}

#[test]
fn each_unsent_field_has_its_reason() {
    /// Fields that wait for different reasons.
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 3.0)]
    struct Slow {
        #[sync_var]
        value: SyncVar<u32>,
        #[sync_var(read = owner)]
        secret: SyncVar<u32>,
        #[sync_var(initial_only)]
        seed: SyncVar<u32>,
        #[sync_var(threshold = far)]
        angle: SyncVar<f32>,
        #[sync_var]
        text: SyncVar<String>,
    }

    impl Slow {
        fn far(sent: &f32, now: &f32) -> bool {
            (sent - now).abs() > 5.0
        }
    }

    let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Slow>("slow"));
    let unseen = net.server.spawn(Slow::default());
    net.settle();
    let touch = |net: &mut MemoryNetwork, id, length| {
        let mut slow = net.server.get_mut::<Slow>(id).unwrap();
        slow.value += 1;
        slow.secret += 1;
        slow.seed += 1;
        slow.angle += 1.0;
        slow.text.set("x".repeat(length));
    };
    let reasons = |net: &mut MemoryNetwork, id| {
        let unsent = net.server.why_not_sent(id).unwrap();
        unsent.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    touch(&mut net, unseen, 10);
    assert_eq!(reasons(&mut net, unseen)[0], "Slow.value has no observer");
    net.connect();
    net.settle();
    assert_eq!(reasons(&mut net, unseen), [""; 0]);

    touch(&mut net, unseen, 40_000);
    let texts = reasons(&mut net, unseen);
    assert!(
        texts[0].starts_with("Slow.value waits for the send interval, until "),
        "{texts:?}"
    );
    assert_eq!(
        texts[1],
        "Slow.secret has no reader: no observer owns the object"
    );
    assert_eq!(texts[2], "Slow.seed travels with snapshots only");
    assert_eq!(texts[3], "Slow.angle is below its threshold");
    assert!(
        texts[4].starts_with("Slow.text cannot be sent: "),
        "{texts:?}"
    );

    let connection = net.connection(0);
    net.server.set_not_ready(connection);
    let text = "Slow.value waits until a connection is ready: connection 1";
    assert_eq!(reasons(&mut net, unseen)[0], text);
    let unknown = net.server.why_not_sent(NetId(99));
    assert_eq!(unknown, Err(ObjectError::NoSuchObject(NetId(99))));
}

#[test]
fn statistics_print_as_a_table_without_zeros() {
    let config = ServerConfig {
        profile: true,
        ..ServerConfig::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    net.connect();
    let ids = [0; 30].map(|_| net.server.spawn(Unit::default()));
    net.settle();
    for (count, id) in ids.into_iter().enumerate() {
        let mut unit = net.server.get_mut::<Unit>(id).unwrap();
        unit.health.set(i32::try_from(count).unwrap());
        unit.gold.set(1);
    }
    net.settle();
    let table = net.server.stats().to_string();
    for row in [
        "sent",
        "SpawnBatch",
        "unit: Unit, deltas",
        "unit: Unit.health",
        "more objects",
    ] {
        assert!(table.contains(row), "{row} is missing in:\n{table}");
    }
    assert!(
        !table.contains("ghost") && !table.contains("Unit.place"),
        "{table}"
    );
    let lines = format!("{:#?}", net.server.stats()).lines().count();
    assert!(lines < 100, "{lines}");
    let profile = net.server.stats().profile.as_ref().unwrap();
    let health = profile
        .fields()
        .find(|cost| cost.field == "health")
        .unwrap();
    assert_eq!(health.deltas.messages, 29, "one health stays 0");
    let first = profile.objects()[0];
    assert_eq!(profile.object(first.0), first.1);
    net.server.despawn(ids[3]).unwrap();
    let profile = net.server.stats().profile.as_ref().unwrap();
    assert_eq!(profile.object(ids[3]).messages, 0);
    assert_eq!(profile.despawned().messages, 1);
}
