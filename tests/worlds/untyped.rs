//! Clients without compiled types beside clients with them, in random worlds with loss: all of them hold the values of the
//! server.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use syncvar::codec::{Quantized, SmallestThree};
use syncvar::prelude::*;
use syncvar::testing::{Conditions, MemoryNetwork, Random};
use syncvar::untyped::Value;
use syncvar::values::{Quaternion, Vector3};
use syncvar::{NetworkIdentity, ServerConfig};

use crate::simulated;

/// Returns a source of registries: of compiled types for the server and half of the clients, of a schema for the others.
fn alternating(prefabs: fn() -> Prefabs) -> impl Fn() -> Prefabs + Send + Sync + 'static {
    let made = AtomicUsize::new(0);
    move || {
        if made.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            return prefabs();
        }
        let schema = prefabs().schema();
        let untyped = Prefabs::from_schema(&schema).unwrap();
        assert_eq!(untyped.schema(), schema);
        untyped
    }
}

/// Writes fields of the owner on the clients without compiled types.
fn write(net: &mut MemoryNetwork, random: &mut Random) {
    let ids: Vec<_> = net
        .server
        .identities()
        .map(NetworkIdentity::net_id)
        .collect();
    for index in 0..net.client_count() {
        let client = net.client_mut(index);
        for id in &ids {
            if random.chance(300)
                && client.is_connected()
                && client.is_owner(*id)
                && client.untyped(*id, "Glider").is_some()
            {
                for field in ["stick", "flaps"] {
                    let value = random.below(100);
                    client.set_value(*id, "Glider", field, value).unwrap();
                }
            }
        }
    }
}

#[test]
fn lossy_state_converges_without_compiled_types() {
    for seed in 0..30 {
        let mut net = simulated::network(seed, alternating(simulated::prefabs));
        net.simulate(seed, 150, |net, random| {
            simulated::play(net, random);
            write(net, random);
        });
        let failed = std::iter::from_fn(|| net.server.poll_event()).find(|event| {
            matches!(
                event,
                ServerEvent::SerializeFailed { .. } | ServerEvent::Misbehaved { .. }
            )
        });
        assert_eq!(failed, None, "seed {seed}");
    }
}

