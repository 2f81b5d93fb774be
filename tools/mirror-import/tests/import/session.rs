//! The recorded session of the real Mirror on a virtual clock: the server of the imported module sends the same bytes.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use syncvar::Channel;
use syncvar::mirror::{Limits, MirrorServer, MirrorSpawnOptions};
use syncvar::prelude::*;

use super::game::{
    InhLeaf, LootItem, Monster, MonsterKind, Player, SyncObjs, Wallet, combo, monster,
};
use super::json::{float, index, int, list, number, recording, text, vector};
use super::server;

/// Limits of the recording.
const LIMITS: Limits = Limits {
    batch_threshold: 1200,
    max_reliable: 16_384,
    max_unreliable: 16_384,
};

#[test]
fn server_of_the_imported_module_sends_the_recorded_bytes() {
    let Some(recording) = recording("session_deterministic") else {
        return;
    };
    let frames = list(&recording["cases"]);
    let mut session = Session {
        server: server::server(),
        objects: BTreeMap::new(),
        connections: BTreeMap::new(),
    };
    for frame in frames {
        let sent = session.frame(frame);
        let recorded: Vec<_> = list(&frame["out"]).iter().map(recorded).collect();
        assert_eq!(sent, recorded, "frame {}", frame["frame"]);
    }
    assert!(frames.len() > 20, "{} frames", frames.len());
}

/// A batch: its connection, its channel, and its bytes in hexadecimal digits.
type Batch = (u64, u64, String);

fn recorded(batch: &Value) -> Batch {
    (
        number(&batch["conn"]),
        number(&batch["channel"]),
        text(&batch["hex"]),
    )
}

struct Session {
    server: MirrorServer,
    /// Objects by their names in the recording.
    objects: BTreeMap<String, NetId>,
    connections: BTreeMap<u64, ConnectionId>,
}

impl Session {
    /// Runs the events of a frame, and returns the batches that the server sends.
    fn frame(&mut self, frame: &Value) -> Vec<Batch> {
        for event in list(&frame["events"]) {
            self.event(event);
        }
        let time = frame["time"].as_f64().expect("seconds");
        self.server.update(Duration::from_secs_f64(time));
        let mut sent = Vec::new();
        while let Some(transmit) = self.server.poll_transmit() {
            let mut names = self.connections.iter();
            let (name, _) = names
                .find(|(_, id)| **id == transmit.connection)
                .expect("a connection");
            sent.push((
                *name,
                transmit.channel as u64,
                hex::encode(transmit.to_bytes()),
            ));
        }
        server::add_players(&mut self.server);
        sent
    }

    fn event(&mut self, event: &Value) {
        let connection = || self.connections[&number(&event["conn"])];
        match event["op"].as_str().expect("an event") {
            "connect" => {
                let connection = self.server.handle_connect(LIMITS);
                self.connections.insert(number(&event["conn"]), connection);
            }
            "disconnect" => self.server.handle_disconnect(connection()),
            "set_not_ready" => self.server.set_not_ready(connection()),
            "in" => {
                let channel =
                    [Channel::Reliable, Channel::Unreliable][usize::from(event["channel"] == 1)];
                let bytes = hex::decode(text(&event["hex"])).expect("digits");
                let connection = connection();
                self.server
                    .handle_packet(connection, channel, &bytes)
                    .expect("a valid packet");
                server::add_players(&mut self.server);
            }
            "add_player" => {
                let player = self.server.player_of(connection()).expect("a player");
                self.spawned(event, player);
            }
            "spawn" => self.spawn(event),
            "destroy" | "unspawn" => self.server.despawn(self.object(event)).expect("an object"),
            "assign_authority" => {
                let owner = connection();
                self.server
                    .set_owner(self.object(event), Some(owner))
                    .expect("an object");
            }
            "remove_authority" => self
                .server
                .set_owner(self.object(event), None)
                .expect("an object"),
            "client_rpc" | "client_rpc_exclude_owner" | "target_rpc" => self.call(event),
            "set" | "sync" => self.write(event),
            other => panic!("`{other}` is not known"),
        }
    }

    fn spawn(&mut self, event: &Value) {
        let owner = self.connections.get(&number(&event["owner_conn"])).copied();
        let options = MirrorSpawnOptions {
            position: vector(&event["position"]),
            owner,
            ..MirrorSpawnOptions::default()
        };
        let id = match event["prefab"].as_str() {
            Some("Monster") => self.server.try_spawn(monster(), options),
            _ => self.server.try_spawn(combo(), options),
        };
        self.spawned(event, id.expect("the prefab is registered"));
    }

    fn spawned(&mut self, event: &Value, id: NetId) {
        assert_eq!(u64::from(id.0), number(&event["netId"]));
        self.objects.insert(text(&event["name"]), id);
    }

    fn object(&self, event: &Value) -> NetId {
        self.objects[&text(&event["obj"])]
    }

