//! What it takes for a variable to travel: an object with a behaviour, spawned.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{
    PacketLimits,
    behaviour::BehaviourList,
    error::{PrefabError, SpawnError},
};

use syncvar_testing::{Door, Pair, Player, change, drain, network, states};

/// B1: an object, and at least one behaviour that its prefab is registered with. An object without
/// behaviours cannot be spawned by mistake, and a behaviour that nobody registered cannot either.
#[test]
fn object_needs_at_least_one_behaviour() {
    let mut net = network(1);
    let nothing = BehaviourList::new();
    let error = net.server.try_spawn(nothing, SpawnOptions::default());
    assert_eq!(
        error,
        Err(SpawnError::Prefab(PrefabError::NotRegistered("[]".into())))
    );
    let error = net.server.try_spawn(
        (Player::default(), Door::default()),
        SpawnOptions::default(),
    );
    assert!(
        matches!(
            error,
            Err(SpawnError::Prefab(PrefabError::NotRegistered(_)))
        ),
        "{error:?}"
    );
    net.settle();
    assert_eq!(net.client(0).object_count(), 0);

    let id = net.server.spawn(Door::default());
    net.settle();
    net.server.get_mut::<Door>(id).unwrap().open.set(true);
    net.settle();
    assert_eq!(net.client(0).get::<Door>(id).unwrap().open, true);
}

/// N6: what synchronises a variable is the object that its behaviour stands on, whichever of the
/// object's behaviours that is. A behaviour of no object is a struct like any other.
#[test]
fn variable_travels_with_its_behaviours_object() {
    let mut net = network(1);
    let mut loose = Player::new(1, "nobody's");
    loose.health.set(2);
    assert!(loose.health.is_dirty());
    net.settle();
    assert_eq!(net.client(0).object_count(), 0);
    assert_eq!(drain(&mut net, 0), []);

    let id = net.server.spawn((Door::default(), loose));
    net.settle();
    change(&mut net, id, |player| player.health.set(3));
    net.settle();
    let expected = Some((3, "nobody's".into(), 0));
    assert_eq!(states(&net, id), [expected]);
}

/// N7: values are given while a behaviour is made, and while its object is spawned; each of them
/// arrives. Afterwards there is nothing that could be written to.
#[test]
fn values_can_be_set_before_and_after_the_spawn() {
    let mut net = network(1);
    let mut player = Player::new(1, "declared");
    player.name.set("initialised".into());
    let id = net.server.spawn(player);
    change(&mut net, id, |player| player.score.set(3));
    net.settle();
    let expected = Some((1, "initialised".into(), 3));
    assert_eq!(states(&net, id), [expected]);
    assert_eq!(syncvar_testing::hooks(&mut net, 0, id), [""; 0]);

    change(&mut net, id, |player| player.health.set(2));
    net.settle();
    let expected = Some((2, "initialised".into(), 3));
    assert_eq!(states(&net, id), [expected]);

    net.server.despawn(id).unwrap();
    assert!(net.server.get_mut::<Player>(id).is_err());
    assert!(net.server.get_mut::<Player>(NetId(77)).is_err());
    net.settle();
    assert!(net.client_mut(0).get_mut::<Player>(id).is_err());
}

/// T9: the server has no clock, and none of the game's: it is told the time with each update. However
/// much passes between two of them, what has changed arrives; while it stands still, what waits is
/// kept and comes when it goes on.
#[test]
fn changes_arrive_at_any_pace_of_the_game() {
    for pace in [
        Duration::from_nanos(1),
        Duration::from_millis(16),
        Duration::from_hours(1),
    ] {
        let prefabs = syncvar_testing::prefabs;
        let (server, client) = (NetworkServer::new(prefabs()), NetworkClient::new(prefabs()));
        let mut pair = Pair::connect(server, client, PacketLimits::STREAM);
        pair.tick = Duration::ZERO;
        pair.steps(3);
        assert!(pair.client.is_connected());
        let id = pair.server.spawn(Door::default());
        let mut open_at = |now, open| {
            pair.server.get_mut::<Door>(id).unwrap().open.set(open);
            pair.server.update(now);
            pair.release_all();
            pair.client.get::<Door>(id).unwrap().open == true
        };
        for round in 1..=4 {
            let open = round % 2 == 1;
            assert_eq!(open_at(pace * round, open), open, "{pace:?}");
        }
        assert!(!open_at(pace * 4, true), "time stands still");
        assert!(open_at(pace * 5, true));
    }
}
