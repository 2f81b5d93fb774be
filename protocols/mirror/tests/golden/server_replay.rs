//! `session_*.json`, from the other side: what real clients sent, to a server of ours that does what the
//! recorded script did.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use syncvar::mirror::{Limits, MirrorServer, MirrorServerEvent, MirrorSpawnOptions};
use syncvar::prelude::*;
use syncvar::{Channel, values::Vector3};

use super::batches::{ENTITY_STATE, SPAWN, id_of, messages, var};
use super::classes::game::{Door, Monster, Player};
use super::client_session::{DOOR, TIME};
use super::differences::Rule;
use super::json::Json;
use super::log;
use super::told::{described, recorded_entry};
use super::value::number::MonsterKind;
use super::world::{self, GlobalMsg, PlayerObject};
use crate::{Report, Verdict};
use syncvar_testing::golden::same;

/// What was sent of anything but the time, by connection.
type Sent = BTreeMap<u64, Vec<String>>;

pub(crate) fn run(json: &Value, report: &mut Report) {
    let mut replay = Replay::new(json);
    report.check("server", "messages and script", || {
        let steps = json.at("messages").list().iter();
        steps.into_iter().try_for_each(|step| {
            let at = |fault| format!("at {} s: {fault}", step.at("t"));
            replay.step(step).map_err(at)
        })
    });
    report.check("server", "commands, and hooks of what owners write", || {
        let told = |entry: &Value| ["cmd", "hook"].contains(&entry[0].as_str().unwrap_or_default());
        let ours = described(&replay.entries).into_iter();
        let ours: Vec<_> = ours.filter(|entry| told(entry)).collect();
        let recorded = json
            .at("server_log")
            .list()
            .iter()
            .filter_map(recorded_entry);
        same(
            "told",
            &ours,
            &recorded.filter(|entry| told(entry)).collect(),
        )
    });
    let everything = recorded(json);
    for (connection, recorded) in everything {
        let name = format!("sent to {connection}");
        report.case("server", &name, || {
            let ours = replay.sent.remove(&connection).unwrap_or_default();
            same_stream(&ours, &recorded)
        });
    }
}

/// The same messages in the same order, but for what Mirror repeats: an object that is shown while it has
/// changes is sent with them, and then they are.
fn same_stream(ours: &[String], recorded: &[String]) -> Result<Verdict, String> {
    let mut ours = ours.iter();
    let (mut next, mut repeated) = (ours.next(), 0);
    for (index, message) in recorded.iter().enumerate() {
        if next == Some(message) {
            next = ours.next();
        } else if index > 0 && repeats(message, &recorded[index - 1]) {
            repeated += 1;
        } else {
            same(&format!("message {index}"), &next, &Some(message))?;
        }
    }
    same("what is sent after that", &next, &None)?;
    match repeated {
        0 => Ok(Verdict::Matched),
        _ => Ok(Verdict::Ruled(Rule::NothingTwice)),
    }
}

/// Whether a message is the change of an object that the message before it has spawned.
fn repeats(message: &str, before: &str) -> bool {
    let [message, before] = [message, before].map(|text| hex::decode(text).expect("bytes"));
    let about_one = || var(&message[2..]).0 == var(&before[2..]).0;
    id_of(&message) == ENTITY_STATE && id_of(&before) == SPAWN && about_one()
}

fn recorded(json: &Value) -> Sent {
    let mut sent = Sent::new();
    let to_clients = json.at("messages").list().iter();
    for message in to_clients.filter(|message| message.at("dir") == "s2c") {
        let stream = sent.entry(message.at("conn").number()).or_default();
        note(stream, &message.at("hex").hex());
    }
    sent
}

fn note(stream: &mut Vec<String>, batch: &[u8]) {
    let all = messages(batch).into_iter().map(|(_, message)| message);
    let all = all.filter(|message| !TIME.contains(&id_of(message)));
    stream.extend(all.map(hex::encode));
}

pub(crate) struct Replay {
    pub(crate) server: MirrorServer,
    /// As the script numbers them.
    pub(crate) monsters: Vec<NetId>,
    /// By the numbers that the recording has.
    pub(crate) connections: BTreeMap<u64, ConnectionId>,
    /// The second monster is shown when the script says so.
    hides: bool,
    /// When connections were lost, and which; the next one last.
    lost: Vec<(f64, u64)>,
    entries: Vec<log::Entry>,
    sent: Sent,
    now: Duration,
}

