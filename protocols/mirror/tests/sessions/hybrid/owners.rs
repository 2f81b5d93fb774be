//! Objects that change hands while something is on its way.

use syncvar::mirror::*;
use syncvar::prelude::*;

use super::net::{Aim, Body, Car, Fuel, HybridNetwork, SECOND, joined};
use syncvar_testing::mirror::{MirrorNetwork, Quality};

fn lossy(net: &mut MirrorNetwork) {
    net.quality(Quality {
        lost: 100,
        ..Quality::default()
    });
}

#[test]
fn next_owner_receives_writes_of_the_former() {
    let (mut net, [first, second]) = joined();
    let third = net.connect();
    let car = net.server.spawn(Car::default());
    net.server.set_owner(car, Some(first)).unwrap();
    net.frames(SECOND);
    net.client(first).get_mut::<Aim>(car).unwrap().yaw.set(3);
    net.frame();
    net.client(first).get_mut::<Aim>(car).unwrap().yaw.set(4);
    net.frames(5);
    lossy(&mut net);
    net.states();
    net.server.set_owner(car, Some(second)).unwrap();
    net.frame();
    let said: Vec<_> = net
        .states()
        .into_iter()
        .filter(|line| line.contains("baseline"))
        .collect();
    let baseline = |to: ConnectionId| {
        said.iter()
            .any(|line| line.starts_with(&format!("to {}:", to.0)))
    };
    assert!([first, second, third].into_iter().all(baseline), "{said:?}");
    for client in [first, second, third] {
        assert_eq!(*net.seen::<Aim>(client, car).yaw, 4);
    }
    // Nothing of it is left.
    net.frames(2 * SECOND);
    net.states();
    net.client(second).get_mut::<Aim>(car).unwrap().yaw.set(5);
    net.frames(2 * SECOND);
    for client in [first, second, third] {
        assert_eq!(*net.seen::<Aim>(client, car).yaw, 5);
    }
}

/// The baseline that is sent when an object changes hands is for all: whoever did not have it would take no
/// change of any component until the next one.
#[test]
fn former_owner_keeps_receiving_changes() {
    let (mut net, [first, second]) = joined();
    let car = net.server.spawn(Car::default());
    net.server.set_owner(car, Some(first)).unwrap();
    // Right behind a baseline: the next one is far.
    net.frames(SECOND + 2);
    net.client(first).get_mut::<Aim>(car).unwrap().yaw.set(3);
    net.frames(3);
    net.server.set_owner(car, Some(second)).unwrap();
    net.frames(3);
    net.server.get_mut::<Body>(car).unwrap().x.set(9);
    net.frames(5);
    for client in [first, second] {
        assert_eq!(*net.seen::<Body>(client, car).x, 9);
    }
}

/// Its client counts on from where it was; the server does not know where that is.
#[test]
fn an_owner_that_gets_an_object_back_is_heard_at_once() {
    let (mut net, [first, second]) = joined();
    let car = net.server.spawn(Car::default());
    net.server.set_owner(car, Some(first)).unwrap();
    net.frames(3);
    for yaw in 1..=3 {
        net.client(first).get_mut::<Aim>(car).unwrap().yaw.set(yaw);
        net.frames(SECOND);
    }
    net.server.set_owner(car, Some(second)).unwrap();
    net.frames(SECOND + 2);
    net.server.set_owner(car, Some(first)).unwrap();
    net.frames(3);
    net.client(first).get_mut::<Aim>(car).unwrap().yaw.set(7);
    net.frames(5);
    for client in [first, second] {
        assert_eq!(*net.seen::<Aim>(client, car).yaw, 7);
    }
    assert_eq!(*net.server.get::<Aim>(car).unwrap().yaw, 7);
}

