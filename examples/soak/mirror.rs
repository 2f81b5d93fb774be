//! Mirror's protocol in memory.

use std::collections::BTreeSet;

use syncvar::NetworkIdentity;
use syncvar::mirror::{
    MirrorClient, MirrorClientEvent, MirrorServer, MirrorServerEvent, MirrorSpawnOptions, SceneId,
};
use syncvar::prelude::*;
use syncvar_testing::mirror::{Dice, MirrorNetwork, Quality, Refusals};

use crate::piece::{Aim, Piece, Wallet, prefabs};
use crate::stage::{Stage, ensure};
use crate::unit::Numbers;

const CLIENTS: usize = 6;
/// Ids of the objects of the scene.
const SCENE: [u64; 4] = [1, 2, 3, 4];
const MAX_OBJECTS: usize = 150;
const FRAMES: usize = 200;
const OPERATIONS: usize = 20;

/// Frames in which all packets arrive, and the server sends a baseline of each component.
const SETTLED: u64 = 200;

fn client() -> MirrorClient {
    let mut client = MirrorClient::new(prefabs());
    for index in SCENE {
        let added = client.add_scene_object(SceneId(index), Piece::default());
        added.expect("a new scene id");
    }
    client
}

pub(crate) struct Mirror {
    net: MirrorNetwork,
    dice: Dice,
    objects: Vec<NetId>,
    /// Objects of the scene by index; `None` while despawned.
    scene: [Option<NetId>; SCENE.len()],
    newest: NetId,
    /// Packets sent by the server at the last checkpoint.
    sent: u64,
}

impl Mirror {
    pub(crate) fn new() -> Self {
        let mut net = MirrorNetwork::new(MirrorServer::new(prefabs()), client);
        net.refusals = Refusals::AfterClose;
        let mut this = Self {
            net,
            dice: Dice(18),
            objects: Vec::new(),
            scene: [None; SCENE.len()],
            newest: NetId(0),
            sent: 0,
        };
        this.complete_scene();
        this
    }

    /// Spawns the missing objects of the scene.
    fn complete_scene(&mut self) {
        for (index, object) in SCENE.into_iter().zip(&mut self.scene) {
            if object.is_none() {
                let options = MirrorSpawnOptions::default();
                let server = &mut self.net.server;
                let spawned = server.spawn_scene_object(SceneId(index), Piece::default(), options);
                let spawned = spawned.expect("a free scene id");
                self.newest = self.newest.max(spawned);
                *object = Some(spawned);
            }
        }
    }

    fn join(&mut self) {
        self.net.connect();
        self.net.quality(Quality {
            lost: 5,
            twice: 1,
            delay: 3,
            ..Quality::default()
        });
    }

    /// Runs a frame, and forgets what the network records.
    fn frame(&mut self) -> Result<(), String> {
        self.net.frame();
        self.net.take_packets();
        self.net.closed.clear();
        let clients = &self.net.clients;
        self.net
            .links
            .retain(|connection, _| clients.contains_key(connection));
        self.poll_events()
    }

    /// Makes each owner write, and returns the objects. A former owner keeps writes that the server has refused
    /// until the next write of the new one, as in Mirror.
    fn aim(&mut self) -> BTreeSet<NetId> {
        let mut aimed = BTreeSet::new();
        for client in self.net.clients.values_mut() {
            let objects = client.identities().map(NetworkIdentity::net_id);
            let owned: Vec<NetId> = objects.filter(|id| client.is_owned(*id)).collect();
            for id in owned {
                if let Ok(mut aim) = client.get_mut::<Aim>(id) {
                    *aim.yaw = self.dice.number();
                    aimed.insert(id);
                }
            }
        }
        aimed
    }