    fn call(&mut self, event: &Value) {
        let (id, arguments) = (self.object(event), list(&event["args"]));
        let function = text(&event["function"]);
        let called = match function.split(['(', ':']).nth(2).expect("a name") {
            "RpcRoar" => {
                let (volume, at) = (int(&arguments[0]), vector(&arguments[1]));
                self.server.calls::<Monster>(id).rpc_roar(volume, at)
            }
            "TargetNotify" => self
                .server
                .calls::<Player>(id)
                .target_notify(text(&arguments[0])),
            "RpcOthers" => self
                .server
                .calls::<Player>(id)
                .rpc_others(int(&arguments[0])),
            other => panic!("`{other}` is not known"),
        };
        called.expect("an observer");
    }

    /// Writes a field.
    fn write(&mut self, event: &Value) {
        let id = self.object(event);
        match event["class"].as_str().expect("a class") {
            "Monster" => write_monster(
                &mut self.server.get_mut(id).expect("a monster"),
                event,
                &self.objects,
            ),
            "Player" => write_player(&mut self.server.get_mut(id).expect("a player"), event),
            "Wallet" => {
                let mut wallet = self.server.get_mut::<Wallet>(id).expect("a wallet");
                wallet.gold.set(int(&event["value"]));
            }
            "InhLeaf" => write_leaf(&mut self.server.get_mut(id).expect("a leaf"), event),
            _ => write_collections(&mut self.server.get_mut(id).expect("collections"), event),
        }
    }
}

/// Kinds by their numbers.
const KINDS: [MonsterKind; 3] = [MonsterKind::Goblin, MonsterKind::Orc, MonsterKind::Dragon];

fn write_monster(monster: &mut Monster, event: &Value, objects: &BTreeMap<String, NetId>) {
    let value = &event["value"];
    let arguments = || list(&event["args"]);
    match field(event) {
        ("kind", _) => drop(monster.kind.set(KINDS[index(value)])),
        ("hp", _) => drop(monster.hp.set(int(value).try_into().expect("a short"))),
        ("bounty", _) => drop(monster.bounty.set(Some(int(value)))),
        ("target", _) => {
            let target = objects.values().find(|id| value["netId"] == id.0);
            monster
                .target
                .set(target.map_or(NetRef::NONE, |id| (*id).into()));
        }
        ("buffs", "Set") => drop(
            monster
                .buffs
                .insert(int(&arguments()[0]), text(&arguments()[1])),
        ),
        ("buffs", "Remove") => drop(monster.buffs.remove(&int(&arguments()[0]))),
        ("tags", "Add") => drop(monster.tags.insert(text(&arguments()[0]))),
        ("tags", "Clear") => monster.tags.clear(),
        ("loot", "Add") => monster.loot.push(loot(&arguments()[0])),
        ("loot", "Set") => drop(
            monster
                .loot
                .set(index(&arguments()[0]), loot(&arguments()[1])),
        ),
        ("loot", "Insert") => monster
            .loot
            .insert(index(&arguments()[0]), loot(&arguments()[1])),
        ("loot", "RemoveAt") => drop(monster.loot.remove(index(&arguments()[0]))),
        other => panic!("{other:?} is not known"),
    }
}

fn write_player(player: &mut Player, event: &Value) {
    match field(event) {
        ("health", _) => drop(player.health.set(int(&event["value"]))),
        ("inventory", "Add") => player.inventory.push(int(&event["args"][0])),
        other => panic!("{other:?} is not known"),
    }
}

fn write_leaf(leaf: &mut InhLeaf, event: &Value) {
    let (value, arguments) = (&event["value"], &event["args"]);
    match field(event) {
        ("leafB", _) => drop(leaf.leaf_b.set(text(value).parse().expect("a number"))),
        ("leafDict", "Set") => drop(
            leaf.leaf_dict
                .insert(int(&arguments[0]), text(&arguments[1])),
        ),
        ("baseList", "Add") => leaf.base.base.base.base_list.push(int(&arguments[0])),
        ("mid", _) => drop(leaf.base.mid.set(float(value))),
        other => panic!("{other:?} is not known"),
    }
}

fn write_collections(objects: &mut SyncObjs, event: &Value) {
    match field(event) {
        ("ints", "Add") => objects.ints.push(int(&event["args"][0])),
        ("strings", "Add") => objects.strings.push(text(&event["args"][0])),
        ("after", _) => drop(objects.after.set(int(&event["value"]))),
        other => panic!("{other:?} is not known"),
    }
}

/// Returns the field of an event, and its operation on a collection.
fn field(event: &Value) -> (&str, &str) {
    let name = event["field"].as_str().or(event["object"].as_str());
    (
        name.expect("a field"),
        event["do"].as_str().unwrap_or_default(),
    )
}

fn loot(json: &Value) -> LootItem {
    LootItem {
        item: int(&json["item"]),
        label: json["label"].as_str().map(str::to_owned),
        chance: float(&json["chance"]),
    }
}
