//! Memory of objects with optional behaviours, and of edits of many objects.

use std::time::Duration;

use allocation_counter::measure;
use syncvar::behaviour::{BehaviourList, BehaviourSet, Optional};
use syncvar::prelude::*;

/// A component of a usual size.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Unit<const N: usize> {
    #[sync_var]
    numbers: SyncVar<[i32; 4]>,
    #[sync_var]
    place: SyncVar<Vector3>,
    #[sync_var]
    name: SyncVar<String>,
}

fn list(first: Option<Unit<0>>) -> BehaviourList {
    BehaviourList::new()
        .with_optional(first)
        .with_optional::<Unit<1>>(None)
        .with_optional::<Unit<2>>(None)
        .with_optional::<Unit<3>>(None)
        .with_optional::<Unit<4>>(None)
        .with_optional::<Unit<5>>(None)
        .with_optional::<Unit<6>>(None)
        .with_optional::<Unit<7>>(None)
}

/// Spawns 1000 objects on a server. Returns the bytes that one of them holds.
fn bytes_per_object<S: BehaviourSet>(make: fn() -> S) -> u64 {
    let prefabs = Prefabs::new()
        .register_with("list", || list(None))
        .register_with("one", one)
        .register::<Unit<0>>("unit");
    let mut server = NetworkServer::new(prefabs);
    let memory = measure(|| {
        for _ in 0..1000 {
            server.spawn(make());
        }
    });
    u64::try_from(memory.bytes_current).unwrap() / 1000
}

fn one() -> BehaviourList {
    BehaviourList::new().with_optional::<Unit<0>>(None)
}

#[test]
fn an_absent_behaviour_of_a_list_takes_16_bytes() {
    let one = bytes_per_object(one);
    let empty = bytes_per_object(|| list(None));
    assert!(empty.abs_diff(one + 7 * 16) <= 8, "{one} and {empty}");
    let plain = bytes_per_object(Unit::<0>::default);
    let full = bytes_per_object(|| list(Some(Unit::default())));
    // The list itself, its places, and the presence.
    assert!(full <= plain + 200, "{plain} and {full}");
}

#[test]
fn edits_of_many_objects_allocate_nothing() {
    let prefabs = Prefabs::new()
        .register_with("list", || list(None))
        .register::<Unit<0>>("unit")
        .register::<(Unit<1>, Optional<Unit<0>>)>("pair");
    let mut server = NetworkServer::new(prefabs);
    let mut ids: Vec<NetId> = (0..100)
        .map(|_| server.spawn(Unit::<0>::default()))
        .collect();
    ids.extend((0..100).map(|_| server.spawn(list(Some(Unit::default())))));
    ids.extend(
        (0..100).map(|_| server.spawn((Unit::<1>::default(), Optional::<Unit<0>>::default()))),
    );
    let names = [
        String::from("a name of 24 characters!"),
        String::from("a shorter one"),
    ];
    let edit = |server: &mut NetworkServer, round: usize| {
        server.edit_all::<Unit<0>>(&ids, |position, unit| {
            let unit = unit.unwrap();
            unit.name.set_from(&names[(position + round) % 2]);
            unit.place.x += 1.0;
        });
        server.update(Duration::from_millis(50) * u32::try_from(round + 1).unwrap());
    };
    (0..4).for_each(|round| edit(&mut server, round));
    let memory = measure(|| (4..8).for_each(|round| edit(&mut server, round)));
    assert_eq!(memory.count_total, 0);
    let unit = server.get::<Unit<0>>(ids[250]).unwrap();
    assert_eq!(unit.place, Vector3::new(8.0, 0.0, 0.0));
}
