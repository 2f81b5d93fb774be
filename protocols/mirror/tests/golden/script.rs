//! The script of the recorded server: what it did, in words.

use serde_json::json;
use syncvar::mirror::MirrorBehaviourMut;
use syncvar::prelude::*;
use syncvar::{
    NetworkIdentity,
    calls::CallError,
    values::{Color32, Vector3},
};

use super::classes::game::{Door, Loot, Monster, Player, Wallet};
use super::classes::structs::Item;
use super::server_replay::Replay;
use super::value::{Recorded, Text};
use super::world::GlobalMsg;

impl Replay {
    fn monster(&mut self, index: &str) -> MirrorBehaviourMut<'_, Monster> {
        let id = self.monster_id(index);
        self.server.get_mut(id).expect("a monster")
    }

    fn monster_id(&self, index: &str) -> NetId {
        self.monsters[index.parse::<usize>().expect("an index")]
    }

    /// The player of the first connection.
    fn player(&self) -> NetId {
        let first = self.connections.values().next().expect("a connection");
        self.server.player_of(*first).expect("a player")
    }

    fn on_player(&mut self) -> MirrorBehaviourMut<'_, Player> {
        let id = self.player();
        self.server.get_mut(id).expect("a player")
    }

    pub(crate) fn script(&mut self, what: &str) -> Result<(), String> {
        let words: Vec<_> = what.split(' ').collect();
        if let Some(sent) = self.call(&words) {
            return sent.map_err(|error| error.to_string());
        }
        if self.on_monsters(&words) || self.on_players(&words) || self.on_objects(&words) {
            return Ok(());
        }
        Err(format!("`{what}` is not understood"))
    }

    /// Writes to a monster, or spawns one. `false` if the words are about something else.
    fn on_monsters(&mut self, words: &[&str]) -> bool {
        match *words {
            ["hp", it, hp] => drop(self.monster(it).hp.set(hp.parse().expect("a number"))),
            ["buff", it, key, name] => {
                self.monster(it).buffs.insert(number(key), text(name));
            }
            ["unbuff", it, key] => drop(self.monster(it).buffs.remove(&number(key))),
            ["tag", it, name] => drop(self.monster(it).tags.insert(text(name))),
            ["loot", it, item, name, chance] => {
                let loot = json!({
                    "item": number(item),
                    "label": name,
                    "chance": {"bits": format!("{:08x}", float(chance).to_bits())},
                });
                self.monster(it).loot.push(Loot::from_json(&loot));
            }
            ["spawn", "Dragon", x, y, z] => {
                self.spawn(2, Vector3::new(float(x), float(y), float(z)));
            }
            ["target", it, "player"] => {
                let player = self.player();
                self.monster(it).target.set(player.into());
            }
            ["untarget", it] => drop(self.monster(it).target.set(NetRef::NONE)),
            ["bounty", it, gold] => drop(self.monster(it).bounty.set(Some(number(gold)))),
            ["color", it, r, g, b, a] => {
                let color = Color32::new(byte(r), byte(g), byte(b), byte(a));
                self.monster(it).color.set(color);
            }
            _ => return false,
        }
        true
    }

    /// Writes to the first player.
    fn on_players(&mut self, words: &[&str]) -> bool {
        match *words {
            ["gold", gold] => {
                let player = self.player();
                let wallet = self.server.get_mut::<Wallet>(player);
                wallet.expect("a wallet").gold.set(number(gold));
            }
            ["inv", item] => self.on_player().inventory.push(number(item)),
            ["invset", index, item] => {
                let index = index.parse().expect("an index");
                self.on_player().inventory.set(index, number(item));
            }
            ["invremove", index] => {
                let index = index.parse().expect("an index");
                self.on_player().inventory.remove(index);
            }
            ["invclear"] => self.on_player().inventory.clear(),
            ["pos", x, y, z] => {
                let position = Vector3::new(float(x), float(y), float(z));
                self.on_player().position.set(position);
            }
            _ => return false,
        }
        true
    }

    /// Says who owns and who sees what.
    fn on_objects(&mut self, words: &[&str]) -> bool {
        match *words {
            ["own", it] => {
                let first = *self.connections.values().next().expect("a connection");
                self.server
                    .set_owner(self.monster_id(it), Some(first))
                    .unwrap();
            }
            ["unown", it] => drop(self.server.set_owner(self.monster_id(it), None)),
            ["destroy" | "unspawn", it] => drop(self.server.despawn(self.monster_id(it))),
            ["show" | "hide", it] => {
                for connection in self.connections.values() {
                    let id = self.monster_id(it);
                    match words[0] {
                        "show" => self.server.show(id, *connection),
                        _ => self.server.hide(id, *connection),
                    }
                    .unwrap();
                }
            }
            ["door"] => {
                let door = self.server.identities().map(NetworkIdentity::net_id).next();
                let mut door = self
                    .server
                    .get_mut::<Door>(door.expect("an object"))
                    .expect("a door");
                let open = *door.open;
                door.open.set(!open);
            }
            ["notready"] => {
                for connection in self.connections.values() {
                    self.server.set_not_ready(*connection);
                }
            }
            ["kick"] => {
                for connection in self.connections.values() {
                    self.server.disconnect(*connection);
                }
            }
            _ => return false,
        }
        true
    }

    /// Calls clients, and sends them messages; none if the words are about something else.
    fn call(&mut self, words: &[&str]) -> Option<Result<(), CallError>> {
        Some(match *words {
            ["roar", it, volume] => {
                let (id, at) = (self.monster_id(it), Vector3::new(1.0, 1.0, 1.0));
                self.server
                    .calls::<Monster>(id)
                    .rpc_roar(number(volume), at)
            }
            ["notify", what] => {
                let player = self.player();
                self.server
                    .calls::<Player>(player)
                    .target_notify(text(what))
            }
            ["others", what] => {
                let player = self.player();
                self.server.calls::<Player>(player).rpc_others(number(what))
            }
            ["custom", a] => {
                let item = json!({"id": 3, "name": "srv", "weight": {"bits": "3f800000"}});
                let item = Item::from_json(&item);
                let sent = self.server.send_to_all(&GlobalMsg { a: number(a), item });
                sent.map_err(|_| CallError::NotConnected)
            }
            _ => return None,
        })
    }
}

fn text(text: &str) -> Text {
    Text::from(text.to_string())
}

fn number(text: &str) -> i32 {
    text.parse().expect("a number")
}

fn float(text: &str) -> f32 {
    text.parse().expect("a number")
}

fn byte(text: &str) -> u8 {
    text.parse().expect("a byte")
}
