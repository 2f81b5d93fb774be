//! Fields that are moved out of an object, and return after a send: clients follow.

use std::mem::{replace, swap, take};

use syncvar::prelude::*;
use syncvar::{ClientConfig, Framing};
use syncvar_testing::spawn_for;

use super::{Bag, IDS, bag, each, step};

/// Exchanges a part of two bags.
pub(super) type Exchange = fn(&mut Bag, &mut Bag);

pub(super) const EXCHANGES: [Exchange; 11] = [
    |a, b| swap(&mut a.base, &mut b.base),
    |a, b| swap(&mut a.base.level, &mut b.base.level),
    |a, b| swap(&mut a.gold, &mut b.gold),
    |a, b| swap(&mut a.silver, &mut b.silver),
    |a, b| swap(&mut a.weight, &mut b.weight),
    |a, b| swap(&mut a.items, &mut b.items),
    |a, b| swap(&mut a.runes, &mut b.runes),
    |a, b| swap(&mut a.counts, &mut b.counts),
    |a, b| swap(&mut a.tags, &mut b.tags),
    |a, b| swap(a, b),
    |a, b| {
        swap(&mut a.gold, &mut b.silver);
        swap(&mut a.items, &mut b.runes);
    },
];

/// Writes every field in place.
pub(super) fn write(bag: &mut Bag, number: u8) {
    let wide = u32::from(number);
    *bag.base.level = number;
    bag.gold += wide;
    *bag.silver ^= wide;
    *bag.weight += f32::from(number);
    bag.items.push(wide);
    bag.runes.insert(0, wide);
    bag.counts.insert(wide, wide);
    bag.tags.insert(wide);
}

#[test]
fn field_put_back_after_a_send_arrives() {
    each(|mut net| {
        for exchange in EXCHANGES {
            let mut aside = Bag::of(9);
            // Out and back, three times.
            for _ in 0..6 {
                step(&mut net, |server, [a, ..]| {
                    exchange(&mut bag(server, a), &mut aside);
                });
            }
        }
    });
}

#[test]
fn field_replaced_by_a_written_one_is_put_back() {
    each(|mut net| {
        for exchange in EXCHANGES {
            let mut aside = Bag::of(9);
            // A new variable with a change looks like one that was written in its place.
            write(&mut aside, 50);
            for _ in 0..6 {
                step(&mut net, |server, [a, ..]| {
                    exchange(&mut bag(server, a), &mut aside);
                });
            }
        }
    });
}

#[test]
fn field_written_aside_is_put_back() {
    each(|mut net| {
        let mut number = 10;
        for exchange in EXCHANGES {
            let mut aside = Bag::of(9);
            for _ in 0..6 {
                step(&mut net, |server, [a, ..]| {
                    exchange(&mut bag(server, a), &mut aside);
                });
                number += 1;
                write(&mut aside, number);
            }
        }
    });
}

#[test]
fn field_with_a_pending_change_is_taken_out_and_put_back() {
    each(|mut net| {
        for exchange in EXCHANGES {
            let mut aside = Bag::of(9);
            for number in 20..26 {
                step(&mut net, |server, [a, ..]| {
                    write(&mut bag(server, a), number);
                    exchange(&mut bag(server, a), &mut aside);
                });
            }
        }
    });
}

#[test]
fn field_that_returns_over_other_objects_arrives() {
    each(|mut net| {
        for exchange in EXCHANGES {
            for round in 0..9 {
                step(&mut net, |server, ids| {
                    let pair = [ids[round % 3], ids[(round + 1) % 3]];
                    let mut bags = server.get_many_mut::<Bag, 2>(pair).unwrap();
                    let [a, b] = bags.each_mut();
                    exchange(a, b);
                });
            }
        }
    });
}

#[test]
fn behaviour_saved_by_take_is_restored() {
    each(|mut net| {
        for _ in 0..3 {
            let mut saved = Bag::default();
            step(&mut net, |server, [a, ..]| {
                saved = take(&mut *bag(server, a));
            });
            step(&mut net, |server, [a, ..]| write(&mut bag(server, a), 40));
            step(&mut net, |server, [a, ..]| *bag(server, a) = saved);
        }
    });
}

#[test]
fn field_put_back_under_one_borrow_sends_nothing() {
    each(|mut net| {
        step(&mut net, |_, _| {});
        let sent = net.server.stats().clone();
        step(&mut net, |server, [a, ..]| {
            let mut bag = bag(server, a);
            let saved = take(&mut *bag);
            *bag = saved;
        });
        assert_eq!(format!("{sent:?}"), format!("{:?}", net.server.stats()));
    });
}

#[test]
fn replaced_variable_leaves_the_changes_of_a_list_small() {
    each(|mut net| {
        step(&mut net, |server, [a, ..]| {
            bag(server, a).items.extend(0..1000);
        });
        let mut push = |replaced: bool| {
            let before = net.server.stats().sent.bytes;
            step(&mut net, |server, [a, ..]| {
                let mut bag = bag(server, a);
                bag.items.push(5);
                bag.gold = (*bag.gold + 1).into();
                drop(bag);
                if replaced {
                    server.get_mut::<Bag>(a).unwrap().gold = 77.into();
                }
            });
            net.server.stats().sent.bytes - before
        };
        let (in_place, replaced) = (push(false), push(true));
        assert!(replaced.abs_diff(in_place) < 8, "{in_place}, {replaced}");
    });
}

