//! `session_deterministic.json`, `session_random.json`: what a server sends, frame by frame.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use syncvar::mirror::{
    AssetId, Limits, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerEvent,
    MirrorSpawnOptions,
};
use syncvar::prelude::*;
use syncvar::{Channel, values::Vector3};

use super::batches::{self, Sent};
use super::followers::{Components, Followers};
use super::json::Json;
use super::value::Recorded;
use super::world::{self, PlayerObject};
use super::{classes, log};
use crate::Report;
use syncvar_testing::golden::same;

/// What both recordings were made with.
const LIMITS: Limits = Limits {
    batch_threshold: 1200,
    max_reliable: 16_384,
    max_unreliable: 16_384,
};

/// The asset id of all objects that are put together at random.
const ANY: u32 = 4000;

pub(crate) fn run_deterministic(json: &Value, report: &mut Report) {
    let setup = json.at("setup");
    let recorded = (
        setup.at("batch_threshold").number(),
        setup.at("max_message").number(),
    );
    assert_eq!(recorded, (LIMITS.batch_threshold, LIMITS.max_reliable));
    let frames = json.at("cases").list();
    let mut session = Session::new(frames);
    session.players_apart = true;
    for frame in frames {
        let name = format!("frame {}", frame.at("frame").number::<u32>());
        report.check("frames", &name, || {
            let sent = session.frame(frame)?;
            same("sent", &sent, &batches::recorded(frame.at("out")))
        });
    }
}

pub(crate) fn run_random(json: &Value, report: &mut Report) {
    let (mut exact, mut reordered, mut unassigned, mut followed) = (0, 0, 0, 0);
    for case in json.at("cases").list() {
        let frames = case.at("frames").list();
        let group = format!("seed {}", case.at("seed").number::<u64>());
        let mut session = Session::new(frames);
        for frame in frames {
            let name = format!("frame {}", frame.at("frame").number::<u32>());
            report.check(&group, &name, || {
                let sent = session.frame(frame)?;
                let recorded = batches::recorded(frame.at("out"));
                if sent == recorded {
                    exact += 1;
                    return Ok(());
                }
                reordered += 1;
                batches::same_but_for_order(&sent, &recorded, &|id| session.is_unordered(id))
            });
        }
        unassigned += session.unassigned;
        followed += session.followed;
    }
    report.note(format!(
        "{exact} frames byte for byte, {reordered} but for the order of .NET's tables; \
         {unassigned} assignments of what only C# takes for equal left out"
    ));
    report.note(format!(
        "{followed} times a client of ours had a component as the server has it"
    ));
}

/// A server, and what its script calls things.
struct Session<'a> {
    server: MirrorServer,
    /// By their names in the script.
    objects: BTreeMap<String, (NetId, Components)>,
    /// Clients of ours, and how often one of them was found to have a component as the server has it.
    followers: Followers,
    followed: usize,
    frames: &'a [Value],
    connections: BTreeMap<u32, ConnectionId>,
    /// The objects that are put together at random, by their components.
    random: Vec<String>,
    /// Whether players stand at `x` = the number of their connection; at 0 otherwise.
    players_apart: bool,
    /// How many assignments were left out, of what C# takes for the value that is there.
    unassigned: usize,
}

impl<'a> Session<'a> {
    /// A server that knows every object that the frames will spawn.
    fn new(frames: &'a [Value]) -> Self {
        let (prefabs, random) = prefabs_of(frames);
        Self {
            server: MirrorServer::new(prefabs),
            objects: BTreeMap::new(),
            followers: Followers::default(),
            followed: 0,
            frames,
            connections: BTreeMap::new(),
            random,
            players_apart: false,
            unassigned: 0,
        }
    }

