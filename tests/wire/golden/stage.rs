//! A server of ours, on which the recorded actions are repeated.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use syncvar::{
    Channel, ClientEvent, ConnectionId, NetId, NetworkIdentity, NetworkServer, Prefabs,
    ServerConfig, ServerEvent, SpawnOptions,
    behaviour::BehaviourList,
    calls::{CallError, ReceivedEvent},
    unet::ListHash,
    values::{NetworkHash128, Vector3},
    wire::{NetworkReader, NetworkWriter},
};

use super::Check;
use super::class::Class;
use super::classes::calls::Calls;
use super::command::{Command, Spawn};
use super::frame::Frame;
use super::lists::Lists;
use super::rule::Rule;
use super::spawn::SpawnMessage;
use super::subject::{Subject, expected_delta};
use syncvar_testing::golden::{Json, Node};

pub(crate) struct Stage {
    server: NetworkServer,
    /// By the recorder's numbers.
    connections: BTreeMap<u32, ConnectionId>,
    /// The classes of the behaviours on each object, or the rule by which it is not there.
    objects: BTreeMap<u32, Result<Vec<Arc<Class>>, Rule>>,
    /// The bits without a field that UNet has been given, by object and behaviour.
    unknown_bits: BTreeMap<(u32, usize), u64>,
    now: Duration,
}

impl Stage {
    /// A server with these channels that knows what the commands spawn.
    pub(crate) fn new(channels: &[Channel], commands: &[Command]) -> Self {
        let config = ServerConfig {
            compare_schemas: false,
            channels: channels.to_vec(),
            ..ServerConfig::default()
        };
        let spawns = commands.iter().filter_map(|command| match command {
            Command::Spawn(spawn) => Some((spawn.asset_id, spawn.classes.as_slice())),
            _ => None,
        });
        Self {
            server: NetworkServer::with_config(prefabs(spawns), config),
            connections: BTreeMap::new(),
            objects: BTreeMap::new(),
            unknown_bits: BTreeMap::new(),
            now: Duration::ZERO,
        }
    }

    pub(crate) fn perform_all(&mut self, commands: &[Command]) -> Result<(), Rule> {
        commands
            .iter()
            .try_for_each(|command| self.perform(command))
    }

    /// Does it, or names the rule by which it cannot be done.
    pub(crate) fn perform(&mut self, command: &Command) -> Result<(), Rule> {
        match command {
            Command::Connect(connection) => {
                self.connections
                    .insert(*connection, self.server.handle_connect());
            }
            Command::ConnectLocal(connection) => {
                self.connections
                    .insert(*connection, self.server.connect_local());
            }
            Command::Ready(connection) => {
                let ready =
                    self.server
                        .handle_packet(self.connections[connection], 0, &[0, 0, 35, 0]);
                ready.expect("a message that makes sense");
            }
            Command::NotReady(connection) => {
                self.server.set_not_ready(self.connections[connection]);
            }
            Command::Spawn(spawn) => self.spawn(spawn)?,
            Command::Despawn(object) => {
                self.server.despawn(self.net_id(*object)?).unwrap();
            }
            Command::Hide { object, connection } => {
                self.server
                    .hide(self.net_id(*object)?, self.connections[connection])
                    .unwrap();
            }
            Command::Show { object, connection } => {
                self.server
                    .show(self.net_id(*object)?, self.connections[connection])
                    .unwrap();
            }
            Command::Own { object, connection } => {
                let owner = connection.map(|connection| self.connections[&connection]);
                self.server.set_owner(self.net_id(*object)?, owner).unwrap();
            }
            Command::Player {
                connection,
                number,
                object,
            } => {
                let (player, owner) = (self.net_id(*object)?, self.connections[connection]);
                self.server
                    .set_player(owner, *number, Some(player))
                    .unwrap();
            }
            Command::Set {
                object,
                behaviour,
                field,
                value,
            } => {
                self.set((*object, *behaviour), field, value)?;
            }
            Command::SetDirtyBit {
                object,
                behaviour,
                dirty_bits,
            } => {
                let mut unknown_bits = 0;
                self.edit((*object, *behaviour), |class, subject| {
                    subject.set_dirty_bit(class.our_bits(*dirty_bits));
                    unknown_bits = dirty_bits & !class.recorded_bits();
                })?;
                *self.unknown_bits.entry((*object, *behaviour)).or_default() |= unknown_bits;
            }
            Command::Update(time) => {
                self.now = time.unwrap_or(self.now + Duration::from_secs(1));
                self.server.update(self.now);
            }
            Command::Call {
                object,
                call,
                numbers,
            } => {
                let called = self.call(call, self.net_id(*object)?, numbers);
                called.expect("a call on an object that is observed");
            }
            Command::Forget => drop(self.take_frames()),
        }
        Ok(())
    }