#[derive(NetworkBehaviour, Default)]
struct Thing {
    #[sync_var]
    place: SyncVar<Vector3>,
    #[sync_var(with = SmallestThree)]
    turn: SyncVar<Quaternion>,
    #[sync_var(with = Quantized<-100, 100, 10>)]
    speed: SyncVar<f32>,
    #[sync_var(initial_only)]
    serial: SyncVar<u64>,
    #[sync_var]
    target: SyncVar<NetRef>,
}

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
enum Mood {
    #[default]
    Calm,
    Angry {
        at: String,
        level: i8,
    },
    Lost(Vec<u8>, Option<bool>),
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Beast {
    #[network_behaviour(base)]
    base: Thing,
    #[sync_var]
    mood: SyncVar<Mood>,
    #[sync_var]
    names: SyncList<String>,
    #[sync_var]
    scores: SyncDictionary<String, i32>,
    #[sync_var]
    marks: SyncHashSet<u16>,
    #[sync_var(read = owner)]
    order: SyncSortedSet<i8>,
    #[sync_var(write = owner)]
    wishes: SyncList<u8>,
    #[sync_var]
    map: SyncVar<BTreeMap<u8, BTreeSet<char>>>,
}

#[derive(NetworkBehaviour, Default)]
struct Shield {
    #[sync_var]
    power: SyncVar<u128>,
    #[sync_var(read = others)]
    colour: SyncVar<[u8; 3]>,
}

fn beasts() -> Prefabs {
    Prefabs::new()
        .register::<Beast>("beast")
        .register::<(Optional<Shield>, Thing)>("guard")
}

fn mood(random: &mut Random) -> Mood {
    match random.below(3) {
        0 => Mood::Calm,
        1 => Mood::Angry {
            at: "é".repeat(random.below(4) as usize),
            level: -5,
        },
        _ => Mood::Lost(
            vec![7; random.below(5) as usize],
            random.chance(500).then_some(true),
        ),
    }
}

/// Returns a small number as one of a type.
fn narrow<T: TryFrom<u32, Error: std::fmt::Debug>>(value: u32) -> T {
    value.try_into().unwrap()
}

fn change_beast(beast: &mut Beast, random: &mut Random) {
    let value = random.below(40);
    match random.below(14) {
        0 => *beast.mood = mood(random),
        1 => beast.names.push(value.to_string()),
        2 if value < 10 => beast.names.clear(),
        3 if !beast.names.is_empty() => {
            let at = value as usize % beast.names.len();
            drop(beast.names.remove(at));
        }
        4 => beast.names.insert(0, "first".into()),
        5 => beast.names.retain(|name| name.len() != 2),
        6 => drop(
            beast
                .scores
                .insert(value.to_string(), random.below(9).cast_signed() - 4),
        ),
        7 => drop(beast.scores.remove(&value.to_string())),
        8 => drop(beast.marks.insert(narrow(value))),
        9 => drop(beast.marks.remove(&narrow::<u16>(value))),
        10 => drop(beast.order.insert(narrow::<i8>(value) - 20)),
        11 => drop(beast.map.entry(narrow(value)).or_default().insert('あ')),
        12 => beast.base.place.x += 0.5,
        _ => drop(beast.base.speed.set(random.between(-120.0, 120.0))),
    }
}

fn play_beasts(net: &mut MemoryNetwork, random: &mut Random) {
    let ids: Vec<_> = net
        .server
        .identities()
        .map(NetworkIdentity::net_id)
        .collect();
    let connection = {
        let client = random.below(u32::try_from(net.client_count()).unwrap()) as usize;
        net.connection(client)
    };
    if ids.len() < 5 || random.chance(40) {
        let mut thing = Thing::default();
        thing.serial.set(u64::from(random.below(1000)));
        if random.chance(500) {
            net.server.spawn((Optional::<Shield>::default(), thing));
        } else {
            net.server.spawn(Beast {
                base: thing,
                ..Beast::default()
            });
        }
    }
    let Some(id) = random.pick(&ids).copied() else {
        return;
    };
    match random.below(12) {
        0 => drop(net.server.set_owner(id, Some(connection))),
        1 => drop(net.server.hide(id, connection)),
        2 => drop(net.server.show(id, connection)),
        3 if ids.len() > 4 => net.server.despawn(id).unwrap(),
        _ => {}
    }
    for id in &ids {
        if let Ok(mut beast) = net.server.get_mut::<Beast>(*id) {
            change_beast(&mut beast, random);
        }
        if let Ok(mut shield) = net.server.get_mut::<Optional<Shield>>(*id)
            && random.chance(300)
        {
            match random.below(4) {
                0 => shield.set(None),
                1 => shield.set(Some(Shield {
                    power: u128::MAX.into(),
                    ..Shield::default()
                })),
                _ => {
                    if let Some(shield) = shield.as_mut() {
                        *shield.power /= 3;
                        shield.colour[1] = 9;
                    }
                }
            }
        }
        if let Ok(mut thing) = net.server.get_mut::<Thing>(*id)
            && random.chance(200)
        {
            thing
                .turn
                .set(Quaternion::new(0.6, 0.0, 0.0, random.between(0.0, 1.0)));
            thing
                .target
                .set(random.pick(&ids).copied().unwrap_or(NetId::NONE).into());
        }
    }
    for index in 0..net.client_count() {
        let client = net.client_mut(index);
        for id in ids
            .iter()
            .filter(|id| client_owns(client, **id))
            .copied()
            .collect::<Vec<_>>()
        {
            let wishes: u8 = narrow(random.below(4));
            let values: Vec<u8> = (0..wishes).collect();
            client.set_value(id, "Beast", "wishes", values).unwrap();
        }
    }
}

fn client_owns(client: &NetworkClient, id: NetId) -> bool {
    client.is_connected() && client.is_owner(id) && client.untyped(id, "Beast").is_some()
}

/// Compares the fields that travel with snapshots only, which the comparison of replicas leaves out.
fn compare_serials(net: &MemoryNetwork) {
    for index in (0..net.client_count()).filter(|index| net.is_connected(*index)) {
        let client = net.client(index);
        for identity in client.identities() {
            let id = identity.net_id();
            let server = net.server.get::<Thing>(id).map(|thing| *thing.serial);
            let server = server.or_else(|| net.server.get::<Beast>(id).map(|it| *it.base.serial));
            let value = client
                .value(id, "Thing", "serial")
                .or_else(|| client.value(id, "Beast", "serial"));
            if let Some(value) = value {
                assert_eq!(Some(value), server.map(Value::from).as_ref());
            }
        }
    }
}

#[test]
fn values_of_every_kind_converge_without_compiled_types() {
    for seed in 0..30 {
        let link = Conditions {
            seed,
            ..Conditions::default()
        };
        let config = ServerConfig::default();
        let mut net = MemoryNetwork::with_config(alternating(beasts), config, link);
        net.connect();
        net.connect();
        net.connect_client(NetworkClient::learning());
        net.simulate(seed, 120, play_beasts);
        compare_serials(&net);
        for index in 0..net.client_count() {
            let events = std::iter::from_fn(|| net.client_mut(index).poll_event());
            let poisoned = { events }.find(|event| matches!(event, ClientEvent::Poisoned { .. }));
            assert_eq!(poisoned, None, "seed {seed}");
        }
        let failed = std::iter::from_fn(|| net.server.poll_event()).find(|event| {
            matches!(
                event,
                ServerEvent::SerializeFailed { .. } | ServerEvent::Misbehaved { .. }
            )
        });
        assert_eq!(failed, None, "seed {seed}");
    }
}
