//! Variables and behaviours that are moved out of one object into another: clients follow.

mod random;
mod returning;

use std::mem::{replace, swap, take};

use syncvar::Framing;
use syncvar::prelude::*;
use syncvar_testing::client;

#[derive(NetworkBehaviour, Default, Clone, Debug, PartialEq)]
#[network_behaviour(send_interval = 0)]
struct Base {
    #[sync_var]
    level: SyncVar<u8>,
}

#[derive(NetworkBehaviour, Default, Clone, Debug, PartialEq)]
#[network_behaviour(send_interval = 0)]
struct Bag {
    #[network_behaviour(base)]
    base: Base,
    #[sync_var]
    gold: SyncVar<u32>,
    #[sync_var]
    silver: SyncVar<u32>,
    #[sync_var(with = syncvar::codec::Half)]
    weight: SyncVar<f32>,
    #[sync_var]
    items: SyncList<u32>,
    #[sync_var]
    runes: SyncList<u32>,
    #[sync_var]
    counts: SyncDictionary<u32, u32>,
    #[sync_var]
    tags: SyncHashSet<u32>,
}

impl Bag {
    fn of(number: u32) -> Self {
        Self {
            base: Base {
                level: u8::try_from(number).unwrap().into(),
            },
            gold: number.into(),
            silver: (10 * number).into(),
            weight: f32::from(u16::try_from(number).unwrap()).into(),
            items: [number, 7].into(),
            runes: [8, number].into(),
            counts: [(number, 1), (7, number)].into_iter().collect(),
            tags: [number, 7].into(),
        }
    }
}

/// Ids of the three bags of a network.
const IDS: [NetId; 3] = [NetId(1), NetId(2), NetId(3)];

/// Returns a network with a client of this framing and three bags.
fn network(framing: Framing) -> MemoryNetwork {
    let prefabs = || Prefabs::new().register::<Bag>("bag");
    let mut net = MemoryNetwork::new(prefabs);
    net.connect_client(client(prefabs(), framing));
    let ids = [1, 2, 3].map(|number| net.server.spawn(Bag::of(number)));
    assert_eq!(ids, IDS);
    net.settle();
    net
}

/// Changes the bags of the server, and asserts that all clients follow.
fn step(net: &mut MemoryNetwork, change: impl FnOnce(&mut NetworkServer, [NetId; 3])) {
    change(&mut net.server, IDS);
    net.settle();
    for id in IDS {
        let server = net.server.get::<Bag>(id).unwrap();
        for replica in net.replicas::<Bag>(id) {
            assert_eq!(replica.unwrap(), server);
        }
    }
}

fn bag(server: &mut NetworkServer, id: NetId) -> impl std::ops::DerefMut<Target = Bag> + '_ {
    server.get_mut::<Bag>(id).unwrap()
}

fn each(test: impl Fn(MemoryNetwork)) {
    for framing in [Framing::Unet, Framing::Compact] {
        test(network(framing));
    }
}

#[test]
fn behaviours_exchanged_by_take_and_replace_arrive() {
    each(|mut net| {
        step(&mut net, |server, [a, b, _]| {
            let of_a = take(&mut *bag(server, a));
            let of_b = replace(&mut *bag(server, b), of_a);
            *bag(server, a) = of_b;
            assert_eq!(bag(server, a).gold, 2);
        });
        // The fields are at home in their new place.
        let sent = net.server.stats().clone();
        step(&mut net, |server, [a, ..]| drop(bag(server, a)));
        assert_eq!(format!("{sent:?}"), format!("{:?}", net.server.stats()));
        step(&mut net, |server, [a, ..]| bag(server, a).items.push(4));
    });
}

#[test]
fn behaviours_swapped_under_one_borrow_arrive() {
    each(|mut net| {
        step(&mut net, |server, [a, b, _]| {
            let mut bags = server.get_many_mut::<Bag, 2>([a, b]).unwrap();
            let [a, b] = bags.each_mut();
            swap(a, b);
        });
    });
}

