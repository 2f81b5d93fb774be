//! Connections that miss changes of a collection, and those that do not.

use syncvar::prelude::*;
use syncvar::{Budget, ServerConfig, testing::Conditions};

/// A list that grows with every tick and is sent with every second or third.
#[derive(NetworkBehaviour, Default)]
struct Journal {
    #[sync_var]
    entries: SyncList<u32>,
    #[sync_var]
    read: SyncVar<u32>,
}

/// A list that is sent now and then.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 3600)]
struct Archive {
    #[sync_var]
    entries: SyncList<u32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Noise {
    #[sync_var]
    level: SyncVar<[u32; 8]>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Journal>("journal")
        .register::<(Archive, Noise)>("archive")
        .register::<Noise>("noise")
}

/// Two clients; the first has a budget that is spent on the first objects.
fn world() -> (MemoryNetwork, Vec<NetId>) {
    let mut net =
        MemoryNetwork::with_config(prefabs, ServerConfig::default(), Conditions::default());
    net.ping_interval = std::time::Duration::ZERO;
    net.connect();
    net.connect();
    let noise = (0..9).map(|_| net.server.spawn(Noise::default()));
    let noise = noise.collect();
    net.settle();
    let limited = net.connection(0);
    net.server
        .set_budget(limited, Some(Budget::new(60)))
        .unwrap();
    (net, noise)
}

fn make_noise(net: &mut MemoryNetwork, noise: &[NetId]) {
    for id in noise {
        net.server.get_mut::<Noise>(*id).unwrap().level[0] += 1;
    }
}

/// What one connection has missed is no reason to send a list whole to another.
#[test]
fn unlimited_client_gets_operations_despite_others_backlog() {
    let (mut net, noise) = world();
    let id = net.server.spawn(Journal {
        entries: (0..10_000).collect(),
        ..Journal::default()
    });
    net.settle();
    let before = net.client(1).stats().received.bytes;
    for tick in 0..100 {
        let mut journal = net.server.get_mut::<Journal>(id).unwrap();
        journal.entries.push(tick);
        journal.read += 1;
        drop(journal);
        make_noise(&mut net, &noise);
        net.step();
    }
    net.settle();
    let bytes = net.client(1).stats().received.bytes - before;
    assert!(
        bytes < 20_000,
        "{bytes} bytes, and the list is as long as that"
    );
    for client in 0..2 {
        let replica = net.client(client).get::<Journal>(id).unwrap();
        assert_eq!(replica.entries.len(), 10_100, "client {client}");
    }
}

/// Operations that wait for a long time do not keep back what has been missed for as long.
#[test]
fn backlog_beside_pending_operations_arrives() {
    let (mut net, noise) = world();
    let id = net.server.spawn((Archive::default(), Noise::default()));
    net.settle();
    for _ in 0..20 {
        make_noise(&mut net, &noise);
        net.server.get_mut::<Noise>(id).unwrap().level[1] += 1;
        net.step();
    }
    net.server.get_mut::<Noise>(id).unwrap().level[1] = 7;
    make_noise(&mut net, &noise);
    net.step();
    let level = |net: &MemoryNetwork| net.client(0).get::<Noise>(id).unwrap().level[1];
    assert_ne!(level(&net), 7, "it does not fit the budget");
    net.server.get_mut::<Archive>(id).unwrap().entries.push(1);
    for _ in 0..400 {
        make_noise(&mut net, &noise);
        net.step();
    }
    assert_eq!(level(&net), 7);
}
