//! Simulated games with state on unreliable channels: links lose and reorder packets, clients come, go and return to
//! their sessions, and every replica equals the server's object in the end.

use std::time::Duration;

use syncvar::interest::{SpatialGrid, Tag};
use syncvar::prelude::*;
use syncvar::testing::{Conditions, Random};
use syncvar::values::{Quaternion, Vector3};
use syncvar::{Budget, NetworkIdentity, ServerConfig};
use syncvar_testing::token;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Glider {
    #[sync_var]
    x: SyncVar<u32>,
    #[sync_var(min_interval = 0.3)]
    y: SyncVar<u32>,
    #[sync_var(read = owner)]
    fuel: SyncVar<u32>,
    #[sync_var(read = others)]
    mask: SyncVar<u32>,
    #[sync_var(read = group)]
    call_sign: SyncVar<u32>,
    #[sync_var(write = owner)]
    stick: SyncVar<u32>,
    #[sync_var(write = owner, server_override)]
    flaps: SyncVar<u32>,
    #[sync_var]
    track: SyncList<u32>,
    #[sync_var]
    tale: SyncVar<String>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable, redundancy = 1)]
struct Beacon {
    #[sync_var]
    beat: SyncVar<u32>,
    #[sync_var]
    colour: SyncVar<u32>,
}

#[derive(NetworkBehaviour, Default)]
struct Base {
    #[sync_var]
    name: SyncVar<u32>,
    #[sync_var]
    log: SyncList<u32>,
}

pub(super) fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<(Base, Glider)>("glider")
        .register::<(Beacon, Base)>("beacon")
}

/// Returns a network of two clients. `prefabs` makes the registry of the server, and then of each client.
pub(super) fn network(
    seed: u64,
    prefabs: impl Fn() -> Prefabs + Send + Sync + 'static,
) -> MemoryNetwork {
    let mut config = ServerConfig {
        packet_size: 400,
        ..ServerConfig::default()
    };
    #[cfg(feature = "parallel")]
    {
        config.parallel_from = 1;
    }
    if seed.is_multiple_of(2) {
        config.reconnect_grace = Duration::from_secs(5);
        config.session_tokens = Some(token);
    }
    let link = Conditions {
        seed,
        ..Conditions::default()
    };
    let mut net = if seed.is_multiple_of(3) {
        MemoryNetwork::with_interest(prefabs, config, link, SpatialGrid::xz(10.0, 30.0))
    } else {
        MemoryNetwork::with_config(prefabs, config, link)
    };
    if seed.is_multiple_of(5) {
        net.server.connect_local();
    }
    net.connect();
    net.connect();
    net
}

/// Runs one step of the game.
pub(super) fn play(net: &mut MemoryNetwork, random: &mut Random) {
    let ids: Vec<_> = net
        .server
        .identities()
        .map(NetworkIdentity::net_id)
        .collect();
    if ids.len() < 6 || random.chance(30) {
        let options = SpawnOptions {
            hidden: random.chance(100),
            ..SpawnOptions::default()
        };
        let spawned = if random.chance(700) {
            net.server
                .try_spawn((Base::default(), Glider::default()), options)
        } else {
            net.server
                .try_spawn((Beacon::default(), Base::default()), options)
        };
        spawned.unwrap();
    }
    let Some(id) = random.pick(&ids).copied() else {
        return;
    };
    let client = random.below(u32::try_from(net.client_count()).unwrap()) as usize;
    let connection = net.connection(client);
    // The client may be away.
    match random.below(24) {
        0 => drop(net.server.set_owner(id, Some(connection))),
        1 => drop(net.server.set_owner(id, None)),
        2 => drop(net.server.hide(id, connection)),
        3 | 4 => drop(net.server.show(id, connection)),
        5 => drop(net.server.restore(id, connection)),
        6 => drop(
            net.server
                .set_group(id, random.chance(700).then_some(Tag(1))),
        ),
        7 => drop(net.server.join_group(connection, Tag(1))),
        8 => drop(net.server.leave_group(connection, Tag(1))),
        9 => {
            let budget = random
                .chance(500)
                .then(|| Budget::new(50 + random.below(400) as usize));
            drop(net.server.set_budget(connection, budget));
        }
        10 => {
            let place = Vector3::new(random.between(-60.0, 60.0), 0.0, 0.0);
            net.server
                .set_transform(id, place, Quaternion::IDENTITY)
                .unwrap();
        }
        11 => {
            let place = Vector3::new(random.between(-60.0, 60.0), 0.0, 0.0);
            if let Ok(grid) = net.server.interest_mut::<SpatialGrid>() {
                drop(grid.watch(connection, place));
            }
        }
        12 if random.chance(200) => net.server.set_not_ready(connection),
        13 => net.server.set_ready(connection),
        14 if ids.len() > 6 => net.server.despawn(id).unwrap(),
        _ => {}
    }
    for id in &ids {
        change(net, *id, random);
    }
    let client = net.client_mut(client);
    if let Ok(mut glider) = client.get_mut::<Glider>(id) {
        if random.chance(500) {
            glider.stick.set(random.below(100));
        }
        if random.chance(500) {
            glider.flaps.set(random.below(100));
        }
    }
}

/// Changes fields of an object.
fn change(net: &mut MemoryNetwork, id: NetId, random: &mut Random) {
    if let Ok(mut glider) = net.server.get_mut::<Glider>(id) {
        let value = random.below(1000);
        if random.chance(300) {
            glider.x.set(value);
        }
        if random.chance(200) {
            glider.y.set(value);
        }
        if random.chance(200) {
            glider.fuel.set(value);
            glider.mask.set(value);
            glider.call_sign.set(value);
        }
        if random.chance(200) {
            glider.track.push(value);
        }
        if random.chance(100) && glider.track.len() > 2 {
            glider.track.remove(0);
        }
        if random.chance(60) {
            glider.flaps.set(value);
        }
        if random.chance(100) {
            let length = if random.chance(100) { 1500 } else { 5 };
            glider.tale.set(format!("{value:0>length$}"));
        }
    }
    if let Ok(mut beacon) = net.server.get_mut::<Beacon>(id) {
        *beacon.beat += 1;
        if random.chance(100) {
            beacon.colour.set(random.below(9));
        }
    }
    if let Some(mut base) = net
        .server
        .get_mut::<Base>(id)
        .ok()
        .filter(|_| random.chance(100))
    {
        base.name.set(random.below(1000));
        base.log.push(random.below(1000));
    }
}

#[test]
fn games_with_lossy_state_converge() {
    for seed in 0..60 {
        let mut net = network(seed, prefabs);
        net.simulate(seed, 150, play);
        let failed = std::iter::from_fn(|| net.server.poll_event()).find(|event| {
            matches!(
                event,
                ServerEvent::SerializeFailed { .. } | ServerEvent::Misbehaved { .. }
            )
        });
        assert_eq!(failed, None, "seed {seed}");
    }
}