    /// One frame: what happens, and then what is sent.
    fn frame(&mut self, frame: &Value) -> Result<Vec<Sent>, String> {
        for event in frame.at("events").list() {
            self.event(event)?;
        }
        let now = Duration::from_secs_f64(frame.at("time").seconds());
        self.server.update(now);
        let mut sent = Vec::new();
        while let Some(transmit) = self.server.poll_transmit() {
            let original = transmit.to_bytes();
            let mut bytes = original.to_vec();
            batches::rename_assets(&mut bytes, ANY, self.random.len());
            let (connection, channel) = (transmit.connection, transmit.channel);
            self.followers.receive(connection, channel, &original)?;
            let mut names = self.connections.iter();
            let name = names.find(|(_, known)| **known == connection);
            let (name, _) = name.ok_or("sent to nobody")?;
            sent.push((*name, channel as u8, hex::encode(bytes)));
        }
        while let Some(event) = self.server.poll_event() {
            nothing_wrong(&event)?;
        }
        let objects: Vec<_> = self.objects.values().cloned().collect();
        self.followed += self.followers.same_as(&mut self.server, &objects)?;
        Ok(sent)
    }

    /// Whether an object has collections that are in no order.
    fn is_unordered(&self, id: u32) -> bool {
        let mut objects = self.objects.values();
        let object = objects.find(|(known, _)| known.0 == id);
        object.is_none_or(|(_, classes)| {
            let subjects = classes.iter().map(|(class, _)| class.reach.new_subject());
            subjects.into_iter().any(|subject| {
                let kinds = subject
                    .members()
                    .into_iter()
                    .map(|(_, member)| member.kind());
                kinds.into_iter().any(|kind| {
                    kind.starts_with("SyncDictionary") || kind.starts_with("SyncHashSet")
                })
            })
        })
    }

    fn object(&self, event: &Value) -> NetId {
        let name = event.at("obj").text();
        let object = self.objects.get(name);
        object.unwrap_or_else(|| panic!("no object `{name}`")).0
    }

    fn connection(&self, event: &Value) -> ConnectionId {
        let number = event.at("conn").number();
        *self.connections.get(&number).expect("a connection")
    }

    fn event(&mut self, event: &Value) -> Result<(), String> {
        match event.at("op").text() {
            "spawn" => self.spawn(event)?,
            "add_player" => {
                let connection = self.connection(event);
                let number: u8 = event.at("conn").number();
                let x = if self.players_apart { number } else { 0 };
                let options = MirrorSpawnOptions {
                    position: Vector3::new(x.into(), 0.0, 0.0),
                    ..MirrorSpawnOptions::default()
                };
                let player = PlayerObject::default();
                let id = self.server.add_player_with(connection, player, options);
                let classes = [("Player", false), ("Wallet", true), ("Aim", false)];
                let classes = classes
                    .map(|(name, owner_only)| (classes::find(name).expect("known"), owner_only));
                let classes = classes.to_vec();
                self.spawned(event, id.map_err(|error| error.to_string())?, classes)?;
            }
            "connect" => {
                let number = event.at("conn").number();
                let connection = self.server.handle_connect(LIMITS);
                self.connections.insert(number, connection);
                let (prefabs, _) = prefabs_of(self.frames);
                self.followers.join(connection, prefabs, LIMITS);
            }
            "disconnect" => {
                self.followers.leave(self.connection(event));
                self.server.handle_disconnect(self.connection(event));
            }
            "in" => self.receive(event)?,
            "set" | "sync" => self.change(event),
            "client_rpc" | "client_rpc_exclude_owner" | "target_rpc" => {
                let at = (self.object(event), event.at("comp").number());
                let (function, values) = (event.at("function").text(), event.at("args").list());
                world::call(&mut self.server, at, function, values);
            }
            "assign_authority" => {
                let owner = self.connection(event);
                self.server
                    .set_owner(self.object(event), Some(owner))
                    .unwrap();
            }
            "remove_authority" => {
                self.server.set_owner(self.object(event), None).unwrap();
            }
            "destroy" | "unspawn" => {
                self.server.despawn(self.object(event)).unwrap();
            }
            "set_not_ready" => {
                self.server.set_not_ready(self.connection(event));
            }
            other => return Err(format!("`{other}` is not understood")),
        }
        Ok(())
    }