    fn spawn(&mut self, spawn: &Spawn) -> Result<(), Rule> {
        let classes = named(&spawn.classes);
        self.objects.insert(spawn.object, classes.clone());
        let options = SpawnOptions {
            prefab: Some(spawn.asset_id.to_string()),
            net_id: Some(NetId(spawn.object)),
            position: spawn.position,
            rotation: Some(spawn.rotation),
            hidden: spawn.hidden,
            scene_id: spawn.scene_id,
            ..SpawnOptions::default()
        };
        let spawned = self.server.try_spawn(behaviours(&classes?), options);
        spawned.expect("a registered prefab and a free id");
        Ok(())
    }

    fn set(&mut self, place: (u32, usize), field: &str, value: &Json) -> Result<(), Rule> {
        let mut assigned = Ok(());
        self.edit(place, |class, subject| {
            assigned = class.field(field).assign(subject, value);
        })?;
        assigned
    }

    fn edit(
        &mut self,
        (object, behaviour): (u32, usize),
        mut action: impl FnMut(&Class, &mut dyn Subject),
    ) -> Result<(), Rule> {
        let class = self.classes(object)?[behaviour].clone();
        let place = (NetId(object), behaviour);
        class.reach().edit(&mut self.server, place, &mut |subject| {
            action(&class, subject);
        });
        Ok(())
    }

    /// The hooks that have run on a behaviour since this was last asked.
    pub(crate) fn take_hooks(&mut self, place: (u32, usize)) -> Result<Vec<String>, Rule> {
        let mut hooks = Vec::new();
        self.edit(place, |_, subject| hooks = subject.take_hook_log())?;
        Ok(hooks)
    }

    /// Whether the local client sees an object, and whether it owns it.
    pub(crate) fn seen_locally(&self, object: u32) -> (bool, bool) {
        let local = self.server.local_client().expect("a local client");
        let id = NetId(object);
        (local.identity(id).is_some(), local.is_owner(id))
    }

    /// Compares the values of a behaviour with recorded ones; nothing is dirty.
    pub(crate) fn compare_behaviour(
        &self,
        (object, behaviour): (u32, usize),
        state: &Json,
        check: &mut Check,
    ) {
        let mut subjects = self.subjects(object).into_iter().flatten();
        let Some((class, subject)) = subjects.nth(behaviour) else {
            return check.fault("behaviour", "one with this state", "none");
        };
        for field in &class.fields {
            let theirs = class.show(field, state.at(&field.name));
            check.equal(&field.name, theirs, field.show(subject));
        }
        check.equal("dirty bits", 0, subject.dirty_bits());
    }

    /// Gives the server commands of the first connection; returns what has run on an object.
    pub(crate) fn take_commands(&mut self, id: NetId, commands: &[Frame]) -> Vec<String> {
        for command in commands {
            let handled =
                self.server
                    .handle_packet(self.connections[&1], command.channel, &command.bytes);
            handled.expect("a message that makes sense");
        }
        self.take_calls(id.0)
    }

    /// Receives requests for players of the first connection. Returns their number.
    pub(crate) fn take_requests(&mut self, requests: &[Frame]) -> usize {
        while self.server.poll_event().is_some() {}
        for request in requests {
            let handled =
                self.server
                    .handle_packet(self.connections[&1], request.channel, &request.bytes);
            handled.expect("a message that makes sense");
        }
        let events = std::iter::from_fn(|| self.server.poll_event());
        let is_request = |event: &ServerEvent| {
            matches!(
                event,
                ServerEvent::AddPlayer { number: 0, .. }
                    | ServerEvent::RemovePlayer {
                        number: 0,
                        object: Some(_),
                        ..
                    }
            )
        };
        events.filter(is_request).count()
    }

    /// Makes one of the calls of the recorded session.
    fn call(&mut self, call: &str, id: NetId, numbers: &[u32]) -> Result<(), CallError> {
        if let ("move", [x, y]) = (call, numbers) {
            let calls = self.server.local_calls::<Calls>(id);
            return calls.cmd_move(x.cast_signed(), y.cast_signed());
        }
        let calls = self.server.calls::<Calls>(id);
        match (call, numbers) {
            ("damage", [amount]) => calls.rpc_damage(amount.cast_signed()),
            ("magic", [to, extra]) => {
                calls.target_do_magic(self.connections[to], extra.cast_signed())
            }
            ("die", []) => calls.event_die(),
            ("hit", []) => calls.event_hit(1, 2.0, "z".into()),
            ("hit", [letter]) => {
                let letter = char::from_u32(*letter).expect("a letter's number");
                calls.event_hit(1, 2.0, letter.into())
            }
            ("say", []) => calls.rpc_say("hi there".into(), Vector3::new(1.0, 2.0, 3.0)),
            _ => panic!("`{call}` is no call"),
        }
    }

