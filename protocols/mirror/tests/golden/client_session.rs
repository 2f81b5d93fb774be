//! `session_*.json`: a real server's messages to a client of ours, and what that makes of them.

use std::time::Duration;

use serde_json::Value;
use syncvar::mirror::{Limits, MirrorClient, MirrorClientConfig, MirrorClientEvent, SceneId};
use syncvar::prelude::*;
use syncvar::{
    Channel,
    values::{Quaternion, Vector3},
    wire::{Encoding, NetworkReader},
};

use super::batches::{id_of, messages};
use super::classes::game::{Aim, Door, Player};
use super::json::{Json, loose};
use super::told::{described, recorded_entry};
use super::value::{Recorded, Text};
use super::world::{self, GlobalMsg};
use super::{classes, log};
use crate::Report;
use syncvar_testing::golden::same;

/// The door that stands in the recorded scene.
pub(crate) const DOOR: SceneId = SceneId(1_311_768_464_867_721_217);

/// Messages about the time: everything else that a client sends is compared.
pub(crate) const TIME: [u16; 3] = [17_487, 27_095, 57_097];

pub(crate) fn run(json: &Value, report: &mut Report) {
    let all = json.at("messages").list();
    let mut connections: Vec<&Value> = Vec::new();
    for connection in all.iter().filter_map(|message| message.get("conn")) {
        if !connections.contains(&connection) {
            connections.push(connection);
        }
    }
    let logs = json.at("client_logs").list();
    report.check("clients", "number", || {
        same("connections and logs", &connections.len(), &logs.len())
    });
    for (index, (connection, recorded)) in connections.iter().zip(logs).enumerate() {
        let mine = all
            .iter()
            .filter(|message| message.get("conn") == Some(connection));
        let mine: Vec<_> = mine.collect();
        let name = format!("client {index}");
        let wants_player = mine
            .iter()
            .any(|it| it.to_string().contains("Mirror.AddPlayerMessage"));
        let mut replay = Replay::new(recorded, wants_player);
        report.check(&name, "messages both ways", || {
            mine.into_iter()
                .try_for_each(|message| replay.message(message))
        });
        report.check(&name, "final state and end", || replay.end());
        report.check(&name, "hooks, calls and callbacks", || replay.same_log());
        report.check(&name, "objects that come and go", || replay.same_objects());
        report.check(&name, "messages of the game", || {
            let found = replay.found("message", |event| loose(event.at("value")));
            same("messages", &replay.game_messages, &found)
        });
    }
}

/// A client, and what it has come to.
struct Replay<'a> {
    client: MirrorClient,
    recorded: &'a [Value],
    /// What the recorded client wrote to its `Aim`, in order.
    aims: Vec<(f32, bool)>,
    entries: Vec<log::Entry>,
    /// Objects that have come or gone, by packets.
    objects: Vec<(&'static str, u32)>,
    game_messages: Vec<Value>,
    now: Duration,
}

impl<'a> Replay<'a> {
    fn new(recorded: &'a Value, wants_player: bool) -> Self {
        let recorded = recorded.list();
        let config = MirrorClientConfig {
            auto_add_player: wants_player,
            ..MirrorClientConfig::default()
        };
        let mut client = MirrorClient::with_config(world::prefabs(), config);
        let added = client.add_scene_object(DOOR, Door::default());
        added.expect("a door");
        let done = recorded.iter().filter(|event| event.at("ev") == "do");
        let aims = done.filter_map(|event| {
            let words: Vec<_> = event.at("what").text().split(' ').collect();
            match words[..] {
                ["aim", yaw, firing] => Some((yaw.parse().ok()?, firing.parse().ok()?)),
                _ => None,
            }
        });
        let aims = aims.collect();
        log::take();
        client.handle_connect(Limits::TELEPATHY);
        Self {
            client,
            recorded,
            aims,
            entries: Vec::new(),
            objects: Vec::new(),
            game_messages: Vec::new(),
            now: Duration::ZERO,
        }
    }

    fn message(&mut self, message: &Value) -> Result<(), String> {
        let time = Duration::from_secs_f64(message.at("t").seconds());
        self.now = self.now.max(time);
        match message.at("dir").text() {
            "s2c" => self.receive(message),
            "c2s" => self.send(message),
            other => Err(format!("`{other}` is not understood")),
        }
        .map_err(|fault| format!("at {time:?}: {fault}"))
    }

    /// A batch of the server.
    fn receive(&mut self, message: &Value) -> Result<(), String> {
        let channel = match message.at("channel").number::<u8>() {
            0 => Channel::Reliable,
            _ => Channel::Unreliable,
        };
        self.client.update(self.now);
        let handled = self.client.handle_packet(channel, &message.at("hex").hex());
        handled.map_err(|error| format!("what was recorded is refused: {error}"))?;
        self.notice()
    }

