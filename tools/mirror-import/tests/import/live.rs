//! Recorded sessions of real clients with a real server: the server of the imported module gets the bytes of the
//! clients, does what the recorded one did, and sends the same messages.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use syncvar::Channel;
use syncvar::mirror::message::SceneOperation;
use syncvar::mirror::{Limits, MirrorServer, MirrorServerEvent, MirrorSpawnOptions, SceneId};
use syncvar::prelude::*;
use syncvar::values::Vector3;

use super::game::{GlobalMsg, MonsterKind, Player, door, monster, player};
use super::json::{list, number, recording, text};
use super::script;
use super::server;

/// Ids of messages about the time, which differ from run to run.
const TIME: [u16; 3] = [17_487, 27_095, 57_097];
const SPAWN: u16 = 34_916;
const ENTITY_STATE: u16 = 12_339;

#[test]
fn sessions_over_sockets_are_repeated_by_the_imported_server() {
    for name in [
        "telepathy",
        "kcp",
        "twoclients",
        "aoi",
        "scene",
        "kick",
        "noplayer",
    ] {
        let Some(recording) = recording(&format!("session_{name}")) else {
            continue;
        };
        let mut live = Live::new(&recording);
        for step in list(&recording["messages"]) {
            live.step(step);
        }
        let mut recorded: BTreeMap<u64, Vec<Vec<u8>>> = BTreeMap::new();
        for step in list(&recording["messages"])
            .iter()
            .filter(|step| step["dir"] == "s2c")
        {
            let stream = recorded.entry(number(&step["conn"])).or_default();
            stream.extend(messages(&bytes(step)));
        }
        assert!(!recorded.is_empty(), "{name}");
        for (connection, recorded) in recorded {
            let sent = live.sent.remove(&connection).unwrap_or_default();
            assert_eq!(
                sent,
                without_repeats(recorded, &sent),
                "{name}, connection {connection}"
            );
        }
    }
}

/// Removes states that Mirror sends twice: of an object that is shown while it has changes, in its spawn message and
/// behind it.
fn without_repeats(recorded: Vec<Vec<u8>>, sent: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for message in recorded {
        let repeats = kept.last().is_some_and(|before| {
            id(before) == SPAWN
                && id(&message) == ENTITY_STATE
                && varint(&before[2..]).0 == varint(&message[2..]).0
        });
        if !repeats || sent.get(kept.len()) == Some(&message) {
            kept.push(message);
        }
    }
    kept
}

pub(crate) struct Live {
    pub(crate) server: MirrorServer,
    pub(crate) monsters: Vec<NetId>,
    pub(crate) door: NetId,
    /// Connections by their numbers in the recording.
    pub(crate) connections: BTreeMap<u64, ConnectionId>,
    /// Whether the second monster is hidden at first.
    hides: bool,
    /// Times of lost connections, the next one last.
    lost: Vec<(f64, u64)>,
    sent: BTreeMap<u64, Vec<Vec<u8>>>,
    now: Duration,
}

impl Live {
    fn new(recording: &Value) -> Self {
        let mut server = server::server();
        let id = SceneId(0x1234_5678_0000_0001);
        let options = MirrorSpawnOptions {
            prefab: Some("SceneDoor".to_owned()),
            position: Vector3::new(7.0, 0.0, -7.0),
            ..MirrorSpawnOptions::default()
        };
        let door = server.spawn_scene_object(id, door(), options);
        if recording["session"] == "scene" {
            let loaded = server.load_scene("Assets/Online.unity", SceneOperation::Normal);
            loaded.expect("a scene");
        }
        let log = list(&recording["server_log"]);
        let lost = log
            .iter()
            .filter(|event| event["ev"] == "server_disconnect");
        let mut lost: Vec<_> = lost
            .map(|event| (seconds(&event["t"]), number(&event["conn"])))
            .collect();
        lost.reverse();
        let mut live = Self {
            server,
            monsters: Vec::new(),
            door: door.expect("the prefab is registered"),
            connections: BTreeMap::new(),
            hides: recording["session"] == "aoi",
            lost,
            sent: BTreeMap::new(),
            now: Duration::ZERO,
        };
        let before = log.iter().take_while(|event| event["ev"] != "start");
        let monsters =
            before.filter(|event| event["class"] == "Monster" && event["ev"] == "OnStartServer");
        let places = [Vector3::new(1.0, 0.0, 0.0), Vector3::new(-2.0, 0.5, 3.0)];
        let kinds = [MonsterKind::Goblin, MonsterKind::Orc];
        for (kind, place) in kinds.into_iter().zip(places).take(monsters.count()) {
            live.spawn(kind, place);
        }
        live
    }