    /// Whether the local client may have an object move.
    pub(crate) fn may_move_locally(&mut self, object: u32) -> bool {
        self.call("move", NetId(object), &[0, 0]).is_ok()
    }

    /// What has been called on an object since this was last asked.
    pub(crate) fn take_calls(&mut self, object: u32) -> Vec<String> {
        let calls = self.server.get_mut::<Calls>(NetId(object));
        calls.map_or(Vec::new(), |mut calls| std::mem::take(&mut calls.log))
    }

    /// The events of objects that the local client was told of since this was last asked.
    pub(crate) fn take_local_events(&mut self) -> Vec<ReceivedEvent> {
        let events = std::iter::from_fn(|| self.server.poll_local_event());
        let raised = events.filter_map(|event| match event {
            ClientEvent::SyncEvent(event) => Some(event),
            _ => None,
        });
        raised.collect()
    }

    /// Everything sent since this was last asked.
    pub(crate) fn take_frames(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        while let Some(transmit) = self.server.poll_transmit() {
            let mut numbers = self.connections.iter();
            let number = numbers.find(|(_, id)| **id == transmit.connection);
            let (number, _) = number.expect("a connection of ours");
            frames.extend(Frame::split(
                *number,
                transmit.channel,
                &transmit.to_bytes(),
            ));
        }
        frames
    }

    /// The dirty bits of an object's behaviours.
    pub(crate) fn dirty_bits(&self, object: u32) -> Result<Vec<u64>, Rule> {
        Ok(self
            .subjects(object)?
            .map(|(_, subject)| subject.dirty_bits())
            .collect())
    }

    /// The dirty bits that UNet's behaviours of an object have where ours have these.
    pub(crate) fn as_recorded(&self, object: u32, dirty_bits: &[u64]) -> Result<Vec<u64>, Rule> {
        let bits = self.classes(object)?.iter().zip(dirty_bits).enumerate();
        let bits = bits.map(|(index, (class, bits))| {
            class.as_recorded(*bits) | self.unknown_bits(object, index)
        });
        Ok(bits.collect())
    }

    /// The bits without a field of one of UNet's behaviours.
    pub(crate) fn unknown_bits(&self, object: u32, behaviour: usize) -> u64 {
        let bits = self.unknown_bits.get(&(object, behaviour));
        bits.copied().unwrap_or_default()
    }

    /// UNet clears all bits of the behaviours that have written fields, once they are sent: those
    /// with dirty fields before an update and none after it.
    pub(crate) fn clear_unknown_bits(&mut self, object: u32, before: &[u64], after: &[u64]) {
        for (index, (before, after)) in before.iter().zip(after).enumerate() {
            if *before != 0 && *after == 0 {
                self.unknown_bits.remove(&(object, index));
            }
        }
    }

    /// The update that UNet's behaviours of an object write with these dirty bits, for each channel
    /// that has one: the bits without a field go with others, and make no update alone.
    pub(crate) fn recorded_update(
        &self,
        object: u32,
        connection: u32,
        dirty_bits: &[u64],
    ) -> Result<Vec<Frame>, Rule> {
        let mut frames = Vec::new();
        let behaviours: Vec<_> = self.subjects(object)?.zip(dirty_bits).collect();
        for (channel, _) in (0..).zip(&self.server.config().channels) {
            let on_channel = |((class, _), _): &&((&Class, _), _)| class.channel == channel;
            let behaviours: Vec<_> = behaviours.iter().filter(on_channel).collect();
            let has_fields =
                |((class, _), bits): &&((&Class, _), &u64)| *bits & class.recorded_bits() != 0;
            if !behaviours.iter().any(has_fields) {
                continue;
            }
            let mut writer = NetworkWriter::new();
            let start = writer.start_message(8);
            writer.write_packed_u32(object);
            for ((class, subject), bits) in behaviours {
                writer.write_bytes(&class.recorded_delta_of(*subject, **bits));
            }
            writer.finish_message(start);
            frames.push(Frame {
                connection,
                channel,
                bytes: writer.as_bytes().to_vec(),
            });
        }
        Ok(frames)
    }

