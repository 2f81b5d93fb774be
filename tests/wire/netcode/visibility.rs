//! Hidden and shown objects.

use syncvar::prelude::*;

use syncvar_testing::{Player, change, drain, network, states};

const ANN: fn(i32) -> Option<(i32, String, u32)> = |health| Some((health, "Ann".into(), 0));

/// T40: several objects, hidden from one client after another and shown again one by one; what
/// changes meanwhile reaches those who see them, and comes to the others with the show.
#[test]
fn several_objects_are_hidden_and_shown_one_by_one() {
    let mut net = network(2);
    let ids: Vec<_> = (0..3)
        .map(|_| net.server.spawn(Player::new(1, "Ann")))
        .collect();
    net.settle();
    let connection = net.connection(1);
    for (hidden, id) in ids.iter().enumerate() {
        net.server.hide(*id, connection).unwrap();
        assert!(!net.server.is_visible(*id, connection));
        net.settle();
        assert_eq!(net.client(1).object_count(), 2 - hidden);
        assert_eq!(net.client(0).object_count(), 3);
    }
    for id in &ids {
        change(&mut net, *id, |player| player.health.set(5));
    }
    net.settle();
    drain(&mut net, 1);
    for id in &ids {
        assert_eq!(states(&net, *id), [ANN(5), None]);
        net.server.show(*id, connection).unwrap();
        net.settle();
        assert_eq!(states(&net, *id), [ANN(5), ANN(5)]);
        assert_eq!(drain(&mut net, 1), [ClientEvent::Spawned { object: *id }]);
    }
}

/// T40: as one list, in one update.
#[test]
fn several_objects_are_hidden_and_shown_together() {
    let mut net = network(2);
    let ids: Vec<_> = (0..3)
        .map(|_| net.server.spawn(Player::new(1, "Ann")))
        .collect();
    net.settle();
    let connection = net.connection(1);
    drain(&mut net, 1);
    for id in &ids {
        net.server.hide(*id, connection).unwrap();
    }
    net.settle();
    for id in &ids {
        change(&mut net, *id, |player| player.health.set(2));
    }
    net.settle();
    let gone = |id: &NetId| ClientEvent::Despawned {
        object: *id,
        hidden: true,
    };
    assert_eq!(drain(&mut net, 1), ids.iter().map(gone).collect::<Vec<_>>());
    for id in &ids {
        net.server.show(*id, connection).unwrap();
    }
    net.settle();
    let here = |id: &NetId| ClientEvent::Spawned { object: *id };
    assert_eq!(drain(&mut net, 1), ids.iter().map(here).collect::<Vec<_>>());
    for id in &ids {
        assert_eq!(states(&net, *id), [ANN(2), ANN(2)]);
    }
}

/// T47: what is hidden from everybody from the start is nowhere; to hide, show and despawn it leaves
/// nothing behind and no packet that a client does not understand.
#[test]
fn hidden_object_is_on_no_client_and_changes_views_cleanly() {
    let mut net = network(2);
    let new = Player::new(1, "Ann");
    let id = net.server.try_spawn(new, spawned_hidden()).unwrap();
    net.settle();
    assert_eq!(states(&net, id), [None, None]);
    assert!((0..2).all(|client| drain(&mut net, client).is_empty()));

    let connection = net.connection(0);
    net.server.show(id, connection).unwrap();
    net.settle();
    assert_eq!(states(&net, id), [ANN(1), None]);
    net.server.hide(id, connection).unwrap();
    net.settle();
    assert_eq!(states(&net, id), [None, None]);
    net.server.show(id, connection).unwrap();
    net.settle();
    net.server.despawn(id).unwrap();
    net.settle();
    assert_eq!(states(&net, id), [None, None]);
    let here = ClientEvent::Spawned { object: id };
    let gone = |hidden| ClientEvent::Despawned { object: id, hidden };
    let expected = [here.clone(), gone(true), here, gone(false)];
    assert_eq!(drain(&mut net, 0), expected);
    assert_eq!(drain(&mut net, 1), [], "it has never heard of it");
    for client in 0..2 {
        assert_eq!(net.client(client).object_count(), 0);
        assert_eq!(net.client(client).stats().unknown_objects, 0);
    }

    fn spawned_hidden() -> SpawnOptions {
        SpawnOptions {
            hidden: true,
            ..SpawnOptions::default()
        }
    }
}

/// T48: with observers everybody has it, those who join later too; without, nobody has, they neither,
/// until it is shown to them.
#[test]
fn late_joiner_receives_visible_objects_only() {
    for hidden in [false, true] {
        let mut net = network(1);
        let options = SpawnOptions {
            hidden,
            ..SpawnOptions::default()
        };
        let id = net
            .server
            .try_spawn(Player::new(1, "Ann"), options)
            .unwrap();
        net.settle();
        let late = net.connect();
        net.settle();
        let expected = if hidden { None } else { ANN(1) };
        assert_eq!(states(&net, id), [expected.clone(), expected]);
        if hidden {
            change(&mut net, id, |player| player.health.set(2));
            let connection = net.connection(late);
            net.server.show(id, connection).unwrap();
            net.settle();
            assert_eq!(states(&net, id), [None, ANN(2)]);
        }
    }
}