#[test]
fn new_owner_receives_owner_only_state() {
    let (mut net, [first, second]) = joined();
    let car = net.server.spawn(Car::default());
    net.server.set_owner(car, Some(first)).unwrap();
    net.server.get_mut::<Fuel>(car).unwrap().left.set(7);
    // What comes before its object is spawned is lost.
    net.frames(2);
    assert_eq!(*net.seen::<Fuel>(first, car).left, 7);
    net.server.set_owner(car, Some(second)).unwrap();
    net.frame();
    assert_eq!(
        *net.seen::<Fuel>(second, car).left,
        7,
        "it is counted from what it has"
    );
    net.server.get_mut::<Fuel>(car).unwrap().left.set(8);
    net.frames(SECOND);
    assert_eq!(*net.seen::<Fuel>(second, car).left, 8);
    assert_eq!(*net.seen::<Fuel>(first, car).left, 7);
    net.server.set_owner(car, Some(first)).unwrap();
    net.frames(SECOND);
    assert_eq!(*net.seen::<Fuel>(first, car).left, 8);
}

#[test]
fn a_new_owner_goes_on_from_the_baselines_that_all_were_sent() {
    let (mut net, [first, second]) = joined();
    let car = net.server.spawn(Car::default());
    net.server.set_owner(car, Some(first)).unwrap();
    net.frames(2);
    // Baselines for all but the owner.
    for yaw in 1..4 {
        net.client(first).get_mut::<Aim>(car).unwrap().yaw.set(yaw);
        net.frames(SECOND);
    }
    net.server.set_owner(car, Some(second)).unwrap();
    net.server.get_mut::<Fuel>(car).unwrap().left.set(6);
    net.frame();
    assert_eq!(*net.seen::<Fuel>(second, car).left, 6);
    net.set_x(car, 5);
    net.frame();
    assert_eq!(net.xs([second], car), [5]);
    net.frames(SECOND);
    assert_eq!(net.xs([first, second], car), [5, 5]);
}

#[test]
fn owner_only_owner_written_state_reaches_the_next_owner() {
    let secret = Component::new()
        .sync_mode(SyncMode::Owner)
        .sync_direction(SyncDirection::ClientToServer);
    let prefab = MirrorPrefab::new("aim", 1.into()).component(0, secret);
    let prefabs = move || MirrorPrefabs::new().register::<Aim>(prefab.clone());
    let mut net = MirrorNetwork::of_observers(prefabs, MirrorServerConfig::default());
    net.frames(SECOND + SECOND / 2);
    let all = [(); 2].map(|()| net.connect());
    net.frame();
    let aim = net.server.spawn(Aim::default());
    net.server.set_owner(aim, Some(all[0])).unwrap();
    net.frame();
    net.client(all[0]).get_mut::<Aim>(aim).unwrap().yaw.set(6);
    net.frames(10);
    lossy(&mut net);
    net.server.set_owner(aim, Some(all[1])).unwrap();
    net.frame();
    assert_eq!(*net.seen::<Aim>(all[1], aim).yaw, 6);
    net.states();
    net.client(all[1]).get_mut::<Aim>(aim).unwrap().yaw.set(7);
    net.frames(2 * SECOND);
    assert_eq!(*net.server.get::<Aim>(aim).unwrap().yaw, 7);
    assert_eq!(*net.seen::<Aim>(all[1], aim).yaw, 7);
    assert!(net.states().iter().all(|line| line.starts_with("from")));
}

#[test]
fn callbacks_and_commands_write_like_other_code() {
    let (mut net, [owner, other]) = joined();
    let body = net.server.spawn(Body::default());
    net.frame();
    // The callback writes while the object is being called.
    net.server.set_owner(body, Some(owner)).unwrap();
    net.frame();
    assert_eq!(*net.seen::<Body>(other, body).y, 1000);
    net.client(other).calls::<Body>(body).push(5).unwrap();
    net.frames(2);
    assert_eq!(net.xs([owner, other], body), [5, 5]);
    lossy(&mut net);
    net.client(other).calls::<Body>(body).push(5).unwrap();
    net.frames(SECOND + 1);
    assert_eq!(net.xs([owner, other], body), [10, 10]);
    net.states();
    net.frames(SECOND);
    assert_eq!(net.states(), [""; 0]);
}
