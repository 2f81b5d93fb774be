//! Cost of links that lose packets: bytes of repeated changes, and repairs of values that have arrived.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::testing::{Conditions, Random};
use syncvar::{NetworkBehaviour, ServerConfig};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Once {
    #[sync_var]
    place: SyncVar<[f32; 3]>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable, redundancy = 1)]
struct Twice {
    #[sync_var]
    place: SyncVar<[f32; 3]>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable, gather = false)]
struct AtOnce {
    #[sync_var]
    place: SyncVar<[f32; 3]>,
}

/// Returns a network of 30 ticks a second with one client and 80 ms of round trip.
fn network() -> MemoryNetwork {
    let prefabs = || {
        Prefabs::new()
            .register::<Once>("once")
            .register::<Twice>("twice")
            .register::<AtOnce>("at once")
    };
    let config = ServerConfig {
        tick_rate: 30,
        ..ServerConfig::default()
    };
    let link = Conditions {
        delay: Duration::from_millis(40),
        seed: 3,
        ..Conditions::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, config, link);
    net.tick = Duration::from_secs(1) / 30;
    net.ping_interval = Duration::ZERO;
    net.datagrams = true;
    net.connect();
    net
}

/// Spawns objects of a class, and lets the client have them.
fn spawn<B: NetworkBehaviour + Default>(net: &mut MemoryNetwork, count: usize) -> Vec<NetId> {
    let ids = (0..count).map(|_| net.server.spawn(B::default()));
    let ids = ids.collect();
    net.settle();
    ids
}

#[test]
fn repeated_changes_make_no_datagrams_on_a_clean_link() {
    /// Bytes of the headers of UDP and IPv4 before each datagram.
    const HEADERS: u64 = 28;

    let once = sparse_minute::<Once>(|server, id, value| {
        server.get_mut::<Once>(id).unwrap().place.set([value; 3]);
    });
    let twice = sparse_minute::<Twice>(|server, id, value| {
        server.get_mut::<Twice>(id).unwrap().place.set([value; 3]);
    });
    assert_eq!(twice.0, once.0, "packets");
    let [once, twice] = [once, twice].map(|(packets, bytes)| bytes + packets * HEADERS);
    assert!(twice > once, "a change is repeated with the next one");
    assert!(
        twice * 100 <= once * 140,
        "{twice} bytes with repetitions, {once} without"
    );

    /// Returns the packets and bytes of a minute in which each of ten objects changes in one of fifty ticks.
    fn sparse_minute<B: NetworkBehaviour + Default>(
        write: impl Fn(&mut NetworkServer, NetId, f32),
    ) -> (u64, u64) {
        let mut net = network();
        let ids = spawn::<B>(&mut net, 10);
        let before = net.client(0).stats().received;
        let mut random = Random::new(11);
        for step in 0..1_800_u16 {
            for id in &ids {
                if random.chance(20) {
                    write(&mut net.server, *id, step.into());
                }
            }
            net.step();
        }
        net.settle();
        net.assert_replicas_equal();
        let after = net.client(0).stats().received;
        (after.messages - before.messages, after.bytes - before.bytes)
    }
}

/// No datagram of the server is lost, only acknowledgements.
#[test]
fn a_lost_acknowledgement_repairs_nothing() {
    let mut net = network();
    let ids = spawn::<Once>(&mut net, 400);
    let link = net.uplink(0).clone();
    let lossy = Conditions { loss: 0.2, ..link };
    net.set_uplink(0, lossy);
    for step in 0..900_u16 {
        for id in &ids {
            let mut object = net.server.get_mut::<Once>(*id).unwrap();
            object.place.set([step.into(); 3]);
        }
        net.step();
    }
    let losses = net.server.losses(net.connection(0)).unwrap().unwrap();
    assert!(losses.spurious <= 6, "{losses:?}");
}

#[test]
fn values_without_gather_are_late_only_if_lost() {
    let gathered = late_values::<Once>(
        |server, id, value| {
            server.get_mut::<Once>(id).unwrap().place.set([value; 3]);
        },
        |client, id| client.get::<Once>(id).unwrap().place[0],
    );
    let at_once = late_values::<AtOnce>(
        |server, id, value| {
            server.get_mut::<AtOnce>(id).unwrap().place.set([value; 3]);
        },
        |client, id| client.get::<AtOnce>(id).unwrap().place[0],
    );
    println!("late values of 1 000: {gathered} gathered, {at_once} at once");
    assert!(
        gathered >= 400,
        "{gathered} of 1 000 wait for a lost datagram of their tick"
    );
    assert!(
        at_once <= 60,
        "{at_once} of 1 000 are late, of which 50 are lost"
    );

    /// Returns how many of a thousand values are late at the client, and how many of its ticks are: 12 datagrams in each
    /// tick, 5 % of them lost.
    fn late_values<B: NetworkBehaviour + Default>(
        write: impl Fn(&mut NetworkServer, NetId, f32),
        read: impl Fn(&NetworkClient, NetId) -> f32,
    ) -> u64 {
        let mut net = network();
        let ids = spawn::<B>(&mut net, 760);
        let link = net.downlink(0).clone();
        net.set_downlink(0, Conditions { loss: 0.05, ..link });
        let (mut late, mut count) = (0, 0);
        let mut least = f32::MAX;
        for step in 0..240_u16 {
            for id in &ids {
                write(&mut net.server, *id, step.into());
            }
            let before = net.client(0).stats().received.messages;
            net.step();
            if step < 20 {
                continue;
            }
            let arrived = net.client(0).stats().received.messages - before;
            assert!((6..=15).contains(&arrived), "{arrived} datagrams");
            for id in &ids {
                let age = f32::from(step) - read(net.client(0), *id);
                least = least.min(age);
                late += u64::from(age > least);
                count += 1;
            }
        }
        late * 1_000 / count
    }
}
