//! A client of ours, which is given recorded messages.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use syncvar::{
    ClientConfig, ClientEvent, NetId, NetworkClient, NetworkSceneId,
    calls::CallError,
    join::Payload,
    values::{NetworkHash128, Quaternion, Vector3},
    wire::{NetworkReader, NetworkWriter, ReadError},
};

use super::Check;
use super::class::Class;
use super::classes::calls::Calls;
use super::command::scene_asset_id;
use super::field::Field;
use super::frame::Frame;
use super::judge::{Judgement, judge};
use super::recorded::Recorded;
use super::rule::Rule;
use super::spawn::SpawnMessage;
use super::stage;
use super::subject::Subject;
use syncvar_testing::golden::{Json, Node};

pub(crate) struct Replica {
    client: NetworkClient,
    /// The classes of the behaviours of each asset, or the rule by which it cannot be made.
    assets: BTreeMap<NetworkHash128, Result<Vec<Arc<Class>>, Rule>>,
    /// Objects that were spawned again while they were there, with other channels than 0, and what the message said.
    respawned: BTreeMap<NetId, Vec<Vec<String>>>,
    /// Objects whose hooks UNet called.
    hooked: BTreeSet<NetId>,
}

impl Replica {
    /// A client that is connected and knows these assets.
    pub(crate) fn new(assets: &BTreeMap<NetworkHash128, Vec<String>>) -> Self {
        let mut config = ClientConfig {
            compare_schemas: false,
            ..ClientConfig::default()
        };
        // UNet's client passes over what is for an object that is not there.
        config.max_early_messages = 0;
        let names = assets
            .iter()
            .map(|(asset_id, classes)| (*asset_id, classes.as_slice()));
        let mut client = NetworkClient::with_config(stage::prefabs(names), config);
        client.handle_connect();
        let assets = assets
            .iter()
            .map(|(asset_id, classes)| (*asset_id, stage::named(classes)));
        Self {
            client,
            assets: assets.collect(),
            respawned: BTreeMap::new(),
            hooked: BTreeSet::new(),
        }
    }

    /// The client has an object of the scene, of the classes of its asset.
    pub(crate) fn add_scene_object(&mut self, scene_id: NetworkSceneId) {
        if let Some(Ok(classes)) = self.assets.get(&scene_asset_id(scene_id)) {
            let added = self
                .client
                .add_scene_object(scene_id, stage::behaviours(classes));
            added.expect("a registered asset and a free scene id");
        }
    }

    /// Hands a packet to the client.
    pub(crate) fn deliver(&mut self, channel: u8, packet: &[u8]) -> Result<(), ReadError> {
        for frame in Frame::split(0, channel, packet) {
            self.note_respawn(&frame);
        }
        self.client.handle_packet(channel, packet)
    }

    pub(crate) fn events(&mut self) -> Vec<ClientEvent> {
        syncvar_testing::events(&mut self.client).collect()
    }

    /// Calls `CmdMove(3,-4)` on an object.
    pub(crate) fn call_move(&mut self, id: NetId) -> Result<(), CallError> {
        self.client.calls::<Calls>(id).cmd_move(3, -4)
    }

    /// Asks for player 0.
    pub(crate) fn add_player(&mut self) {
        self.client.add_player(0, &Payload::default());
    }

    /// Gives player 0 back.
    pub(crate) fn remove_player(&mut self) {
        self.client.remove_player(0);
    }

    /// What has been called on an object since this was last asked.
    pub(crate) fn take_calls(&mut self, id: NetId) -> Vec<String> {
        let calls = self.client.get_mut::<Calls>(id);
        calls.map_or(Vec::new(), |mut calls| std::mem::take(&mut calls.log))
    }

    /// The messages that the client sends.
    pub(crate) fn sent(&mut self) -> Vec<Frame> {
        let packets = std::iter::from_fn(|| self.client.poll_transmit());
        packets
            .flat_map(|packet| Frame::split(0, packet.channel, &packet.bytes))
            .collect()
    }

    /// How many messages were for objects that are not there.
    pub(crate) fn unknown_objects(&self) -> u64 {
        self.client.stats().unknown_objects
    }

    /// UNet has called hooks of this object.
    pub(crate) fn note_hooks(&mut self, id: NetId) {
        self.hooked.insert(id);
    }

    /// The rule by which the object of a spawn cannot be made.
    pub(crate) fn why_not(&self, frame: &Frame) -> Option<Rule> {
        let spawn = SpawnMessage::of(frame)?;
        self.assets.get(&spawn.asset_id)?.as_ref().err().copied()
    }

    /// What UNet makes of the updates of an object that is there, the first of the messages that
    /// are given to it.
    pub(crate) fn judge(&self, channel: u8, frames: &[Frame]) -> Option<Judgement> {
        let update = frames.iter().find(|frame| frame.message_type() == 8)?;
        let identity = self.client.identity(update.object()?)?;
        let classes = self.assets.get(&identity.asset_id())?.as_ref().ok()?;
        Some(judge(classes, identity, channel, frames))
    }