    fn poll_events(&mut self) -> Result<(), String> {
        while let Some(event) = self.net.server.poll_event() {
            match event {
                MirrorServerEvent::AddPlayerRequested { connection } => {
                    let player = (Piece::default(), Wallet::default(), Aim::default());
                    if let Ok(player) = self.net.server.add_player(connection, player) {
                        self.newest = self.newest.max(player);
                    }
                }
                MirrorServerEvent::CallFailed { .. } => {
                    return Err(format!("the server reports {event:?}"));
                }
                _ => {}
            }
        }
        for (connection, client) in &mut self.net.clients {
            while let Some(event) = client.poll_event() {
                if let MirrorClientEvent::SpawnFailed { .. }
                | MirrorClientEvent::Mismatch(_)
                | MirrorClientEvent::CallbackFailed(_)
                | MirrorClientEvent::HookFailed(_)
                | MirrorClientEvent::CallFailed(_) = event
                {
                    return Err(format!("client {connection} reports {event:?}"));
                }
            }
            let missed = client.missed_events();
            ensure(missed == 0, || {
                format!("client {connection} missed {missed} events")
            })?;
        }
        let missed = self.net.server.missed_events();
        ensure(missed == 0, || format!("the server missed {missed} events"))
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

    fn connection(&mut self) -> Option<ConnectionId> {
        let index = self.dice.index(self.net.clients.len())?;
        self.net.clients.keys().nth(index).copied()
    }

    fn operate(&mut self) {
        match self.dice.below(200) {
            0..30 if self.objects.len() < MAX_OBJECTS => {
                let id = if self.dice.below(2) == 0 {
                    self.net.server.spawn(Piece::default())
                } else {
                    let player = (Piece::default(), Wallet::default(), Aim::default());
                    self.net.server.spawn(player)
                };
                self.newest = self.newest.max(id);
                self.objects.push(id);
            }
            0..54 => {
                if let Some(index) = self.dice.index(self.objects.len()) {
                    let id = self.objects.swap_remove(index);
                    let _ = self.net.server.despawn(id);
                }
            }
            54 => {
                if let Some(connection) = self.connection() {
                    self.net.client(connection).disconnect();
                }
            }
            60 => {
                let index = self.dice.index(self.scene.len()).unwrap_or_default();
                if let Some(id) = self.scene.get_mut(index).and_then(Option::take) {
                    let _ = self.net.server.despawn(id);
                }
            }
            61..63 => self.complete_scene(),
            55..57 if self.net.clients.len() < CLIENTS => self.join(),
            _ => {
                if let (Some(id), Some(connection)) = (self.object(), self.connection()) {
                    self.operate_on(id, connection);
                }
            }
        }
    }

    fn operate_on(&mut self, id: NetId, connection: ConnectionId) {
        let server = &mut self.net.server;
        match self.dice.below(16) {
            0..7 => {
                if let Ok(mut piece) = server.get_mut::<Piece>(id) {
                    piece.write(&mut self.dice);
                }
                if let Ok(mut wallet) = server.get_mut::<Wallet>(id) {
                    *wallet.coins += 1;
                }
            }
            7 => {
                let _ = server.show(id, connection);
            }
            8 => {
                let _ = server.hide(id, connection);
            }
            9 => {
                let _ = server.restore(id, connection);
            }
            10 | 11 => {
                let owner = (self.dice.below(4) > 0).then_some(connection);
                let _ = server.set_owner(id, owner);
            }
            12 => {
                let _ = server.calls::<Piece>(id).cheer("hurray".into());
            }
            13 => {
                let _ = self.net.client(connection).calls::<Piece>(id).strike(1);
            }
            _ => {
                let number = self.dice.number();
                let client = self.net.client(connection);
                if client.is_owned(id)
                    && let Ok(mut aim) = client.get_mut::<Aim>(id)
                {
                    aim.yaw.set(number);
                }
            }
        }
    }

    fn check_client(
        &self,
        connection: ConnectionId,
        client: &MirrorClient,
        aimed: &BTreeSet<NetId>,
    ) -> Result<(), String> {
        let server = &self.net.server;
        let mut visible = 0;
        for object in server.identities() {
            let id = object.net_id();
            if !server.is_observer(id, connection) {
                continue;
            }
            visible += 1;
            let (Some(wanted), Some(found)) = (server.get::<Piece>(id), client.get::<Piece>(id))
            else {
                return Err(format!("client {connection} lacks {id}"));
            };
            let owns = server.owner(id) == Some(connection);
            let coins = |wallet: Option<&Wallet>| wallet.map(|wallet| *wallet.coins);
            let yaw = |aim: Option<&Aim>| aim.map(|aim| *aim.yaw);
            let equal = [
                ("piece", wanted.text() == found.text()),
                ("owner", owns == client.is_owned(id)),
                (
                    "aim",
                    !aimed.contains(&id) || yaw(server.get(id)) == yaw(client.get(id)),
                ),
                (
                    "wallet",
                    !owns || coins(server.get(id)) == coins(client.get(id)),
                ),
            ];
            for (part, is_equal) in equal {
                ensure(is_equal, || {
                    format!("client {connection} and the server differ in the {part} of {id}")
                })?;
            }
        }
        let found = client.object_count();
        ensure(found == visible, || {
            format!("client {connection} has {found} objects, and observes {visible}")
        })
    }
}

impl Stage for Mirror {
    fn name(&self) -> &'static str {
        "mirror"
    }

    fn churn(&mut self) -> Result<u64, String> {
        for _ in 0..FRAMES {
            for _ in 0..OPERATIONS {
                self.operate();
            }
            self.frame()?;
        }
        Ok((FRAMES * OPERATIONS) as u64)
    }

    fn check(&mut self) -> Result<(), String> {
        while self.net.clients.len() < CLIENTS {
            self.join();
        }
        for _ in 0..SETTLED {
            self.frame()?;
        }
        let aimed = self.aim();
        for _ in 0..SETTLED {
            self.frame()?;
        }
        for (connection, client) in &self.net.clients {
            self.check_client(*connection, client, &aimed)?;
        }
        let sent = self.net.server.stats().sent.messages;
        ensure(sent > self.sent, || {
            "the counter of sent packets stands still".into()
        })?;
        self.sent = sent;
        Ok(())
    }

    fn clear(&mut self) -> Result<(), String> {
        for id in self.objects.drain(..) {
            let _ = self.net.server.despawn(id);
        }
        self.complete_scene();
        for _ in 0..SETTLED {
            self.frame()?;
        }
        // Objects of the scene, and a player for each client.
        let most = SCENE.len() + self.net.clients.len();
        let left = self.net.server.object_count();
        ensure(left <= most, || format!("{left} objects are left"))
    }

    fn ids(&self) -> u64 {
        self.newest.0.into()
    }
}