#[test]
fn source_of_taken_changes_may_be_moved_to_another_object() {
    each(|mut net| {
        let mut source = Bag::of(9);
        step(&mut net, |server, [a, ..]| {
            bag(server, a).take_changes(&mut source, u64::MAX);
        });
        step(&mut net, |server, [_, b, _]| *bag(server, b) = source);
    });
}

#[test]
fn host_and_late_client_see_a_field_that_returns() {
    each(|mut net| {
        net.server.connect_local();
        net.settle();
        for exchange in EXCHANGES {
            let mut aside = Bag::of(9);
            for _ in 0..4 {
                step(&mut net, |server, [a, ..]| {
                    exchange(&mut bag(server, a), &mut aside);
                });
            }
        }
        net.connect();
        net.settle();
        for id in IDS {
            let server = net.server.get::<Bag>(id).unwrap();
            assert_eq!(net.client(1).get::<Bag>(id).unwrap(), server);
        }
    });
}

#[derive(NetworkBehaviour, Default, Clone, Debug, PartialEq)]
#[network_behaviour(send_interval = 0)]
struct Pilot {
    #[sync_var(write = owner)]
    stance: SyncVar<u32>,
    #[sync_var(write = owner)]
    path: SyncList<u32>,
    #[sync_var(write = owner, server_override)]
    mode: SyncVar<u32>,
    #[sync_var(min_interval = 0.2)]
    score: SyncVar<u32>,
    #[sync_var(read = owner)]
    secret: SyncVar<u32>,
    #[sync_var(read = owner)]
    notes: SyncList<u32>,
}

impl Pilot {
    fn of(number: u32) -> Self {
        Self {
            stance: number.into(),
            path: [number, 7].into(),
            mode: number.into(),
            score: number.into(),
            secret: number.into(),
            notes: [7, number].into(),
        }
    }
}

/// A server with an object of the first of two clients.
fn piloted(framing: Framing) -> (MemoryNetwork, NetId) {
    let prefabs = || Prefabs::new().register::<Pilot>("pilot");
    let config = || ClientConfig {
        framing,
        ..ClientConfig::default()
    };
    let mut net = MemoryNetwork::new(prefabs);
    for _ in 0..2 {
        net.connect_client(NetworkClient::with_config(prefabs(), config()));
    }
    net.settle();
    let id = spawn_for(&mut net, Pilot::of(1), 0);
    net.settle();
    (net, id)
}

/// Runs updates until all intervals are over, and compares the ends.
fn check(net: &mut MemoryNetwork, id: NetId) {
    for _ in 0..10 {
        net.step();
    }
    net.settle();
    let server = net.server.get::<Pilot>(id).unwrap();
    assert_eq!(net.client(0).get::<Pilot>(id).unwrap(), server);
    let observed = net.client(1).get::<Pilot>(id).unwrap();
    let public = |pilot: &Pilot| (*pilot.stance, pilot.path.clone(), *pilot.mode, *pilot.score);
    assert_eq!(public(observed), public(server));
    assert_eq!(
        (*observed.secret, &*observed.notes),
        (0, &[][..]),
        "not read by others"
    );
}

#[test]
fn field_put_back_by_its_owner_arrives() {
    for framing in [Framing::Unet, Framing::Compact] {
        let (mut net, id) = piloted(framing);
        let (mut stance, mut path, mut mode) = (9.into(), [9].into(), 9.into());
        for _ in 0..6 {
            let mut pilot = net.client_mut(0).get_mut::<Pilot>(id).unwrap();
            swap(&mut pilot.stance, &mut stance);
            swap(&mut pilot.path, &mut path);
            swap(&mut pilot.mode, &mut mode);
            drop(pilot);
            check(&mut net, id);
            let expected = net.client(0).get::<Pilot>(id).unwrap();
            assert_eq!(net.server.get::<Pilot>(id).unwrap(), expected);
        }
        assert_eq!(net.server.get::<Pilot>(id).unwrap().stance, 1);
    }
}

#[test]
fn restricted_field_put_back_by_the_server_arrives() {
    for framing in [Framing::Unet, Framing::Compact] {
        let (mut net, id) = piloted(framing);
        let mut aside = Pilot::of(9);
        for round in 0..6 {
            let mut pilot = net.server.get_mut::<Pilot>(id).unwrap();
            swap(&mut pilot.mode, &mut aside.mode);
            swap(&mut pilot.score, &mut aside.score);
            swap(&mut pilot.secret, &mut aside.secret);
            swap(&mut pilot.notes, &mut aside.notes);
            drop(pilot);
            check(&mut net, id);
            let expected = if round % 2 == 0 { 9 } else { 1 };
            assert_eq!(net.client(0).get::<Pilot>(id).unwrap().secret, expected);
        }
    }
}

#[test]
fn server_takes_out_no_field_of_the_owner() {
    for framing in [Framing::Unet, Framing::Compact] {
        let (mut net, id) = piloted(framing);
        let mut saved = Pilot::of(9);
        for _ in 0..3 {
            for _ in 0..2 {
                let mut pilot = net.server.get_mut::<Pilot>(id).unwrap();
                saved.stance = replace(&mut pilot.stance, saved.stance);
                saved.path = replace(&mut pilot.path, saved.path);
                drop(pilot);
                check(&mut net, id);
            }
            let mut pilot = net.client_mut(0).get_mut::<Pilot>(id).unwrap();
            pilot.stance += 1;
            pilot.path.push(3);
            drop(pilot);
            check(&mut net, id);
        }
        assert_eq!(net.server.get::<Pilot>(id).unwrap().stance, 4);
        assert_eq!(net.server.get::<Pilot>(id).unwrap().path, [1, 7, 3, 3, 3]);
    }
}
