//! Clients over a restart of the server.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar_testing::{drain, server_events, steps};

use super::{Place, Unit, network, prefabs, reload, unit};

/// Puts the network's server in its place, as after the end of its process.
fn restart(net: &mut MemoryNetwork, prefabs: fn() -> Prefabs) {
    let save = net.server.save().unwrap();
    for client in 0..net.client_count() {
        net.cut(client);
        drain(net, client);
    }
    net.server = reload(&save, prefabs);
}

fn return_all(net: &mut MemoryNetwork) {
    for client in 0..net.client_count() {
        net.reconnect(client);
    }
    net.settle();
}

/// Conditions of a link with datagrams that loses some of them.
fn lossy() -> Conditions {
    Conditions {
        delay: Duration::from_millis(40),
        loss: 0.1,
        ..Conditions::default()
    }
}

#[test]
fn clients_keep_their_objects_over_a_restart_and_hear_of_differences_only() {
    for link in [Conditions::default(), lossy()] {
        let (mut net, ids) = network(link);
        let connections = [net.connection(0), net.connection(1)];
        steps(&mut net, 5);
        restart(&mut net, prefabs);
        // While the clients are away.
        net.server.get_mut::<Unit>(ids[2]).unwrap().health.set(50);
        net.server.get_mut::<Unit>(ids[0]).unwrap().gold.set(51);
        net.client_mut(0)
            .get_mut::<Unit>(ids[0])
            .unwrap()
            .aim
            .set(99);
        steps(&mut net, 3);
        server_events(&mut net.server);
        return_all(&mut net);
        steps(&mut net, 20);
        for (client, connection) in connections.into_iter().enumerate() {
            assert_eq!(net.connection(client), connection);
            let returned = ServerEvent::Returned {
                connection,
                resumed: false,
            };
            assert!(server_events(&mut net.server).contains(&returned) || client == 1);
            let events = drain(&mut net, client);
            for event in &events {
                let is_new = matches!(
                    event,
                    ClientEvent::Despawned { .. } | ClientEvent::Spawned { .. }
                );
                assert!(!is_new, "{event:?}");
            }
            let hooks = |id: NetId| &net.client(client).get::<Unit>(id).unwrap().hooks;
            assert_eq!(*hooks(ids[2]), [3]);
            assert!(hooks(ids[0]).is_empty() && hooks(ids[1]).is_empty());
        }
        assert_eq!(net.server.get::<Unit>(ids[0]).unwrap().aim, 99);
        assert_eq!(net.client(0).get::<Unit>(ids[0]).unwrap().gold, 51);
        net.assert_replicas_equal();
        // The game goes on.
        net.server.get_mut::<Place>(ids[2]).unwrap().x.set(12.0);
        net.client_mut(1)
            .get_mut::<Unit>(ids[1])
            .unwrap()
            .aim
            .set(7);
        let born = net.server.spawn(unit(3));
        net.settle();
        assert_eq!(net.client(0).get::<Place>(ids[2]).unwrap().x, 12.0);
        assert_eq!(net.server.get::<Unit>(ids[1]).unwrap().aim, 7);
        assert!(net.client(1).get::<Unit>(born).is_some());
        net.assert_replicas_equal();
    }
}

#[test]
fn client_that_does_not_return_leaves_its_objects() {
    let (mut net, ids) = network(Conditions::default());
    let (ann, bob) = (net.connection(0), net.connection(1));
    restart(&mut net, prefabs);
    net.reconnect(1);
    steps(&mut net, 40 * 30);
    assert!(!net.server.is_connected(ann) && net.server.is_connected(bob));
    assert_eq!(net.server.owner(ids[0]), None);
    let ended = server_events(&mut net.server).into_iter();
    let ended = ended.filter_map(|event| match event {
        ServerEvent::Disconnected {
            connection, owned, ..
        } => Some((connection, owned)),
        _ => None,
    });
    assert_eq!(ended.collect::<Vec<_>>(), [(ann, vec![ids[0]])]);
}

