//! Views into the update loop: unsent fields and their reasons, costs of fields, delay of connections.

use std::time::Duration;

use syncvar::error::ObjectError;
use syncvar::mirror::{
    AssetId, MirrorClient, MirrorClientConfig, MirrorPrefab, MirrorPrefabs, MirrorServer,
    MirrorServerConfig, SpawnPolicy,
};
use syncvar::prelude::*;
use syncvar::stats::{FieldStats, UnsentReason};
use syncvar_testing::mirror::{FRAME, MirrorNetwork};

/// Fields that wait for different reasons.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 3.0)]
struct Slow {
    #[sync_var]
    value: SyncVar<u32>,
    #[sync_var(initial_only)]
    seed: SyncVar<u32>,
    #[sync_var]
    text: SyncVar<String>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(sync_mode = owner, send_interval = 0.0)]
struct Wallet {
    #[sync_var]
    gold: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(sync_method = hybrid, send_interval = 0.0)]
struct Body {
    #[sync_var]
    x: SyncVar<f32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.0)]
struct Unit {
    #[sync_var]
    health: SyncVar<i32>,
    #[sync_var]
    name: SyncVar<String>,
    #[sync_var]
    items: SyncList<i32>,
}

fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new()
        .register::<(Slow, Wallet, Body)>(MirrorPrefab::new("slow", AssetId(1)))
        .register::<Unit>(MirrorPrefab::new("unit", AssetId(2)))
}

fn network(profile: bool) -> MirrorNetwork {
    let config = MirrorServerConfig {
        spawn_policy: SpawnPolicy::WhenReady,
        profile,
        ..MirrorServerConfig::default()
    };
    MirrorNetwork::new(MirrorServer::with_config(prefabs(), config), || {
        let config = MirrorClientConfig {
            auto_ready: false,
            ..MirrorClientConfig::default()
        };
        MirrorClient::with_config(prefabs(), config)
    })
}

fn reasons(net: &mut MirrorNetwork, id: NetId) -> Vec<String> {
    let unsent = net.server.why_not_sent(id).unwrap();
    unsent.iter().map(ToString::to_string).collect()
}

#[test]
fn each_unsent_field_of_a_mirror_server_has_its_reason() {
    let mut net = network(false);
    let id = net
        .server
        .spawn((Slow::default(), Wallet::default(), Body::default()));
    net.frame();
    net.server.get_mut::<Slow>(id).unwrap().value.set(1);
    assert_eq!(reasons(&mut net, id), ["Slow.value has no observer"]);

    let connection = net.connect();
    let text = format!("Slow.value waits until a connection is ready: {connection}");
    assert_eq!(reasons(&mut net, id), [text]);
    net.client(connection).ready();
    net.frames(3);
    assert_eq!(reasons(&mut net, id), [""; 0]);

    let mut slow = net.server.get_mut::<Slow>(id).unwrap();
    slow.value.set(2);
    slow.seed.set(3);
    slow.text.set("x".repeat(70_000));
    drop(slow);
    net.server.get_mut::<Wallet>(id).unwrap().gold.set(4);
    net.server.get_mut::<Body>(id).unwrap().x.set(5.0);
    let texts = reasons(&mut net, id);
    assert!(
        texts[0].starts_with("Slow.value waits for the send interval, until "),
        "{texts:?}"
    );
    assert_eq!(texts[1], "Slow.seed travels with snapshots only");
    assert!(
        texts[2].starts_with("Slow.text cannot be sent: "),
        "{texts:?}"
    );
    let no_owner = "Wallet.gold has no reader: no observer owns the object";
    let rest = [no_owner, "Body.x goes out with the next update"];
    assert_eq!(texts[3..], rest);

    net.frame();
    let unsent = net.server.why_not_sent(id).unwrap();
    let body = unsent.iter().find(|it| it.behaviour == "Body").unwrap();
    assert_eq!((body.index, &body.reason), (2, &UnsentReason::Repeated));
    net.frames(60);
    assert!(
        !reasons(&mut net, id)
            .iter()
            .any(|it| it.starts_with("Body"))
    );
    let unknown = net.server.why_not_sent(NetId(99));
    assert_eq!(unknown, Err(ObjectError::NoSuchObject(NetId(99))));
}