    pub(crate) fn spawn(&mut self, kind: MonsterKind, position: Vector3) {
        let mut monster = monster();
        monster.kind.set(kind);
        monster.buffs.insert(100, "born".to_owned());
        monster.tags.insert("npc".to_owned());
        let options = MirrorSpawnOptions {
            position,
            ..MirrorSpawnOptions::default()
        };
        let id = self.server.try_spawn(monster, options);
        self.monsters.push(id.expect("the prefab is registered"));
    }

    fn step(&mut self, step: &Value) {
        let time = seconds(&step["t"]);
        while let Some((_, number)) = self.lost.pop_if(|(lost, _)| *lost < time) {
            self.server.handle_disconnect(self.connections[&number]);
        }
        match step["dir"].as_str() {
            Some("c2s") => self.receive(step),
            Some("s2c") => self.frame(seconds(&step["decoded"]["timestamp"])),
            _ => script::run(self, &text(&step["what"])),
        }
    }

    /// Ends a frame: the recorded server has sent something.
    fn frame(&mut self, time: f64) {
        let time = Duration::from_secs_f64(time);
        if time <= self.now {
            return;
        }
        self.now = time;
        self.server.update(time);
        while let Some(transmit) = self.server.poll_transmit() {
            let mut names = self.connections.iter();
            let (name, _) = names
                .find(|(_, id)| **id == transmit.connection)
                .expect("a connection");
            self.sent
                .entry(*name)
                .or_default()
                .extend(messages(&transmit.to_bytes()));
        }
        self.events();
    }

    fn receive(&mut self, step: &Value) {
        let number = number(&step["conn"]);
        if !self.connections.contains_key(&number) {
            let connection = self.server.handle_connect(Limits::TELEPATHY);
            if self.hides {
                self.server
                    .hide(self.monsters[1], connection)
                    .expect("a monster");
            }
            self.connections.insert(number, connection);
        }
        let channel = if step["channel"] == 0 {
            Channel::Reliable
        } else {
            Channel::Unreliable
        };
        let handled = self
            .server
            .handle_packet(self.connections[&number], channel, &bytes(step));
        handled.expect("a valid packet");
        self.events();
    }

    fn events(&mut self) {
        while let Some(event) = self.server.poll_event() {
            match event {
                MirrorServerEvent::AddPlayerRequested { connection } => {
                    let mut names = self.connections.iter();
                    let (name, _) = names
                        .find(|(_, id)| **id == connection)
                        .expect("a connection");
                    let id = self
                        .server
                        .add_player(connection, player())
                        .expect("a player");
                    let mut player = self.server.get_mut::<Player>(id).expect("a player");
                    player.player_name.set(format!("player{name}"));
                }
                MirrorServerEvent::Message {
                    connection,
                    message,
                } => {
                    let GlobalMsg { a, item } =
                        message.get::<GlobalMsg>().expect("a message").clone();
                    let sent = self.server.send(connection, &GlobalMsg { a: a + 1, item });
                    sent.expect("a connection");
                }
                _ => {}
            }
        }
    }
}

fn bytes(step: &Value) -> Vec<u8> {
    hex::decode(text(&step["hex"])).expect("digits")
}

fn seconds(json: &Value) -> f64 {
    json.as_f64()
        .or_else(|| json["f64"].as_str()?.parse().ok())
        .expect("seconds")
}

/// Returns the messages of a batch that are not about the time. The batch begins with its time.
fn messages(batch: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = &batch[8..];
    let mut messages = Vec::new();
    while !rest.is_empty() {
        let (length, behind) = varint(rest);
        let (message, behind) = behind.split_at(length);
        if !TIME.contains(&id(message)) {
            messages.push(message.to_vec());
        }
        rest = behind;
    }
    messages
}

fn id(message: &[u8]) -> u16 {
    u16::from_le_bytes([message[0], message[1]])
}

/// Returns a number of up to three bytes, and the bytes behind it.
fn varint(bytes: &[u8]) -> (usize, &[u8]) {
    let byte = |at: usize| usize::from(bytes[at]);
    match byte(0) {
        first @ 0..=240 => (first, &bytes[1..]),
        first @ 241..=248 => (240 + 256 * (first - 241) + byte(1), &bytes[2..]),
        249 => (2288 + 256 * byte(1) + byte(2), &bytes[3..]),
        _ => panic!("a longer number than a message of these sessions"),
    }
}