#[test]
fn objects_wait_for_a_player_who_comes_without_a_session() {
    let (mut net, ids) = network(Conditions::default());
    let [ann, bob] = [net.connection(0), net.connection(1)];
    net.server.set_player_key(ann, "ann").unwrap();
    net.server.set_player_key(bob, "bob").unwrap();
    let save = net.server.save().unwrap();
    // A server without sessions, a week later; then a save of this server.
    let mut server = NetworkServer::new(prefabs());
    server.load(&save).unwrap();
    assert_eq!(server.owner(ids[0]), None);
    let save = server.save().unwrap();
    let mut net = MemoryNetwork::new(prefabs);
    net.server.load(&save).unwrap();
    let client = net.connect();
    net.settle();
    let connection = net.connection(client);
    assert_eq!(
        net.server.set_player_key(connection, "ann").unwrap(),
        [ids[0]]
    );
    assert_eq!(net.server.player_key(connection), Some(&b"ann"[..]));
    net.settle();
    assert!(net.client(client).is_owner(ids[0]));
    assert_eq!(net.client(client).get::<Unit>(ids[0]).unwrap().gold, 1);
    assert_eq!(
        net.server.set_player_key(connection, "bob").unwrap(),
        [ids[1]]
    );

    // A player without its session takes the place of the absent connection with the key.
    let (mut net, ids) = network(Conditions::default());
    let ann = net.connection(0);
    net.server.set_player_key(ann, "ann").unwrap();
    restart(&mut net, prefabs);
    let client = net.connect();
    net.settle();
    let connection = net.connection(client);
    assert_eq!(
        net.server.set_player_key(connection, "ann").unwrap(),
        [ids[0]]
    );
    assert!(!net.server.is_connected(ann));
}

mod next {
    //! The next build of the game.

    use syncvar::behaviour::Optional;
    use syncvar::prelude::*;

    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    pub(super) struct Unit {
        #[sync_var]
        pub(super) shield: SyncVar<u32>,
        #[sync_var(was = "health")]
        pub(super) hp: SyncVar<i64>,
        #[sync_var(read = server, was = "account")]
        pub(super) user: SyncVar<String>,
        #[sync_var(read = server)]
        pub(super) gold: SyncVar<u64>,
        #[sync_var(read = group)]
        pub(super) plan: SyncList<String>,
        #[sync_var(write = owner)]
        pub(super) aim: SyncVar<i32>,
        #[sync_var]
        pub(super) target: SyncVar<NetRef>,
    }

    pub(super) fn prefabs() -> Prefabs {
        Prefabs::new()
            .register::<(Unit, super::super::Place, Optional<super::super::Shield>)>("unit")
            .register::<super::super::Place>("place")
    }
}

#[test]
fn next_build_loads_the_state_and_the_clients_return_to_it() {
    let (mut net, ids) = network(Conditions::default());
    restart(&mut net, next::prefabs);
    let unit = net.server.get::<next::Unit>(ids[0]).unwrap();
    assert_eq!(
        (*unit.hp, &**unit.user, *unit.gold, *unit.aim),
        (1, "account 1", 1, -1)
    );
    assert_eq!(unit.plan.to_vec(), ["plan 1"]);
    assert_eq!(unit.target.id(), ids[6]);
    net.server.get_mut::<next::Unit>(ids[2]).unwrap().hp.set(60);
    return_all(&mut net);
    for client in 0..2 {
        let events = drain(&mut net, client);
        let is_new = |event: &ClientEvent| {
            matches!(
                event,
                ClientEvent::Despawned { .. } | ClientEvent::Spawned { .. }
            )
        };
        assert!(!events.iter().any(is_new), "{events:?}");
        let replica = net.client(client).get::<Unit>(ids[2]).unwrap();
        assert_eq!((*replica.health, &replica.hooks[..]), (60, &[3][..]));
        assert!(
            net.client(client)
                .get::<Unit>(ids[1])
                .unwrap()
                .hooks
                .is_empty()
        );
    }
    net.client_mut(0)
        .get_mut::<Unit>(ids[0])
        .unwrap()
        .aim
        .set(5);
    net.settle();
    assert_eq!(net.server.get::<next::Unit>(ids[0]).unwrap().aim, 5);
}
