//! Objects with more than eight behaviours, from nested tuples.

use syncvar::NetworkIdentity;
use syncvar::behaviour::BehaviourSet;
use syncvar::error::ObjectError;
use syncvar::mirror::{AssetId, MirrorClient, MirrorPrefab, MirrorPrefabs, MirrorServer};
use syncvar::prelude::*;
use syncvar_testing::mirror::MirrorNetwork;

/// A behaviour type for each number.
#[derive(NetworkBehaviour, Default)]
struct Part<const N: usize> {
    #[sync_var(hook = on_value)]
    value: SyncVar<u32>,
    #[sync_var]
    log: SyncList<u32>,
    seen: Vec<u32>,
}

impl<const N: usize> Part<N> {
    fn on_value(&mut self, previous: u32) {
        self.seen.push(previous);
    }
}

type Eight = (
    Part<0>,
    Part<1>,
    Part<2>,
    Part<3>,
    Part<4>,
    Part<5>,
    Part<6>,
    Part<7>,
);
type Ten = (Eight, (Part<8>, Part<9>));
type Row = (
    Part<0>,
    Part<0>,
    Part<0>,
    Part<0>,
    Part<0>,
    Part<0>,
    Part<0>,
    Part<0>,
);
type SixtyFour = (Row, Row, Row, Row, Row, Row, Row, Row);

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Ten>("ten")
        .register::<SixtyFour>("sixty-four")
        .register::<(Part<1>, ((Part<2>,), Part<3>))>("deep")
}

fn networks() -> [MemoryNetwork; 2] {
    syncvar_testing::networks_of_both_framings(prefabs)
}

#[test]
fn all_of_ten_behaviours_travel() {
    for mut net in networks() {
        let id = net.server.spawn(Ten::default());
        net.settle();
        assert_eq!(net.client(0).identity(id).unwrap().behaviour_count(), 10);
        net.server.get_mut::<Part<0>>(id).unwrap().value.set(1);
        net.server.get_mut::<Part<7>>(id).unwrap().value.set(8);
        let mut last = net.server.get_mut_at::<Part<9>>(id, 9).unwrap();
        last.value.set(10);
        last.log.push(11);
        drop(last);
        net.settle();
        net.connect();
        net.settle();
        for client in [net.client(0), net.client(1)] {
            assert_eq!(client.get::<Part<0>>(id).unwrap().value, 1);
            assert_eq!(client.get::<Part<7>>(id).unwrap().value, 8);
            let last = client.get_at::<Part<9>>(id, 9).unwrap();
            assert_eq!((*last.value, last.log.to_vec()), (10, vec![11]));
        }
        assert_eq!(net.client(0).get::<Part<9>>(id).unwrap().seen, [0]);
        assert_eq!(net.client(1).get::<Part<9>>(id).unwrap().seen, [0; 0]);
    }
}

#[test]
fn sixty_four_behaviours_of_one_type_keep_their_places() {
    for mut net in networks() {
        let id = net.server.spawn(SixtyFour::default());
        net.settle();
        for index in 0..64 {
            let part = net.server.get_mut_at::<Part<0>>(id, index);
            part.unwrap().value.set(u32::try_from(index).unwrap() + 1);
        }
        net.settle();
        let there = values::<0>(net.client(0).identity(id).unwrap());
        assert_eq!(there, (1..=64).collect::<Vec<_>>());
        let missing = net.server.get_mut_at::<Part<0>>(id, 64).map(drop);
        assert!(matches!(missing, Err(ObjectError::NoSuchBehaviour { .. })));
    }

    fn values<const N: usize>(identity: NetworkIdentity<'_>) -> Vec<u32> {
        let parts =
            (0..identity.behaviour_count()).filter_map(|index| identity.behaviour_at(index));
        parts.map(|part: &Part<N>| *part.value).collect()
    }
}

#[test]
fn the_shape_of_nested_tuples_does_not_matter() {
    let mut net = MemoryNetwork::pair(prefabs);
    let flat = (
        Part::<1>::default(),
        Part::<2>::default(),
        Part::<3>::default(),
    );
    let id = net.server.spawn(flat);
    net.settle();
    assert!(net.server.ids_of_prefab("deep").eq([id]));
    assert!(net.client(0).get::<Part<3>>(id).is_some());
    assert_eq!(net.server.iter::<Part<3>>().count(), 1);
    let deep: (Part<1>, ((Part<2>,), Part<3>)) = Default::default();
    assert_eq!(deep.into_behaviours().len(), 3);
}

#[test]
fn split_takes_nested_tuples() {
    let mut net = MemoryNetwork::pair(prefabs);
    let id = net.server.spawn(Ten::default());
    net.settle();
    let mut object = net.server.object_mut(id).unwrap();
    let (first, (ninth, tenth)) = object.split::<(Part<0>, (Part<8>, Part<9>))>().unwrap();
    first.value.set(1);
    ninth.value.set(9);
    tenth.value.set(10);
    object.behaviour_mut::<Part<5>>().unwrap().value.set(6);
    drop(object);
    net.settle();
    let client = net.client(0);
    assert_eq!(client.get::<Part<8>>(id).unwrap().value, 9);
    assert_eq!(client.get::<Part<9>>(id).unwrap().value, 10);
    assert_eq!(client.get::<Part<5>>(id).unwrap().value, 6);
}

#[test]
fn a_host_sees_all_behaviours_and_runs_their_hooks() {
    let mut net = MemoryNetwork::pair(prefabs);
    net.server.connect_local();
    let id = net.server.spawn(Ten::default());
    net.settle();
    net.server.get_mut::<Part<9>>(id).unwrap().value.set(3);
    net.settle();
    let local = net.server.local_client().unwrap();
    assert_eq!(local.get::<Part<9>>(id).unwrap().seen, [0]);
    assert_eq!(net.client(0).get::<Part<9>>(id).unwrap().seen, [0]);
}

#[test]
fn ten_components_travel_in_mirrors_protocol() {
    let prefabs = || MirrorPrefabs::new().register::<Ten>(MirrorPrefab::new("ten", AssetId(1)));
    let mut net = MirrorNetwork::new(MirrorServer::new(prefabs()), move || {
        MirrorClient::new(prefabs())
    });
    let (connection, id) = net.join(Ten::default());
    net.server.get_mut::<Part<9>>(id).unwrap().value.set(7);
    net.frames(10);
    assert_eq!(net.seen::<Part<9>>(connection, id).value, 7);
    let mut own = net.server.object_mut(id).unwrap();
    own.split::<(Part<8>, (Part<1>,))>().unwrap().0.log.push(5);
    drop(own);
    net.frames(10);
    assert_eq!(net.seen::<Part<8>>(connection, id).log.to_vec(), [5]);
}