impl Replay {
    fn new(json: &Value) -> Self {
        log::take();
        let mut replay = Self {
            server: MirrorServer::new(world::prefabs()),
            monsters: Vec::new(),
            connections: BTreeMap::new(),
            hides: json.at("session") == "aoi",
            lost: Vec::new(),
            entries: Vec::new(),
            sent: Sent::new(),
            now: Duration::ZERO,
        };
        let door = MirrorSpawnOptions {
            position: Vector3::new(7.0, 0.0, -7.0),
            ..MirrorSpawnOptions::default()
        };
        let door = replay
            .server
            .spawn_scene_object(DOOR, Door::default(), door);
        door.expect("a door");
        if json.at("session") == "scene" {
            let name = "Assets/Online.unity";
            let normal = syncvar::mirror::message::SceneOperation::Normal;
            replay.server.load_scene(name, normal).expect("a scene");
        }
        let events = json.at("server_log").list().iter();
        let before = events.clone().take_while(|event| event.at("ev") != "start");
        let monsters = before.filter(|event| event.get("class").is_some_and(|it| it == "Monster"));
        let places = [Vector3::new(1.0, 0.0, 0.0), Vector3::new(-2.0, 0.5, 3.0)];
        let starts = monsters
            .filter(|event| event.at("ev") == "OnStartServer")
            .count();
        for (kind, place) in (0..).zip(places).take(starts) {
            replay.spawn(kind, place);
        }
        let lost = events
            .clone()
            .filter(|event| event.at("ev") == "server_disconnect");
        let lost = lost.map(|event| (event.at("t").seconds(), event.at("conn").number()));
        replay.lost = lost.collect();
        replay.lost.reverse();
        replay.entries = log::take();
        replay
    }

    pub(crate) fn spawn(&mut self, kind: u8, position: Vector3) {
        let mut monster = Monster::default();
        monster.kind.set(MonsterKind(kind));
        monster.buffs.insert(100, Some("born".into()));
        monster.tags.insert(Some("npc".into()));
        let options = MirrorSpawnOptions {
            position,
            ..MirrorSpawnOptions::default()
        };
        let id = self.server.try_spawn(monster, options);
        self.monsters.push(id.expect("a monster"));
    }

    fn step(&mut self, step: &Value) -> Result<(), String> {
        let now = step.at("t").seconds();
        while let Some((_, number)) = self.lost.pop_if(|(time, _)| *time < now) {
            self.server.handle_disconnect(self.connections[&number]);
        }
        match step.at("dir").text() {
            "c2s" => self.receive(step),
            "s2c" => self.frame(step),
            "script" => self.script(step.at("what").text()),
            other => Err(format!("`{other}` is not understood")),
        }
    }

    /// The recorded server has sent something: its frame is over.
    fn frame(&mut self, step: &Value) -> Result<(), String> {
        let time = step.at("decoded").at("timestamp").seconds();
        let time = Duration::from_secs_f64(time);
        if time <= self.now {
            return Ok(());
        }
        self.now = time;
        self.server.update(time);
        while let Some(transmit) = self.server.poll_transmit() {
            let mut names = self.connections.iter();
            let name = names.find(|(_, known)| **known == transmit.connection);
            let (name, _) = name.ok_or("sent to nobody")?;
            note(self.sent.entry(*name).or_default(), &transmit.to_bytes());
        }
        self.events()
    }

    fn receive(&mut self, step: &Value) -> Result<(), String> {
        let number: u64 = step.at("conn").number();
        let connection = match self.connections.get(&number) {
            Some(connection) => *connection,
            None => {
                let connection = self.server.handle_connect(Limits::TELEPATHY);
                if self.hides {
                    self.server.hide(self.monsters[1], connection).unwrap();
                }
                self.connections.insert(number, connection);
                connection
            }
        };
        let channel = match step.at("channel").number::<u8>() {
            0 => Channel::Reliable,
            _ => Channel::Unreliable,
        };
        let handled = self
            .server
            .handle_packet(connection, channel, &step.at("hex").hex());
        handled.map_err(|error| format!("what was recorded is refused: {error}"))?;
        let mut entries = log::take();
        let player = self.server.player_of(connection).unwrap_or(NetId::NONE);
        world::answer_commands(&mut self.server, &entries, player);
        for entry in entries
            .iter_mut()
            .filter(|entry| entry.arguments[0] == "CmdChat")
        {
            same("who has called", &entry.arguments[2], &json!(connection.0))?;
            entry.arguments[2] = json!(number);
        }
        self.entries.extend(entries);
        self.events()
    }

    fn events(&mut self) -> Result<(), String> {
        while let Some(event) = self.server.poll_event() {
            match event {
                MirrorServerEvent::AddPlayerRequested { connection } => {
                    let mut numbers = self.connections.iter();
                    let number = numbers.find(|(_, known)| **known == connection);
                    let number = self.connections.len().min(number.map_or(0, |_| 9));
                    let id = self.server.add_player(connection, PlayerObject::default());
                    let id = id.map_err(|error| error.to_string())?;
                    let name = match self.connections.keys().next_back() {
                        Some(hash) if *hash > 9 => format!("player{hash}"),
                        _ => format!("player{number}"),
                    };
                    let player = self.server.get_mut::<Player>(id);
                    let mut player = player.map_err(|error| error.to_string())?;
                    player.player_name.set(Some(name));
                }
                MirrorServerEvent::Message {
                    connection,
                    message,
                } => {
                    let message: &GlobalMsg = message.get().ok_or("another message")?;
                    let answer = GlobalMsg {
                        a: message.a + 1,
                        item: message.item.clone(),
                    };
                    let sent = self.server.send(connection, &answer);
                    sent.map_err(|error| error.to_string())?;
                }
                MirrorServerEvent::Connected { .. }
                | MirrorServerEvent::Ready { .. }
                | MirrorServerEvent::Written { .. }
                | MirrorServerEvent::Disconnected { .. } => {}
                other => return Err(format!("{other:?}")),
            }
        }
        self.entries.extend(log::take());
        Ok(())
    }
}