    /// The update that an object must be given now, for each channel that has one: all behaviours
    /// of the channel, written field by field.
    pub(crate) fn expected_update(&self, object: u32, connection: u32) -> Result<Vec<Frame>, Rule> {
        let mut frames = Vec::new();
        for (channel, _) in (0..).zip(&self.server.config().channels) {
            let on_channel = |(class, _): &(&Class, _)| class.channel == channel;
            let subjects: Vec<_> = self.subjects(object)?.filter(on_channel).collect();
            if subjects
                .iter()
                .all(|(_, subject)| subject.dirty_bits() == 0)
            {
                continue;
            }
            let mut writer = NetworkWriter::new();
            let start = writer.start_message(8);
            writer.write_packed_u32(object);
            for (_, subject) in subjects {
                writer.write_bytes(&expected_delta(subject));
            }
            writer.finish_message(start);
            frames.push(Frame {
                connection,
                channel,
                bytes: writer.as_bytes().to_vec(),
            });
        }
        Ok(frames)
    }

    /// The full state that a connection must be given of an object, written field by field.
    pub(crate) fn expected_spawn(&self, object: u32, connection: u32) -> Result<Vec<Frame>, Rule> {
        let mut state = NetworkWriter::new();
        for (_, subject) in self.subjects(object)? {
            subject
                .cells()
                .iter()
                .for_each(|(_, cell)| cell.write(&mut state));
        }
        let bytes = SpawnMessage::new(self.identity(object), state.as_bytes()).to_bytes();
        Ok(vec![Frame {
            connection,
            channel: 0,
            bytes,
        }])
    }

    /// Does to a list of an object what the payload of one of UNet's list messages says.
    pub(crate) fn operate(
        &mut self,
        object: u32,
        payload: &[u8],
        check: &mut Check,
    ) -> Result<(), Rule> {
        let address = ListHash::peek(&NetworkReader::new(payload));
        let (_, hash) = address.expect("a payload of a list message");
        for behaviour in 0..self.classes(object)?.len() {
            self.edit((object, behaviour), |class, subject| {
                let mut lists = class.fields.iter();
                if let Some(list) = lists.find(|field| field.list_hash() == hash)
                    && let Err(error) = list.operate(subject, payload)
                {
                    check.fault("list message", "one that can be applied", error);
                }
            })?;
        }
        Ok(())
    }

    /// The lists of an object as they are now.
    pub(crate) fn lists(&self, object: u32) -> Result<Lists, Rule> {
        Ok(Lists::of(self.subjects(object)?))
    }

    /// Whether an object has lists that are to be sent.
    pub(crate) fn has_dirty_lists(&self, object: u32) -> Result<bool, Rule> {
        let mut subjects = self.subjects(object)?;
        Ok(subjects.any(|(class, subject)| subject.dirty_bits() & class.list_bits() != 0))
    }

    pub(crate) fn has(&self, object: u32) -> bool {
        matches!(self.objects.get(&object), Some(Ok(_)))
    }

    /// The rule by which an object is not there.
    pub(crate) fn why_not(&self, object: u32) -> Option<Rule> {
        self.objects.get(&object)?.as_ref().err().copied()
    }

    pub(crate) fn classes(&self, object: u32) -> Result<&[Arc<Class>], Rule> {
        match self.objects.get(&object) {
            Some(Ok(classes)) => Ok(classes),
            Some(Err(rule)) => Err(*rule),
            None => panic!("no object {object}"),
        }
    }

    /// The id of an object that is there.
    fn net_id(&self, object: u32) -> Result<NetId, Rule> {
        self.classes(object).map(|_| NetId(object))
    }

    fn identity(&self, object: u32) -> NetworkIdentity<'_> {
        self.server
            .identity(NetId(object))
            .expect("a spawned object")
    }

    fn subjects(&self, object: u32) -> Result<impl Iterator<Item = (&Class, &dyn Subject)>, Rule> {
        let classes = self.classes(object)?;
        let identity = self.identity(object);
        Ok(classes.iter().enumerate().map(move |(index, class)| {
            let subject = class
                .reach()
                .view(identity, index)
                .expect("a behaviour of its class");
            (class.as_ref(), subject)
        }))
    }
}

/// A registry of assets; those with a class that cannot be made are left out.
pub(crate) fn prefabs<'a>(assets: impl Iterator<Item = (NetworkHash128, &'a [String])>) -> Prefabs {
    let mut prefabs = Prefabs::new();
    for (asset_id, classes) in assets {
        if let (Ok(classes), None) = (named(classes), prefabs.name(asset_id)) {
            let make = move || behaviours(&classes);
            prefabs = prefabs.register_asset(&asset_id.to_string(), asset_id, make);
        }
    }
    prefabs
}

/// The classes of these names, or the rule by which one of them cannot be made.
pub(crate) fn named(classes: &[String]) -> Result<Vec<Arc<Class>>, Rule> {
    classes
        .iter()
        .map(|name| Class::named(name).map(Arc::new))
        .collect()
}

pub(crate) fn behaviours(classes: &[Arc<Class>]) -> BehaviourList {
    classes
        .iter()
        .fold(BehaviourList::new(), |list, class| class.make().join(list))
}
