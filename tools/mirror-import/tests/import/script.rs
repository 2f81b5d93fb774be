//! Steps of the recorded server's script.

use syncvar::mirror::MirrorBehaviourMut;
use syncvar::prelude::*;
use syncvar::values::{Color32, Vector3};

use super::game::{Door, GlobalMsg, Item, LootItem, Monster, MonsterKind, Player, Wallet};
use super::live::Live;

/// Runs a step.
pub(crate) fn run(live: &mut Live, step: &str) {
    let words: Vec<&str> = step.split(' ').collect();
    let known = on_monster(live, &words)
        || on_player(live, &words)
        || on_object(live, &words)
        || call(live, &words);
    assert!(known, "`{step}` is not known");
}

fn monster<'a>(live: &'a mut Live, index: &str) -> MirrorBehaviourMut<'a, Monster> {
    let id = monster_id(live, index);
    live.server.get_mut(id).expect("a monster")
}

fn monster_id(live: &Live, index: &str) -> NetId {
    live.monsters[parse::<usize>(index)]
}

/// Returns the player of the first connection.
fn player_id(live: &Live) -> NetId {
    let first = live.connections.values().next().expect("a connection");
    live.server.player_of(*first).expect("a player")
}

fn on_monster(live: &mut Live, words: &[&str]) -> bool {
    match *words {
        ["hp", it, hp] => drop(monster(live, it).hp.set(parse(hp))),
        ["buff", it, key, name] => {
            drop(monster(live, it).buffs.insert(parse(key), name.to_owned()));
        }
        ["unbuff", it, key] => drop(monster(live, it).buffs.remove(&parse(key))),
        ["tag", it, name] => drop(monster(live, it).tags.insert(name.to_owned())),
        ["loot", it, item, label, chance] => monster(live, it).loot.push(LootItem {
            item: parse(item),
            label: Some(label.to_owned()),
            chance: parse(chance),
        }),
        ["spawn", "Dragon", x, y, z] => live.spawn(
            MonsterKind::Dragon,
            Vector3::new(parse(x), parse(y), parse(z)),
        ),
        ["target", it, "player"] => {
            let player = player_id(live);
            monster(live, it).target.set(player.into());
        }
        ["untarget", it] => drop(monster(live, it).target.set(NetRef::NONE)),
        ["bounty", it, gold] => drop(monster(live, it).bounty.set(Some(parse(gold)))),
        ["color", it, r, g, b, a] => {
            let color = Color32::new(parse(r), parse(g), parse(b), parse(a));
            monster(live, it).color.set(color);
        }
        _ => return false,
    }
    true
}

fn on_player(live: &mut Live, words: &[&str]) -> bool {
    let [
        "gold" | "inv" | "invset" | "invremove" | "invclear" | "pos",
        ..,
    ] = words
    else {
        return false;
    };
    let id = player_id(live);
    if let ["gold", gold] = *words {
        live.server
            .get_mut::<Wallet>(id)
            .expect("a wallet")
            .gold
            .set(parse(gold));
        return true;
    }
    let mut player = live.server.get_mut::<Player>(id).expect("a player");
    match *words {
        ["inv", item] => player.inventory.push(parse(item)),
        ["invset", index, item] => drop(player.inventory.set(parse(index), parse(item))),
        ["invremove", index] => drop(player.inventory.remove(parse(index))),
        ["invclear"] => player.inventory.clear(),
        ["pos", x, y, z] => drop(
            player
                .position
                .set(Vector3::new(parse(x), parse(y), parse(z))),
        ),
        _ => return false,
    }
    true
}

fn on_object(live: &mut Live, words: &[&str]) -> bool {
    let connections: Vec<ConnectionId> = live.connections.values().copied().collect();
    match *words {
        ["own", it] => live
            .server
            .set_owner(monster_id(live, it), connections.first().copied())
            .expect("a monster"),
        ["unown", it] => live
            .server
            .set_owner(monster_id(live, it), None)
            .expect("a monster"),
        ["destroy" | "unspawn", it] => live
            .server
            .despawn(monster_id(live, it))
            .expect("a monster"),
        ["show", it] => {
            for connection in connections {
                live.server
                    .show(monster_id(live, it), connection)
                    .expect("a monster");
            }
        }
        ["hide", it] => {
            for connection in connections {
                live.server
                    .hide(monster_id(live, it), connection)
                    .expect("a monster");
            }
        }
        ["door"] => {
            let mut door = live.server.get_mut::<Door>(live.door).expect("a door");
            let open = !*door.open;
            door.open.set(open);
        }
        ["notready"] => connections
            .into_iter()
            .for_each(|connection| live.server.set_not_ready(connection)),
        ["kick"] => connections
            .into_iter()
            .for_each(|connection| live.server.disconnect(connection)),
        _ => return false,
    }
    true
}

fn call(live: &mut Live, words: &[&str]) -> bool {
    let called = match *words {
        ["roar", it, volume] => {
            let id = monster_id(live, it);
            live.server
                .calls::<Monster>(id)
                .rpc_roar(parse(volume), Vector3::new(1.0, 1.0, 1.0))
        }
        ["notify", what] => live
            .server
            .calls::<Player>(player_id(live))
            .target_notify(what.to_owned()),
        ["others", what] => live
            .server
            .calls::<Player>(player_id(live))
            .rpc_others(parse(what)),
        ["custom", a] => {
            let item = Item {
                id: 3,
                name: "srv".to_owned(),
                weight: 1.0,
            };
            live.server
                .send_to_all(&GlobalMsg { a: parse(a), item })
                .expect("connections");
            return true;
        }
        _ => return false,
    };
    called.expect("an observer");
    true
}

fn parse<T: std::str::FromStr>(word: &str) -> T {
    word.parse().ok().expect("a number")
}
