//! The native protocol in memory.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::values::{Quaternion, Vector3};
use syncvar::{Budget, ClientConfig, Framing, NetRef, NetworkSceneId, ServerConfig};
use syncvar_testing::mirror::Dice;

use crate::stage::{Stage, ensure};
use crate::unit::{Numbers, Unit, prefabs};

const CLIENTS: usize = 6;
const SCENE_OBJECTS: u32 = 4;
const MAX_OBJECTS: usize = 200;
const STEPS: usize = 200;
const OPERATIONS: usize = 20;

pub(crate) struct Net {
    network: MemoryNetwork,
    dice: Dice,
    objects: Vec<NetId>,
    /// Objects of the scene by index; `None` while despawned.
    scene: Vec<Option<NetId>>,
    newest: NetId,
    /// Packets sent by the server at the last checkpoint.
    sent: u64,
}

impl Net {
    pub(crate) fn new() -> Self {
        let link = Conditions {
            delay: Duration::from_millis(20),
            ..Conditions::default()
        };
        let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
        for index in 0..CLIENTS {
            let mut config = ClientConfig::default();
            if index == 0 {
                config.framing = Framing::Unet;
            }
            let mut client = NetworkClient::with_config(prefabs(), config);
            for index in 1..=SCENE_OBJECTS {
                let added = client.add_scene_object(NetworkSceneId(index), Unit::default());
                added.expect("a new scene id");
            }
            net.connect_client(client);
        }
        let mut this = Self {
            network: net,
            dice: Dice(16),
            objects: Vec::new(),
            scene: vec![None; SCENE_OBJECTS as usize],
            newest: NetId(0),
            sent: 0,
        };
        this.complete_scene();
        this
    }

    /// Spawns the missing objects of the scene.
    fn complete_scene(&mut self) {
        for (scene_id, object) in (1..).map(NetworkSceneId).zip(&mut self.scene) {
            if object.is_none() {
                let server = &mut self.network.server;
                let spawned = server.spawn_scene_object(scene_id, Unit::default());
                let spawned = spawned.expect("a free scene id");
                self.newest = self.newest.max(spawned);
                *object = Some(spawned);
            }
        }
    }

    /// Returns any object, one of the scene in a tenth of the cases.
    fn object(&mut self) -> Option<NetId> {
        if self.dice.below(10) == 0 {
            let index = self.dice.index(self.scene.len())?;
            return self.scene.get(index).copied().flatten();
        }
        let index = self.dice.index(self.objects.len())?;
        self.objects.get(index).copied()
    }

    fn client(&mut self) -> usize {
        self.dice.index(CLIENTS).unwrap_or_default()
    }

    fn operate(&mut self) {
        match self.dice.below(100) {
            0..15 if self.objects.len() < MAX_OBJECTS => {
                let id = self.network.server.spawn(Unit::default());
                self.newest = self.newest.max(id);
                self.objects.push(id);
            }
            0..27 => {
                if let Some(index) = self.dice.index(self.objects.len()) {
                    let id = self.objects.swap_remove(index);
                    let _ = self.network.server.despawn(id);
                }
            }
            27 => {
                let client = self.client();
                self.network.cut(client);
            }
            28..30 => {
                let client = self.client();
                self.network.reconnect(client);
            }
            30 => {
                let index = self.dice.index(self.scene.len()).unwrap_or_default();
                if let Some(id) = self.scene.get_mut(index).and_then(Option::take) {
                    let _ = self.network.server.despawn(id);
                }
            }
            31 => self.complete_scene(),
            _ => {
                if let Some(id) = self.object() {
                    self.operate_on(id);
                }
            }
        }
    }

    fn operate_on(&mut self, id: NetId) {
        let other = self.object().unwrap_or(id);
        let client = self.client();
        let connection = self.network.connection(client);
        let server = &mut self.network.server;
        match self.dice.below(20) {
            0..8 => {
                if let Ok(mut unit) = server.get_mut::<Unit>(id) {
                    unit.write(&mut self.dice, NetRef::from(other));
                }
            }
            8 => {
                let _ = server.show(id, connection);
            }
            9 => {
                let _ = server.hide(id, connection);
            }
            10 => {
                let _ = server.restore(id, connection);
            }
            11 | 12 => {
                let owner = (self.dice.below(4) > 0).then_some(connection);
                let _ = server.set_owner(id, owner);
            }
            13 => {
                // A cycle is refused.
                let _ = server.set_parent(id, Some(other).filter(|other| *other != id));
            }
            14 => {
                let [place, ..] = self.dice.number().to_le_bytes();
                let place = Vector3::new(f32::from(place), 0.0, 0.0);
                let _ = server.set_transform(id, place, Quaternion::IDENTITY);
            }
            15 => {
                let budget = (self.dice.below(2) > 0).then(|| Budget::new(2000));
                let _ = server.set_budget(connection, budget);
            }
            16 => {
                let _ = server.calls::<Unit>(id).cheer("hurray".into());
                let _ = server.calls::<Unit>(id).rang(id.0);
            }
            17 => {
                let _ = self.network.client_mut(client).calls::<Unit>(id).strike(1);
            }
            _ => {
                let number = self.dice.number();
                let client = self.network.client_mut(client);
                if client.is_owner(id)
                    && let Ok(mut unit) = client.get_mut::<Unit>(id)
                {
                    unit.aim.set(number);
                }
            }
        }
    }

