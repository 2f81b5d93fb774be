//! Types of every kind in variables, with parameters and within each other.

use std::collections::BTreeMap;
use std::fmt::Debug;

use syncvar::SyncValue;
use syncvar::prelude::*;

#[derive(SyncValue, Clone, Default, PartialEq, Debug)]
struct Template<T> {
    value: T,
    others: Vec<T>,
}

#[derive(SyncValue, Clone, Default, PartialEq, Debug)]
enum Choice<T> {
    #[default]
    Nothing,
    One(T),
    Both {
        left: T,
        right: Template<T>,
    },
}

/// A behaviour with parameters of its own.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Holder<T, U> {
    #[sync_var(hook = on_first)]
    first: SyncVar<T>,
    #[sync_var]
    second: SyncVar<U>,
    told: Vec<T>,
}

impl<T, U> Holder<T, U> {
    fn on_first(&mut self, previous: T) {
        self.told.push(previous);
    }
}

/// Sends values with the spawn, and others as changes; clients have them, and the hook is told.
fn travels<T, U>(first: [T; 2], second: [U; 2])
where
    T: SyncValue + Default + PartialEq + Debug,
    U: SyncValue + Default + PartialEq + Debug,
{
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Holder<T, U>>("holder"));
    net.settle();
    let [initial, later] = first;
    let [other_initial, other_later] = second;
    assert_ne!(initial, later);
    assert_ne!(other_initial, other_later);
    let id = net.server.spawn(Holder {
        first: initial.clone().into(),
        second: other_initial.clone().into(),
        told: Vec::new(),
    });
    net.settle();
    let replica = net.client(0).get::<Holder<T, U>>(id).unwrap();
    assert_eq!(
        (replica.first.get(), replica.second.get()),
        (&initial, &other_initial)
    );
    let mut holder = net.server.get_mut::<Holder<T, U>>(id).unwrap();
    holder.first.set(later.clone());
    holder.second.set(other_later.clone());
    drop(holder);
    net.settle();
    let replica = net.client(0).get::<Holder<T, U>>(id).unwrap();
    assert_eq!(
        (replica.first.get(), replica.second.get()),
        (&later, &other_later)
    );
    assert_eq!(replica.told, [initial]);
}

/// T15: structs and enumerations, with and without parameters, in a behaviour with parameters. None
/// of them is named anywhere else.
#[test]
fn structs_enums_and_generic_types_arrive() {
    /// What Netcode calls a class, a struct, and both with a parameter; there is no difference here.
    #[derive(SyncValue, Clone, Default, PartialEq, Debug)]
    struct Plain {
        number: i32,
        text: String,
    }

    #[derive(SyncValue, Clone, Copy, Default, PartialEq, Debug)]
    enum Flag {
        #[default]
        Low,
        Middle = 5,
        High = -7,
    }

    let plain = |number: i32| Plain {
        number,
        text: number.to_string(),
    };
    travels([plain(1), plain(-2)], [Flag::Middle, Flag::High]);
    let template = |value: f32| Template {
        value,
        others: vec![value; 3],
    };
    travels([template(0.5), template(-1.0)], [Flag::Low, Flag::High]);
    let both = Choice::Both {
        left: 3_u16,
        right: Template {
            value: 300,
            others: vec![],
        },
    };
    travels(
        [Choice::One(7_u16), both],
        [Choice::Nothing, Choice::One(true)],
    );
    travels([true, false], [Box::new(1_u8), Box::new(2)]);
}

/// T17: values with parameters within values with parameters, arrays among them.
#[test]
fn values_with_parameters_within_each_other_arrive() {
    let nested = |number: i32| Template {
        value: [Some(Template {
            value: (number, Choice::One(number.to_string())),
            others: vec![],
        })],
        others: vec![[None]; 2],
    };
    let keyed = |number: u8| BTreeMap::from([(vec![[number; 2]; 2], Choice::One(Some(number)))]);
    travels([nested(1), nested(2)], [keyed(1), keyed(2)]);
}

/// T20: an array in a variable. An array of variables is refused by the derive, which says what to
/// write: `ui/nested_sync_var/in_array.rs`.
#[test]
fn an_array_in_a_variable_has_all_its_elements_from_the_start() {
    travels(
        [[0_i32; 4], [1, 2, 3, 4]],
        [[[true; 2]; 2], [[false; 2]; 2]],
    );
    let mut holder = Holder::<[u8; 3], bool>::default();
    assert_eq!((*holder.first, holder.first.is_dirty()), ([0; 3], false));
    holder.first[2] = 9;
    assert!(holder.first.is_dirty());
}
