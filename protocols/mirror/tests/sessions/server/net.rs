//! A server and clients that watch it, in virtual time.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

use syncvar::mirror::message::{
    AddPlayerMessage, EntityStateMessage, NetworkMessage, ReadyMessage,
};
use syncvar::mirror::*;
use syncvar::prelude::*;
use syncvar::wire::{Encoding, NetworkWriter};
use syncvar_testing::mirror::{FRAME, MirrorNetwork};

use super::watcher::Watcher;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.0, lifecycle)]
pub(crate) struct Chest {
    #[sync_var]
    pub(crate) gold: SyncVar<i32>,
    #[sync_var]
    pub(crate) items: SyncList<i32>,
    pub(crate) life: Vec<&'static str>,
    /// Whether its callbacks go wrong.
    pub(crate) is_broken: bool,
}

impl NetworkLifecycle for Chest {
    fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        assert!(ctx.is_server() && !ctx.is_client());
        self.life.push("spawn");
        if self.is_broken {
            return Err("the lid is stuck".into());
        }
        Ok(())
    }

    fn on_network_despawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        if let Some(server) = ctx.side::<MirrorServer>() {
            // What was in it lies on the ground.
            if *self.gold == -1 {
                server.spawn(whole(7));
            }
        }
        Ok(())
    }

    fn on_gained_ownership(&mut self, _: &mut NetworkContext<'_>) -> LifecycleResult {
        self.life.push("gained");
        Ok(())
    }

    fn on_lost_ownership(&mut self, _: &mut NetworkContext<'_>) -> LifecycleResult {
        self.life.push("lost");
        Ok(())
    }
}

#[network_calls]
impl Chest {
    #[command]
    pub(crate) fn cmd_take(&mut self, amount: i32) {
        self.gold -= amount;
    }

    #[command(requires_ownership = false)]
    pub(crate) fn cmd_look(&mut self, ctx: &mut CallContext<'_>, what: String) {
        let (id, sender) = (ctx.net_id(), ctx.sender().unwrap());
        match what.as_str() {
            "leave" => {
                ctx.side::<MirrorServer>().unwrap().disconnect(sender);
            }
            "despawn" => {
                ctx.side::<MirrorServer>().unwrap().despawn(id).unwrap();
            }
            "hide" => {
                let server = ctx.side::<MirrorServer>().unwrap();
                server.hide(id, sender).unwrap();
                self.gold.set(77);
                server.restore(id, sender).unwrap();
            }
            "panic" => panic!("nothing to see"),
            _ => {
                self.gold.set(what.len().try_into().unwrap());
            }
        }
    }

    #[client_rpc]
    pub(crate) fn rpc_open(&mut self, by: i32) {
        let _ = by;
    }

    #[client_rpc(target = not_owner)]
    pub(crate) fn rpc_creak(&mut self) {}

    #[client_rpc(target = owner)]
    pub(crate) fn rpc_yours(&mut self) {}

    #[client_rpc(target = everyone)]
    pub(crate) fn rpc_everywhere(&mut self, gold: i32) {
        self.gold.set(gold);
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.0)]
pub(crate) struct Wallet {
    #[sync_var(read = owner)]
    pub(crate) secret: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.0)]
pub(crate) struct Aim {
    #[sync_var(write = owner, hook = on_yaw)]
    pub(crate) yaw: SyncVar<i32>,
    pub(crate) turned: Vec<(i32, i32)>,
}

impl Aim {
    fn on_yaw(&mut self, previous: i32) {
        self.turned.push((previous, *self.yaw));
        assert!(*self.yaw != 666, "never");
    }
}

pub(crate) type Whole = (Chest, Wallet, Aim);

/// An object of the prefab that these tests have, with something in it.
pub(crate) fn whole(gold: i32) -> Whole {
    let chest = Chest {
        gold: gold.into(),
        ..Chest::default()
    };
    (chest, Wallet::default(), Aim::default())
}

pub(crate) fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new()
        .register::<Whole>(MirrorPrefab::new("whole", AssetId(1001)))
        .register::<Chest>(MirrorPrefab::scene("chest"))
        .message::<Chat>()
        .message::<AuthRequestMessage>()
}

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct Chat {
    pub(crate) text: String,
}

impl MirrorMessage for Chat {
    const NAME: &'static str = "Game.Chat";
}

/// A change of the yaw, as the owner of an object writes it.
pub(crate) fn aim(object: NetId, yaw: i32) -> Vec<u8> {
    let mut component = NetworkWriter::with_encoding(Encoding::Mirror);
    component.write_u64(0);
    component.write_var_u64(1);
    component.write(&yaw);
    let payload = [
        &[4, component.len().try_into().unwrap()],
        component.as_bytes(),
    ]
    .concat();
    let state = EntityStateMessage {
        net_id: object,
        payload: Some(&payload),
    };
    state.to_bytes().unwrap().to_vec()
}

/// Network whose clients are watchers.
pub(crate) struct Net {
    net: MirrorNetwork,
    pub(crate) clients: BTreeMap<ConnectionId, Watcher>,
}

impl Deref for Net {
    type Target = MirrorNetwork;

    fn deref(&self) -> &MirrorNetwork {
        &self.net
    }
}

impl DerefMut for Net {
    fn deref_mut(&mut self) -> &mut MirrorNetwork {
        &mut self.net
    }
}

impl Net {
    pub(crate) fn new() -> Self {
        Self::of(MirrorServer::new(prefabs()))
    }

    pub(crate) fn of(server: MirrorServer) -> Self {
        Self {
            net: MirrorNetwork::new(server, || MirrorClient::new(prefabs())),
            clients: BTreeMap::new(),
        }
    }

    pub(crate) fn connect(&mut self) -> ConnectionId {
        let connection = self.server.handle_connect(Limits::TELEPATHY);
        self.clients.insert(connection, Watcher::default());
        connection
    }

    pub(crate) fn ready(&mut self, connection: ConnectionId) {
        let ready = ReadyMessage.to_bytes().unwrap();
        self.say(connection, &[&ready]).unwrap();
    }

    /// A connection with a player, as Mirror's `NetworkManager` has it.
    pub(crate) fn join(&mut self) -> (ConnectionId, NetId) {
        let connection = self.connect();
        let add = AddPlayerMessage.to_bytes().unwrap();
        self.ready(connection);
        self.say(connection, &[&add]).unwrap();
        let player = self.server.add_player(connection, whole(0)).unwrap();
        (connection, player)
    }

    /// Runs a frame of the server; the watchers read its packets.
    pub(crate) fn step(&mut self) {
        self.net.advance(FRAME);
        self.net.server.update(self.net.now);
        self.deliver();
    }

    /// Carries packets to the watchers and removes those of closed connections.
    pub(crate) fn deliver(&mut self) {
        self.net.deliver();
        for packet in self.net.take_packets() {
            if let Some(client) = self.clients.get_mut(&packet.connection) {
                client.take(packet.channel, &packet.bytes);
            }
        }
        let server = &self.net.server;
        self.clients.retain(|it, _| server.is_connected(*it));
    }

    /// Removes and returns the log of a watcher.
    pub(crate) fn told(&mut self, connection: ConnectionId) -> Vec<String> {
        self.clients.get_mut(&connection).unwrap().take_log()
    }

    pub(crate) fn chest(&mut self, id: NetId) -> MirrorBehaviourMut<'_, Chest> {
        self.server.get_mut(id).unwrap()
    }
}