    fn spawn(&mut self, event: &Value) -> Result<(), String> {
        let components = event.at("components");
        let classes: Vec<_> = components
            .list()
            .iter()
            .map(|json| (world::component(json).0, is_owner_only(json)))
            .collect();
        let list: Vec<_> = classes.iter().map(|(class, _)| *class).collect();
        let owner: u32 = event.at("owner_conn").number();
        let options = MirrorSpawnOptions {
            prefab: is_random(event).then(|| components.to_string()),
            position: Vector3::from_json(event.at("position")),
            owner: (owner != 0).then(|| self.connections[&owner]),
            ..MirrorSpawnOptions::default()
        };
        // A prefab is found by the types of its behaviours, however they are put together.
        let id = self.server.try_spawn(world::list(&list), options);
        self.spawned(event, id.map_err(|error| error.to_string())?, classes)
    }

    fn spawned(&mut self, event: &Value, id: NetId, classes: Components) -> Result<(), String> {
        let name = event.at("name").text().to_string();
        self.objects.insert(name, (id, classes));
        same(
            "the number of the object",
            &id.0,
            &event.at("netId").number(),
        )
    }

    fn receive(&mut self, event: &Value) -> Result<(), String> {
        let connection = self.connection(event);
        let channel = match event.at("channel").number::<u8>() {
            0 => Channel::Reliable,
            _ => Channel::Unreliable,
        };
        log::take();
        let bytes = event.at("hex").hex();
        let handled = self.server.handle_packet(connection, channel, &bytes);
        handled.map_err(|error| format!("what was recorded is refused: {error}"))?;
        let player = self.server.player_of(connection).unwrap_or(NetId::NONE);
        world::answer_commands(&mut self.server, &log::take(), player);
        Ok(())
    }

    fn change(&mut self, event: &Value) {
        let at = (self.object(event), event.at("comp").number());
        let class = event.at("class").text();
        let assigned = world::on_server(&mut self.server, class, at, |subject| {
            if event.at("op").text() == "sync" {
                subject.operate(event);
                return true;
            }
            subject
                .member(event.at("field").text())
                .set(event.at("value"))
        });
        self.unassigned += usize::from(!assigned);
    }
}

/// Prefabs for every object that the frames will spawn, and the names of those that are put together at
/// random.
fn prefabs_of(frames: &[Value]) -> (MirrorPrefabs, Vec<String>) {
    let mut prefabs = world::prefabs();
    let mut random = Vec::new();

    let events = frames.iter().flat_map(|frame| frame.at("events").list());
    for event in events.filter(|event| is_random(event)) {
        let components = event.at("components");
        let name = components.to_string();
        if random.contains(&name) {
            continue;
        }
        let number = ANY + u32::try_from(random.len()).expect("some");
        let mut prefab = MirrorPrefab::new(&name, AssetId(number));
        let mut classes = Vec::new();
        for (index, json) in components.list().iter().enumerate() {
            let (class, component) = world::component(json);
            classes.push(class);
            prefab = prefab.component(index, component);
        }
        prefabs = prefabs.register_with(prefab, move || world::list(&classes));
        random.push(name);
    }
    (prefabs, random)
}

/// Whether a component is for the owner of its object alone.
fn is_owner_only(component: &Value) -> bool {
    component
        .get("syncMode")
        .is_some_and(|mode| mode == "Owner")
}

/// Whether it spawns an object whose components are put together at random.
fn is_random(event: &Value) -> bool {
    let spawns = event.at("op").text() == "spawn";
    spawns && event.at("assetId").number::<u32>() == ANY
}

/// No event may say that something went wrong.
fn nothing_wrong(event: &MirrorServerEvent) -> Result<(), String> {
    let text = format!("{event:?}");
    let wrong = ["Refused ", "Failed ", "TooLong "];
    if wrong.iter().any(|word| text.contains(word)) {
        return Err(text);
    }
    Ok(())
}