#[test]
fn whole_component_has_all_values_unsent() {
    let mut net = network(false);
    let id = net.server.spawn(Unit::default());
    let connection = net.connect();
    net.client(connection).ready();
    net.frames(2);
    net.server.set_dirty(id, 0).unwrap();
    let unsent = net.server.why_not_sent(id).unwrap();
    let fields: Vec<_> = unsent.iter().map(|it| it.field).collect();
    assert_eq!(fields, ["health", "name"]);
    net.frame();
    assert_eq!(reasons(&mut net, id), [""; 0]);
}

#[test]
fn profile_names_objects_and_fields_of_a_mirror_server() {
    let mut net = network(true);
    let [first, second] = [0; 2].map(|_| net.server.spawn(Unit::default()));
    for _ in 0..2 {
        let connection = net.connect();
        net.client(connection).ready();
    }
    net.frames(2);
    let mut unit = net.server.get_mut::<Unit>(first).unwrap();
    unit.health.set(1);
    unit.name.set("Ann".into());
    drop(unit);
    net.frame();
    net.server
        .get_mut::<Unit>(first)
        .unwrap()
        .items
        .extend([7, 8]);
    net.server.get_mut::<Unit>(second).unwrap().health.set(2);
    net.frame();

    let stats = net.server.stats().clone();
    let profile = stats.profile.as_ref().unwrap();
    let cost = |field| profile.fields().find(|it| it.field == field).unwrap();
    let counted = |it: &FieldStats| (it.deltas.messages, it.deltas.bytes);
    // Mirror has one byte for a small number, two for the length of a string, and for a list a count of
    // four bytes, then an operation of one byte and an element each.
    assert_eq!(counted(cost("health")), (2, 2));
    assert_eq!(counted(cost("name")), (1, 5));
    assert_eq!(counted(cost("items")), (1, 4 + 2 * 2));
    assert_eq!(
        (&*cost("name").prefab, cost("name").behaviour),
        ("unit", "Unit")
    );
    // A mask of eight bytes and one of one byte each time, encoded once for both clients.
    let of = |id| (profile.object(id).messages, profile.object(id).bytes);
    assert_eq!(of(first), (2, 9 + 6 + 9 + 8));
    assert_eq!(of(second), (1, 9 + 1));
    let unit = stats.behaviours.iter().find(|it| it.behaviour == "Unit");
    let unit = unit.unwrap();
    // Each has its safety byte.
    let all = profile.object(first).bytes + profile.object(second).bytes;
    assert_eq!((unit.delta.messages, unit.delta.bytes), (3, all + 3));
    assert_eq!(unit.full.messages, 4, "two objects for two clients");
    assert!(profile.to_string().contains("unit: Unit.name"));

    net.server.despawn(first).unwrap();
    let profile = net.server.stats().profile.as_ref().unwrap();
    assert_eq!(profile.object(first).messages, 0);
    assert_eq!(profile.despawned().messages, 2);
}

#[test]
fn jitter_of_a_mirror_connection_follows_its_delays() {
    let mut net = network(false);
    let steady = net.connect();
    let unsteady = net.connect();
    for frame in 0..600_u32 {
        net.advance(FRAME);
        // Pongs of the second client wait three frames in every other fifth of a second.
        for connection in [steady, unsteady] {
            if connection == steady || frame / 5 % 2 == 0 || frame % 5 == 4 {
                net.send(connection);
            }
        }
        net.server.update(net.now);
        net.deliver();
    }
    let of = |connection| net.server.connection_stats(connection).unwrap();
    let jitter = of(steady).jitter.unwrap();
    assert!(jitter < Duration::from_millis(1), "{jitter:?}");
    let jitter = of(unsteady).jitter.unwrap();
    assert!(jitter > Duration::from_millis(10), "{jitter:?}");
    assert!(of(unsteady).round_trip > of(steady).round_trip);
    assert!(of(steady).to_string().contains("jitter"));
    let client = net.client(steady).connection_stats();
    assert!(client.jitter.is_some() && client.round_trip.is_some());
}