    /// Takes what has been written down since, and all events.
    fn notice(&mut self) -> Result<(), String> {
        let mut objects = Vec::new();
        while let Some(event) = self.client.poll_event() {
            match event {
                MirrorClientEvent::Spawned { object } => objects.push(("spawn", object.0)),
                MirrorClientEvent::Despawned { object, .. } => objects.push(("despawn", object.0)),
                MirrorClientEvent::Message(message) => {
                    let message: &GlobalMsg = message.get().ok_or("another message")?;
                    self.game_messages.push(loose(&message.to_json()));
                }
                MirrorClientEvent::SceneChange(change) => {
                    let mut scenes = self.recorded.iter();
                    let scene = scenes.find(|event| event.at("ev") == "scene");
                    let scene = scene.ok_or("no scene was recorded")?;
                    same("scene", &change.scene.as_str(), &scene.at("name").text())?;
                    self.client.scene_loaded();
                }
                MirrorClientEvent::SpawnFailed { .. }
                | MirrorClientEvent::Mismatch(_)
                | MirrorClientEvent::CallbackFailed(_)
                | MirrorClientEvent::HookFailed(_)
                | MirrorClientEvent::CallFailed(_)
                | MirrorClientEvent::Unsendable { .. } => return Err(format!("{event:?}")),
                _ => {}
            }
        }
        // The recorder looked for them at the end of a frame, by number.
        objects.sort_unstable();
        self.objects.extend(objects);
        self.entries.extend(log::take());
        Ok(())
    }

    /// A batch of the recorded client: this one does the same, and sends the same.
    fn send(&mut self, message: &Value) -> Result<(), String> {
        let batch = message.at("hex").hex();
        let recorded: Vec<_> = messages(&batch)
            .into_iter()
            .map(|(_, message)| message)
            .collect();
        let said = message.at("decoded").at("messages").list();
        same("messages decoded", &said.len(), &recorded.len())?;
        let mut expected = Vec::new();
        for (message, said) in recorded.into_iter().zip(said) {
            if !TIME.contains(&id_of(&message)) {
                self.act(said)?;
                expected.push(hex::encode(message));
            }
        }
        if expected.is_empty() {
            return Ok(());
        }
        self.client.update(self.now);
        let mut sent = Vec::new();
        while let Some(packet) = self.client.poll_transmit() {
            let all = messages(&packet.bytes)
                .into_iter()
                .map(|(_, message)| message);
            let all = all.filter(|message| !TIME.contains(&id_of(message)));
            sent.extend(all.map(hex::encode));
        }
        same("sent", &sent, &expected)
    }

    /// Does what a recorded message came from.
    fn act(&mut self, message: &Value) -> Result<(), String> {
        let fields = message.at("fields");
        match message.at("type").text() {
            "Mirror.ReadyMessage" => {
                // It is said by itself, but for the second time.
                if !self.client.is_ready() {
                    self.client.ready();
                }
            }
            "Mirror.AddPlayerMessage" => {}
            "Mirror.EntityStateMessage" => {
                let player = self.client.local_player().ok_or("no player")?;
                same("who writes", &player.0, &fields.at("netId").number())?;
                let (yaw, firing) = self.aims.remove(0);
                let aim = self.client.get_mut::<Aim>(player);
                let mut aim = aim.map_err(|error| error.to_string())?;
                aim.yaw.set(yaw);
                aim.firing.set(firing);
            }
            "GlobalMsg" => {
                let message = GlobalMsg::from_json(fields);
                let sent = self.client.send(&message);
                sent.map_err(|error| error.to_string())?;
            }
            "Mirror.CommandMessage" => self.command(fields)?,
            other => return Err(format!("`{other}` is not understood")),
        }
        Ok(())
    }

    fn command(&mut self, fields: &Value) -> Result<(), String> {
        let id = NetId(fields.at("netId").number());
        let payload = fields.at("payload").hex();
        let mut reader = NetworkReader::with_encoding(&payload, Encoding::Mirror);
        let function = fields.at("function").text();
        let name = function.split("__").next().unwrap_or_default();
        let called = match name {
            "CmdDamage" => {
                let amount = reader.read().map_err(|error| error.to_string())?;
                self.client.calls::<Player>(id).cmd_damage(amount)
            }
            "CmdChat" => {
                let text: Text = reader.read().map_err(|error| error.to_string())?;
                self.client.calls::<Player>(id).cmd_chat(text)
            }
            "CmdPickup" => {
                let item = reader.read().map_err(|error| error.to_string())?;
                let index = reader.read().map_err(|error| error.to_string())?;
                self.client.calls::<Player>(id).cmd_pickup(item, index)
            }
            "CmdToggle" => self.client.calls::<Door>(id).cmd_toggle(),
            other => return Err(format!("`{other}` is not understood")),
        };
        called.map_err(|error| format!("{name}: {error}"))
    }