#[test]
fn variables_and_collections_swapped_between_objects_arrive() {
    each(|mut net| {
        step(&mut net, |server, [a, b, _]| {
            let mut bags = server.get_many_mut::<Bag, 2>([a, b]).unwrap();
            let [a, b] = bags.each_mut();
            swap(&mut a.gold, &mut b.gold);
            swap(&mut a.base, &mut b.base);
            swap(&mut a.weight, &mut b.weight);
            swap(&mut a.items, &mut b.items);
            swap(&mut a.counts, &mut b.counts);
            swap(&mut a.tags, &mut b.tags);
        });
    });
}

#[test]
fn variables_swapped_within_a_behaviour_arrive() {
    each(|mut net| {
        step(&mut net, |server, [a, ..]| {
            let bag = &mut *bag(server, a);
            swap(&mut bag.gold, &mut bag.silver);
            swap(&mut bag.items, &mut bag.runes);
        });
    });
}

#[test]
fn behaviour_with_pending_changes_arrives_elsewhere() {
    each(|mut net| {
        step(&mut net, |server, [a, b, _]| {
            bag(server, a).items.push(5);
            bag(server, a).counts.remove(&7);
            let of_a = take(&mut *bag(server, a));
            *bag(server, b) = of_a;
        });
    });
}

#[test]
fn behaviour_kept_aside_for_some_updates_arrives() {
    each(|mut net| {
        let mut aside = Bag::default();
        step(&mut net, |server, [a, ..]| {
            aside = take(&mut *bag(server, a));
        });
        step(&mut net, |server, [_, b, _]| {
            aside.items = take(&mut bag(server, b).items);
        });
        step(&mut net, |server, [_, _, c]| *bag(server, c) = aside);
    });
}

#[test]
fn source_of_taken_changes_may_be_moved_in() {
    each(|mut net| {
        let mut source = Bag::of(9);
        step(&mut net, |server, [a, ..]| {
            bag(server, a).take_changes(&mut source, u64::MAX);
        });
        source.items.push(1);
        source.gold += 1;
        step(&mut net, |server, [a, ..]| *bag(server, a) = source);
    });
}

#[test]
fn operations_of_a_source_are_taken_over() {
    each(|mut net| {
        let mut source = Bag::of(1);
        let take_over = |net: &mut MemoryNetwork, source: &mut Bag| {
            step(net, |server, [a, ..]| {
                bag(server, a).take_changes(source, u64::MAX);
            });
            let server = net.server.get::<Bag>(IDS[0]).unwrap();
            assert_eq!(server, source);
        };
        take_over(&mut net, &mut source);
        let steps: [fn(&mut Bag); 12] = [
            |bag| bag.items.push(5),
            |bag| bag.items.insert(1, 6),
            |bag| {
                bag.items.remove(0);
            },
            |bag| {
                bag.items.set(0, 9);
            },
            |bag| {
                bag.items.splice(1..2, [4, 4, 4]);
            },
            |bag| bag.items.retain(|item| *item != 4),
            |bag| bag.items.clear(),
            |bag| bag.counts.clear(),
            |bag| {
                bag.counts.insert(3, 3);
            },
            |bag| {
                bag.counts.remove(&3);
            },
            |bag| {
                bag.tags.insert(30);
            },
            |bag| {
                bag.tags.remove(&30);
            },
        ];
        for step in steps {
            step(&mut source);
            take_over(&mut net, &mut source);
        }
        // A write to the object itself, and a source of another object.
        source.items.push(1);
        bag(&mut net.server, IDS[0]).items.push(2);
        take_over(&mut net, &mut source);
        source.items.push(3);
        step(&mut net, |server, [_, b, _]| {
            bag(server, b).take_changes(&mut source, u64::MAX);
        });
        take_over(&mut net, &mut source);
    });
}
