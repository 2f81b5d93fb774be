//! Components that are behaviours themselves, and shadows by hand.

use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::prelude::{NetworkBehaviour, SyncDictionary, SyncList};

use crate::party::{Party, observe};
use crate::support::{Log, Pair};

#[derive(Component, NetworkBehaviour, Default)]
#[network_behaviour(crate = bevy_syncvar::syncvar, previous)]
struct Inventory {
    #[sync_var]
    items: SyncList<u32>,
    #[sync_var]
    prices: SyncDictionary<u32, String>,
    #[sync_var]
    gold: SyncVar<u32>,
    weight: u32,
}

fn pair() -> (Pair, Entity, Entity) {
    let mut pair = Pair::new(|app| {
        app.replicate::<Inventory>();
    });
    let here = pair
        .server
        .world_mut()
        .spawn((Replicated, Inventory::default()))
        .id();
    pair.settle();
    let there = pair.there(here).unwrap();
    (pair, here, there)
}

fn bytes(pair: &Pair) -> u64 {
    let server = pair.server.world().resource::<Server>();
    let connection = server.connections().next().unwrap();
    server.connection_stats(connection).unwrap().sent.bytes
}

/// Steps without other traffic than pings cost few bytes.
fn cost(pair: &mut Pair, write: impl FnOnce(&mut World)) -> u64 {
    let before = bytes(pair);
    write(pair.server.world_mut());
    pair.settle();
    bytes(pair) - before
}

#[test]
fn collections_send_their_operations() {
    let (mut pair, here, there) = pair();
    let idle = cost(&mut pair, |_| {});
    let all = cost(&mut pair, |world| {
        let mut inventory = world.get_mut::<Inventory>(here).unwrap();
        inventory.items.extend(0..10_000);
        inventory.prices.insert(1, "two".into());
        inventory.weight = 3;
    });
    assert!(all > 10_000);
    let one = cost(&mut pair, |world| {
        world.get_mut::<Inventory>(here).unwrap().items.push(7);
    });
    assert!(one < idle + 60, "{one}, {idle}");
    let shown = pair.client.world().get::<Inventory>(there).unwrap();
    assert_eq!(
        (shown.items.len(), shown.items[10_000], shown.weight),
        (10_001, 7, 0)
    );
    assert_eq!(shown.prices.get(&1).map(String::as_str), Some("two"));
}

#[test]
fn a_moved_collection_sends_the_difference() {
    let (mut pair, here, there) = pair();
    let other = pair
        .server
        .world_mut()
        .spawn((Replicated, Inventory::default()))
        .id();
    cost(&mut pair, |world| {
        for entity in [here, other] {
            world
                .get_mut::<Inventory>(entity)
                .unwrap()
                .items
                .extend(0..5_000);
        }
    });
    let idle = cost(&mut pair, |_| {});
    let moved = cost(&mut pair, |world| {
        let mut taken = world.entity_mut(other).take::<Inventory>().unwrap();
        taken.items.push(1);
        world.entity_mut(here).insert(taken);
        world.entity_mut(other).insert(Inventory::default());
    });
    assert!(moved < idle + 200, "{moved}, {idle}");
    let shown = pair.client.world().get::<Inventory>(there).unwrap();
    assert_eq!(shown.items.len(), 5_001);
    let emptied = pair.there(other).unwrap();
    assert_eq!(
        pair.client
            .world()
            .get::<Inventory>(emptied)
            .unwrap()
            .items
            .len(),
        0
    );
}

#[test]
fn variables_report_previous_values() {
    let (mut pair, here, _) = pair();
    let seen = Log::<Option<u32>>::default();
    let log = seen.clone();
    pair.client
        .add_observer(move |change: On<Received<Inventory>>| log.push(change.previous.gold));
    pair.server
        .world_mut()
        .get_mut::<Inventory>(here)
        .unwrap()
        .gold += 5;
    pair.settle();
    assert_eq!(seen.take(), [Some(0)]);
    pair.server
        .world_mut()
        .get_mut::<Inventory>(here)
        .unwrap()
        .gold += 0;
    pair.settle();
    assert_eq!(seen.take(), []);
}

#[derive(Resource, Replicate)]
struct Round {
    number: u32,
}

#[test]
fn observers_of_a_host_receive_previous_values_of_variables_and_resources() {
    let mut host = Party::host(0, |app| {
        app.replicate::<Inventory>().replicate_resource::<Round>();
    });
    let gold = observe(&mut host.server, |change: &Received<Inventory>| {
        change.previous.gold
    });
    let rounds = observe(&mut host.server, |change: &Received<Round>| {
        change.previous.number
    });
    let here = host
        .server
        .world_mut()
        .spawn((Replicated, Inventory::default()))
        .id();
    host.server.insert_resource(Round { number: 1 });
    host.settle();
    assert_eq!((gold.take(), rounds.take()), (vec![], vec![]));
    host.server
        .world_mut()
        .get_mut::<Inventory>(here)
        .unwrap()
        .gold += 5;
    host.server.world_mut().resource_mut::<Round>().number = 2;
    host.settle();
    assert_eq!((gold.take(), rounds.take()), (vec![Some(0)], vec![Some(1)]));
    let mut inventory = host.server.world_mut().get_mut::<Inventory>(here).unwrap();
    inventory.gold += 0;
    host.server
        .world_mut()
        .resource_mut::<Round>()
        .set_changed();
    host.settle();
    assert_eq!((gold.take(), rounds.take()), (vec![], vec![]));
}

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
struct Slot<T>
where
    T: SyncValue + Default + Send + Sync + 'static,
{
    item: T,
    owner: Option<Entity>,
}

#[test]
fn generic_components_are_apart() {
    let mut pair = Pair::new(|app| {
        app.replicate::<Slot<u32>>().replicate::<Slot<String>>();
    });
    let number = Slot {
        item: 7,
        owner: None,
    };
    let text = Slot {
        item: String::from("axe"),
        owner: None,
    };
    let here = pair
        .server
        .world_mut()
        .spawn((Replicated, number.clone(), text.clone()))
        .id();
    pair.settle();
    let there = pair.there(here).unwrap();
    assert_eq!(pair.client.world().get::<Slot<u32>>(there), Some(&number));
    assert_eq!(pair.client.world().get::<Slot<String>>(there), Some(&text));
    pair.server
        .world_mut()
        .get_mut::<Slot<String>>(here)
        .unwrap()
        .item
        .push('!');
    pair.server
        .world_mut()
        .entity_mut(here)
        .remove::<Slot<u32>>();
    pair.settle();
    assert_eq!(pair.client.world().get::<Slot<u32>>(there), None);
    assert_eq!(
        pair.client.world().get::<Slot<String>>(there).unwrap().item,
        "axe!"
    );
}