    fn poll_events(&mut self) -> Result<(), String> {
        while let Some(event) = self.network.server.poll_event() {
            if let ServerEvent::Misbehaved { .. }
            | ServerEvent::CallFailed { .. }
            | ServerEvent::SerializeFailed { .. } = event
            {
                return Err(format!("the server reports {event:?}"));
            }
        }
        for index in 0..CLIENTS {
            while let Some(event) = self.network.client_mut(index).poll_event() {
                if let ClientEvent::SpawnFailed { .. }
                | ClientEvent::Poisoned { .. }
                | ClientEvent::HookFailed(_)
                | ClientEvent::CallFailed(_) = event
                {
                    return Err(format!("client {index} reports {event:?}"));
                }
            }
            let missed = self.network.client(index).missed_events();
            ensure(missed == 0, || {
                format!("client {index} missed {missed} events")
            })?;
        }
        let missed = self.network.server.missed_events();
        ensure(missed == 0, || format!("the server missed {missed} events"))
    }

    fn settle(&mut self) -> Result<(), String> {
        self.network.settle();
        self.poll_events()?;
        let is_idle = self.network.server.is_idle();
        ensure(is_idle, || "the server has packets for ever".into())
    }

    fn check_client(&self, index: usize) -> Result<(), String> {
        let (server, client) = (&self.network.server, self.network.client(index));
        let connection = self.network.connection(index);
        let mut visible = 0;
        for object in server.identities() {
            let id = object.net_id();
            if !server.is_visible(id, connection) {
                continue;
            }
            visible += 1;
            let wanted = server.get::<Unit>(id).map(Unit::text);
            let found = client.get::<Unit>(id).map(Unit::text);
            ensure(wanted == found, || {
                format!("client {index} has {found:?} for {id}, the server {wanted:?}")
            })?;
            let owner = server.owner(id) == Some(connection);
            ensure(owner == client.is_owner(id), || {
                format!("client {index} and the server differ in the owner of {id}")
            })?;
        }
        let found = client.object_count();
        ensure(found == visible, || {
            format!("client {index} has {found} objects, and sees {visible}")
        })
    }
}

impl Stage for Net {
    fn name(&self) -> &'static str {
        "net"
    }

    fn churn(&mut self) -> Result<u64, String> {
        for _ in 0..STEPS {
            for _ in 0..OPERATIONS {
                self.operate();
            }
            self.network.step();
            self.poll_events()?;
        }
        Ok((STEPS * OPERATIONS) as u64)
    }

    fn check(&mut self) -> Result<(), String> {
        for index in 0..CLIENTS {
            if !self.network.is_connected(index) {
                self.network.reconnect(index);
            }
            let _ = self
                .network
                .server
                .set_budget(self.network.connection(index), None);
        }
        self.settle()?;
        for index in 0..CLIENTS {
            self.check_client(index)?;
        }
        let stats = self.network.server.stats();
        let sent = stats.sent.messages;
        ensure(sent > self.sent, || {
            "the counter of sent packets stands still".into()
        })?;
        self.sent = sent;
        let clients =
            (0..CLIENTS).map(|index| self.network.client(index).stats().received.messages);
        let received: u64 = clients.sum();
        // Packets to a connection that was cut are lost.
        ensure(received <= sent && received > sent / 2, || {
            format!("the server has sent {sent} packets, and the clients have received {received}")
        })
    }

    fn clear(&mut self) -> Result<(), String> {
        for id in self.objects.drain(..) {
            let _ = self.network.server.despawn(id);
        }
        self.complete_scene();
        // Ids are given back after some updates.
        for _ in 0..STEPS {
            self.network.step();
        }
        self.settle()?;
        let left = self.network.server.object_count();
        ensure(left == SCENE_OBJECTS as usize, || {
            format!("{left} objects are left")
        })
    }

    fn ids(&self) -> u64 {
        self.newest.0.into()
    }
}