    /// A recorded state of an object's behaviours as text.
    pub(crate) fn show(&self, id: NetId, recorded: &Json) -> Vec<Vec<String>> {
        let identity = self.client.identity(id);
        let classes = identity.and_then(|identity| self.assets.get(&identity.asset_id()));
        let Some(Ok(classes)) = classes else {
            return Vec::new();
        };
        let behaviours = classes.iter().zip(recorded.list());
        let behaviours = behaviours.map(|(class, recorded)| {
            let state = recorded.at("state");
            let fields = class.fields.iter();
            let values = fields.map(|field| class.show(field, state.at(&field.name)));
            values.collect()
        });
        behaviours.collect()
    }

    /// Reads a spawn of an object that is there by the classes alone, to know what it says. UNet
    /// reads it too if all behaviours are on channel 0.
    fn note_respawn(&mut self, frame: &Frame) {
        let Some(spawn) = SpawnMessage::of(frame) else {
            return;
        };
        let Some(Ok(classes)) = self.assets.get(&spawn.asset_id) else {
            return;
        };
        let all_are_read = classes.iter().all(|class| class.channel == 0);
        if all_are_read || self.client.identity(spawn.net_id).is_none() {
            return;
        }
        let mut reader = NetworkReader::new(spawn.state);
        let values = classes.iter().map(|class| {
            let mut subject = class.make();
            let read = subject.deserialize(&mut reader, true);
            read.map_or(Vec::new(), |()| class.show_all(subject.as_ref()))
        });
        self.respawned.insert(spawn.net_id, values.collect());
    }

    /// A spawn of an object that is there, with recorded values.
    pub(crate) fn spawn_from_json(&self, id: NetId, behaviours: &Json) -> Vec<u8> {
        let identity = self.client.identity(id).expect("an object that is there");
        let classes = self.assets[&identity.asset_id()]
            .as_ref()
            .expect("made before");
        let mut state = NetworkWriter::new();
        for (class, recorded) in classes.iter().zip(behaviours.items()) {
            let mut subject = class.make();
            class.store(subject.as_mut(), recorded.at("state"));
            state.write_bytes(subject.serialize(true).0.as_bytes());
        }
        SpawnMessage::new(identity, state.as_bytes()).to_bytes()
    }

    /// Compares an object with a recorded one, `null` where it is gone.
    pub(crate) fn compare_object(&self, id: NetId, recorded: &Json, check: &mut Check) {
        let Some(identity) = self.client.identity(id) else {
            return check.equal("whether the object is there", !recorded.is_null(), false);
        };
        if recorded.is_null() {
            return check.fault("object", "none", id);
        }
        let shown = |json| Vector3::from_json(json).map(|position| position.show());
        let position = shown(recorded.at("position")).unwrap_or_default();
        check.equal("position", position, identity.position.show());
        let shown = |json| Quaternion::from_json(json).map(|rotation| rotation.show());
        let rotation = shown(recorded.at("rotation")).unwrap_or_default();
        check.equal("rotation", rotation, identity.rotation.show());
        check.equal(
            "authority",
            recorded.at("hasAuthority").truth(),
            self.client.is_owner(id),
        );
        check.equal(
            "whether it is a player",
            recorded.at("isLocalPlayer").truth(),
            self.client.player(0) == Some(id),
        );
        self.compare_behaviours(id, recorded.at("behaviours"), check);
    }

    pub(crate) fn compare_behaviours(&self, id: NetId, recorded: &Json, check: &mut Check) {
        let identity = self.client.identity(id);
        let classes = identity.and_then(|identity| self.assets.get(&identity.asset_id()));
        let (Some(identity), Some(Ok(classes))) = (identity, classes) else {
            return check.fault("object", "one of these behaviours", "none");
        };
        check.equal(
            "behaviours",
            recorded.items().len(),
            identity.behaviour_count(),
        );
        for (index, (class, recorded)) in classes.iter().zip(recorded.items()).enumerate() {
            match class.reach().view(identity, index) {
                Some(subject) => {
                    self.compare_behaviour((id, index), class, subject, recorded, check);
                }
                None => check.fault("behaviour", recorded.at("class").text(), "another one"),
            }
        }
    }

    fn compare_behaviour(
        &self,
        place: (NetId, usize),
        class: &Class,
        subject: &dyn Subject,
        recorded: &Json,
        check: &mut Check,
    ) {
        let state = recorded.at("state");
        for (number, field) in class.fields.iter().enumerate() {
            let theirs = class.show(field, state.at(&field.name));
            let ours = field.show(subject);
            if theirs != ours {
                let rule = self.why_other_value(place, (number, field), &ours);
                check.differs(rule, &field.name, theirs, ours);
            }
        }
        check.equal("dirty bits on the client", 0, subject.dirty_bits());
        let left_dirty: u64 = recorded.at("dirty_mask").number();
        if left_dirty != 0 {
            let rule = class.why_dirty_on_client();
            check.differs(rule, "UNet's dirty bits on the client", left_dirty, 0);
        }
    }

    /// Why ours has another value than UNet.
    fn why_other_value(
        &self,
        (id, behaviour): (NetId, usize),
        (number, field): (usize, &Field),
        ours: &str,
    ) -> Option<Rule> {
        let respawned = self.respawned.get(&id);
        let value = respawned.and_then(|values| values.get(behaviour)?.get(number));
        if value.is_some_and(|value| value == ours) {
            return Some(Rule::RespawnReadsAll);
        }
        let is_hooked = field.has_hook && self.hooked.contains(&id);
        is_hooked.then_some(Rule::HooksAfterApply)
    }
}
