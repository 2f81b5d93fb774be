//! A server with compiled types: collections with operations, and a behaviour that comes and goes. Behaviours of values write whole
//! collections.

use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar::untyped::Value;

/// Name of the prefab.
pub(crate) const BAG: &str = "bag";

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
struct Item {
    id: i16,
    name: String,
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct Bag {
    #[sync_var]
    numbers: SyncList<u16>,
    #[sync_var]
    items: SyncList<Item>,
    #[sync_var]
    prices: SyncDictionary<i16, i32>,
    #[sync_var]
    marks: SyncHashSet<i16>,
    #[sync_var]
    order: SyncSortedSet<u8>,
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct Lid {
    #[sync_var]
    weight: SyncVar<u16>,
    #[sync_var]
    stickers: SyncList<u8>,
}

/// Behaviours of the prefab.
pub(crate) type Bags = (Bag, Optional<Lid>);

pub(super) fn prefabs() -> Prefabs {
    Prefabs::new().register::<Bags>(BAG)
}

/// Changes a field of an object of the server.
pub(crate) fn change(random: &mut Random, server: &mut NetworkServer, id: NetId) {
    let number = |random: &mut Random| match random.below(3) {
        0 => 300 + random.below(3),
        1 => u32::from(u16::MAX / 2) - random.below(3),
        _ => random.below(6),
    };
    let signed = |random: &mut Random| {
        let number = number(random) as i16;
        if random.chance(300) { -number } else { number }
    };
    let mut lid = server.get_mut::<Optional<Lid>>(id).expect("a bag");
    match (random.below(5), lid.as_mut()) {
        (0, Some(_)) => lid.set(None),
        (0, None) => lid.set(Some(Lid::default())),
        (1, Some(lid)) => drop(lid.weight.set(number(random) as u16)),
        (2, Some(lid)) => lid.stickers.push(random.below(300) as u8),
        _ => {}
    }
    drop(lid);
    let mut bag = server.get_mut::<Bag>(id).expect("a bag");
    let at = random.below(4) as usize;
    match random.below(10) {
        0..3 => change_list(random, &mut bag.numbers, |random| number(random) as u16),
        3..5 => change_list(random, &mut bag.items, |random| Item {
            id: signed(random),
            name: "ä".repeat(random.below(7) as usize),
        }),
        5..7 => {
            let key = signed(random);
            if random.chance(300) {
                bag.prices.remove(&key);
            } else {
                bag.prices.insert(key, i32::from(signed(random)) * 9);
            }
        }
        7 => drop(bag.marks.insert(signed(random))),
        8 => {
            let mark = bag.marks.iter().nth(at).copied();
            mark.map(|mark| bag.marks.remove(&mark));
        }
        _ if random.chance(100) => bag.order.clear(),
        _ => drop(bag.order.insert(number(random) as u8)),
    }
}

fn change_list<T: syncvar::SyncValue + Clone + PartialEq>(
    random: &mut Random,
    list: &mut SyncList<T>,
    mut element: impl FnMut(&mut Random) -> T,
) {
    let at = random.below(4) as usize;
    match random.below(8) {
        0 if at < list.len() => drop(list.remove(at)),
        1 if at < list.len() => list.insert(at, element(random)),
        2 | 3 if at < list.len() => drop(list.set(at, element(random))),
        4 if random.chance(200) => list.clear(),
        _ => list.push(element(random)),
    }
}

/// Returns the value of a field of the server; `None` for an absent behaviour.
pub(crate) fn value(server: &NetworkServer, id: NetId, field: &str) -> Option<Value> {
    let bag = server.get::<Bag>(id)?;
    let item = |item: &Item| {
        let name = Value::from(item.name.as_str());
        Value::structure([("id", item.id.into()), ("name", name)])
    };
    let lid = server.get::<Optional<Lid>>(id)?;
    let lid = || lid.as_ref();
    Some(match field {
        "numbers" => Value::List(bag.numbers.iter().map(|it| (*it).into()).collect()),
        "items" => Value::List(bag.items.iter().map(item).collect()),
        "prices" => {
            let entries = bag.prices.iter();
            Value::map(entries.map(|(key, value)| (Value::from(*key), Value::from(*value))))
        }
        "marks" => Value::set(bag.marks.iter().map(|it| Value::from(*it))),
        "order" => Value::set(bag.order.iter().map(|it| Value::from(*it))),
        "present" => lid().is_some().into(),
        "weight" => (*lid()?.weight).into(),
        _ => Value::List(lid()?.stickers.iter().map(|it| (*it).into()).collect()),
    })
}