    /// The recorded client has left or was sent away; its state was recorded before or after that.
    fn end(&mut self) -> Result<(), String> {
        let position = |name| {
            self.recorded
                .iter()
                .position(|event| event.at("ev") == name)
        };
        let (state, end) = (position("final"), position("disconnected"));
        let (state, end) = (state.ok_or("no state")?, end.ok_or("no end")?);
        let objects = self.recorded[state].at("objects").list();
        if state < end {
            self.same_state(objects)?;
        }
        self.client.handle_disconnect();
        let objects_before = self.objects.len();
        self.notice()?;
        if end < state {
            self.same_state(objects)?;
        } else {
            // The recorder left in the same frame, and did not look for objects any more.
            self.objects.truncate(objects_before);
        }
        Ok(())
    }

    fn same_state(&mut self, objects: &[Value]) -> Result<(), String> {
        let mut ids: Vec<u32> = self
            .client
            .identities()
            .map(|identity| identity.net_id().0)
            .collect();
        ids.sort_unstable();
        let mut recorded: Vec<u32> = objects
            .iter()
            .map(|object| object.at("netId").number())
            .collect();
        recorded.sort_unstable();
        same("objects", &ids, &recorded)?;
        objects.iter().try_for_each(|object| {
            let at = |fault| format!("object {}: {fault}", object.at("netId"));
            self.same_object(object, &ids).map_err(at)
        })
    }

    fn same_object(&mut self, object: &Value, known: &[u32]) -> Result<(), String> {
        let id = NetId(object.at("netId").number());
        let identity = self.client.identity(id).ok_or("no identity")?;
        let (position, rotation) = (identity.position, identity.rotation);
        same(
            "position",
            &position,
            &Vector3::from_json(object.at("position")),
        )?;
        same(
            "rotation",
            &rotation,
            &Quaternion::from_json(object.at("rotation")),
        )?;
        let scale = Vector3::from_json(object.at("scale"));
        same("scale", &self.client.scale(id), &Some(scale))?;
        let owned = object.at("isOwned").truth();
        same("owned", &self.client.is_owned(id), &owned)?;
        let player = object.at("isLocalPlayer").truth();
        same("player", &(self.client.local_player() == Some(id)), &player)?;
        let scene_id: u64 = object.at("sceneId").number();
        let scene_id = Some(SceneId(scene_id)).filter(|id| id.0 != 0);
        same("scene id", &self.client.scene_id(id), &scene_id)?;
        if let Some(prefab) = object.at("prefab").as_str() {
            same("prefab", &self.client.prefab_name(id), &Some(prefab))?;
        }
        for component in object.at("components").list() {
            let name = component.at("class").text();
            let class = classes::find(name).ok_or_else(|| format!("no class `{name}`"))?;
            let index = component.at("index").number();
            let mut result = Err("no such component".to_string());
            class
                .reach
                .on_client(&mut self.client, (id, index), &mut |subject| {
                    let values = resolved(
                        component.at("syncvars"),
                        subject.member_json("target"),
                        known,
                    );
                    result = subject
                        .same_values(&values)
                        .and_then(|()| subject.same_contents(component.at("syncobjects")));
                });
            result.map_err(|fault| format!("{name}: {fault}"))?;
        }
        Ok(())
    }

    /// What was recorded of one kind of event.
    fn found(&self, name: &str, value: impl Fn(&Value) -> Value) -> Vec<Value> {
        let events = self.recorded.iter().filter(|event| event.at("ev") == name);
        events.map(value).collect()
    }

    fn same_log(&self) -> Result<(), String> {
        let ours = described(&self.entries);
        let recorded: Vec<_> = self.recorded.iter().filter_map(recorded_entry).collect();
        for (index, (ours, recorded)) in ours.iter().zip(&recorded).enumerate() {
            same(&format!("entry {index}"), ours, recorded)?;
        }
        same("the number of entries", &ours.len(), &recorded.len())
    }

    fn same_objects(&self) -> Result<(), String> {
        let mut recorded: Vec<(&str, u32)> = Vec::new();
        for event in self.recorded {
            match event.at("ev").text() {
                "spawn" => recorded.push(("spawn", event.at("object").at("netId").number())),
                "despawn" => recorded.push(("despawn", event.at("netId").number())),
                _ => {}
            }
        }
        same("objects", &self.objects, &recorded)
    }
}

/// The recorded values, with a reference to an object that the client does not have as ours keeps it: the
/// recorder asked for the object, and was given none.
fn resolved(values: &Value, target: Option<Value>, known: &[u32]) -> Value {
    let mut values = values.clone();
    let id = target.as_ref().and_then(|target| target.get("netId"));
    let is_unknown = id.is_some_and(|id| !known.contains(&id.number()));
    if let (true, Some(members)) = (is_unknown, values.as_object_mut())
        && members.get("target") == Some(&Value::Null)
    {
        members.insert("target".into(), target.unwrap_or_default());
    }
    values
}
