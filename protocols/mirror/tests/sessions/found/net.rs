//! A server, and clients that do with its bytes what Mirror's do: what comes before the end of the first
//! burst waits, and what is said about it meanwhile is lost.

use std::collections::BTreeMap;
use std::time::Duration;

use syncvar::mirror::message::{EntityStateMessage, NetworkMessage};
use syncvar::mirror::*;
use syncvar::prelude::*;
use syncvar::{
    Channel,
    wire::{Encoding, NetworkWriter},
};

/// What everybody sees.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(lifecycle)]
pub(crate) struct Body {
    #[sync_var(hook = on_health)]
    pub(crate) health: SyncVar<i32>,
    #[sync_var]
    pub(crate) effects: SyncList<i32>,
    #[sync_var]
    pub(crate) tags: SyncHashSet<i32>,
    #[sync_var]
    pub(crate) names: SyncDictionary<i32, String>,
    #[sync_var]
    pub(crate) friend: SyncVar<NetRef>,
    /// What the hook was told last.
    pub(crate) last: i32,
    /// Whether it leaves something behind when it goes.
    pub(crate) leaves: bool,
}

impl Body {
    fn on_health(&mut self, previous: i32) {
        assert_eq!(previous, std::mem::replace(&mut self.last, *self.health));
        assert_ne!(previous, self.last);
    }
}

impl NetworkLifecycle for Body {
    fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        if *self.health == -1
            && let Some(server) = ctx.side::<MirrorServer>()
        {
            self.effects.push(1);
            server.spawn(Whole::default());
        }
        Ok(())
    }

    fn on_network_despawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        if self.leaves
            && let Some(server) = ctx.side::<MirrorServer>()
        {
            server.spawn(Whole::default());
        }
        Ok(())
    }

    fn on_lost_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        if ctx.is_server() {
            self.effects.push(2);
        }
        Ok(())
    }
}

#[network_calls]
impl Body {
    /// The object is the caller's.
    #[command(requires_ownership = false)]
    pub(crate) fn cmd_take(&mut self, ctx: &mut CallContext<'_>) {
        let (id, sender) = (ctx.net_id(), ctx.sender());
        self.health += 1;
        assert!(ctx.side::<MirrorServer>().unwrap().set_owner(id, sender));
        self.effects.push(*self.health);
    }

    /// The object goes, or its caller, or it is hidden from that and shown again.
    #[command(requires_ownership = false)]
    pub(crate) fn cmd_end(&mut self, ctx: &mut CallContext<'_>, what: u8) {
        let (id, sender) = (ctx.net_id(), ctx.sender().unwrap());
        let server = ctx.side::<MirrorServer>().unwrap();
        match what {
            0 => assert!(server.despawn(id)),
            1 => assert!(server.disconnect(sender)),
            _ => {
                server.hide(id, sender);
                self.effects.push(3);
                server.restore(id, sender);
                server.calls::<Self>(id).rpc_ended(4).unwrap();
            }
        }
        self.health += 1;
    }

    #[client_rpc]
    pub(crate) fn rpc_ended(&mut self, what: u8) {
        assert_eq!(what, 4);
    }
}

/// What only the owner sees.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(sync_mode = owner)]
pub(crate) struct Bag {
    #[sync_var]
    pub(crate) coins: SyncVar<u64>,
    #[sync_var]
    pub(crate) items: SyncList<i32>,
}

/// What the owner writes.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(sync_direction = client_to_server)]
pub(crate) struct Hands {
    #[sync_var(hook = on_grip)]
    pub(crate) grip: SyncVar<i32>,
    #[sync_var]
    pub(crate) held: SyncList<i32>,
    /// What the hook puts into `held`, as a new list.
    pub(crate) replacement: Option<Vec<i32>>,
}

impl Hands {
    fn on_grip(&mut self, _: i32) {
        if let Some(replacement) = self.replacement.take() {
            self.held = replacement.into();
        }
    }
}

/// What the owner writes, and nobody else sees.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(sync_mode = owner, sync_direction = client_to_server)]
pub(crate) struct Diary {
    #[sync_var]
    pub(crate) page: SyncVar<i32>,
    #[sync_var]
    pub(crate) lines: SyncList<i32>,
}

/// What only the owner sees, and may not be possible to write.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(sync_mode = owner)]
pub(crate) struct Letter {
    #[sync_var]
    pub(crate) text: SyncVar<String>,
}

pub(crate) type Whole = (Body, Bag, Hands, Diary);

pub(crate) const SCENE: SceneId = SceneId(0x0102_0304_0506_0708);

pub(crate) fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new()
        .register::<Whole>(MirrorPrefab::new("whole", AssetId(1001)))
        .register::<(Hands, Letter)>(MirrorPrefab::new("letter", AssetId(1002)))
}

/// The same, but that some components wait before they are sent.
pub(crate) fn slow_prefabs() -> MirrorPrefabs {
    let every = |millis| Component::new().sync_interval(Duration::from_millis(millis));
    let slow = MirrorPrefab::new("whole", AssetId(1001))
        .component(1, every(50))
        .component(2, every(70));
    MirrorPrefabs::new().register::<Whole>(slow)
}

pub(crate) struct Net {
    pub(crate) server: MirrorServer,
    pub(crate) clients: BTreeMap<ConnectionId, MirrorClient>,
    pub(crate) now: Duration,
    pub(crate) events: Vec<MirrorServerEvent>,
}

impl Net {
    pub(crate) fn new() -> Self {
        Self::of(MirrorServer::new(prefabs()))
    }

    pub(crate) fn of(server: MirrorServer) -> Self {
        Self {
            server,
            clients: BTreeMap::new(),
            now: Duration::ZERO,
            events: Vec::new(),
        }
    }

    /// A client that is ready, asks for a player, and has not been given one.
    pub(crate) fn connect(&mut self) -> ConnectionId {
        let connection = self.server.handle_connect(Limits::TELEPATHY);
        let mut client = MirrorClient::new(prefabs());
        client.add_scene_object(SCENE, Whole::default()).unwrap();
        client.handle_connect(Limits::TELEPATHY);
        self.clients.insert(connection, client);
        self.frame();
        connection
    }

    pub(crate) fn join(&mut self) -> (ConnectionId, NetId) {
        let connection = self.connect();
        let player = self.server.add_player(connection, Whole::default());
        self.frame();
        (connection, player.unwrap())
    }

    /// A fiftieth of a second: everything that is sent arrives.
    pub(crate) fn frame(&mut self) {
        self.now += Duration::from_millis(20);
        let connections: Vec<_> = self.clients.keys().copied().collect();
        for connection in connections {
            self.arrive(connection);
        }
        self.server.update(self.now);
        self.deliver();
    }

    /// What a client has to say arrives.
    pub(crate) fn arrive(&mut self, connection: ConnectionId) {
        let Some(client) = self.clients.get_mut(&connection) else {
            return;
        };
        client.update(self.now);
        while let Some(packet) = client.poll_transmit() {
            let (channel, bytes) = (packet.channel, packet.bytes);
            let _ = self.server.handle_packet(connection, channel, &bytes);
        }
    }

    pub(crate) fn deliver(&mut self) {
        while let Some(transmit) = self.server.poll_transmit() {
            if let Some(client) = self.clients.get_mut(&transmit.connection) {
                let bytes = transmit.to_bytes();
                client.handle_packet(transmit.channel, &bytes).unwrap();
            }
        }
        while let Some(connection) = self.server.poll_close() {
            self.clients.remove(&connection);
        }
        self.events
            .extend(std::iter::from_fn(|| self.server.poll_event()));
    }

    pub(crate) fn settle(&mut self) {
        (0..3).for_each(|_| self.frame());
    }

    pub(crate) fn client(&mut self, connection: ConnectionId) -> &mut MirrorClient {
        self.clients.get_mut(&connection).unwrap()
    }

    /// The server's, for writing.
    pub(crate) fn body(&mut self, id: NetId) -> MirrorBehaviourMut<'_, Body> {
        self.server.get_mut(id).unwrap()
    }

    pub(crate) fn bag(&mut self, id: NetId) -> MirrorBehaviourMut<'_, Bag> {
        self.server.get_mut(id).unwrap()
    }

    pub(crate) fn hands(&mut self, id: NetId) -> MirrorBehaviourMut<'_, Hands> {
        self.server.get_mut(id).unwrap()
    }

    /// What a client has, of a behaviour.
    #[track_caller]
    pub(crate) fn seen<B: NetworkBehaviour>(&self, connection: ConnectionId, id: NetId) -> &B {
        self.clients[&connection].get(id).expect("it is there")
    }

    /// A client says something by hand.
    pub(crate) fn say(
        &mut self,
        connection: ConnectionId,
        messages: &[&[u8]],
    ) -> Result<(), MirrorError> {
        let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
        writer.write_f64(1.0);
        for message in messages {
            writer.write_var_u64(message.len().try_into().unwrap());
            writer.write_bytes(message);
        }
        self.server
            .handle_packet(connection, Channel::Reliable, writer.as_bytes())
    }

    /// Components of an object as its owner writes them: which, and the bytes of each.
    pub(crate) fn state(object: NetId, mask: u64, components: &[&[u8]]) -> Vec<u8> {
        let mut payload = NetworkWriter::with_encoding(Encoding::Mirror);
        payload.write_var_u64(mask);
        for component in components {
            let [safety, ..] = component.len().to_le_bytes();
            payload.write_u8(safety);
            payload.write_bytes(component);
        }
        let state = EntityStateMessage {
            net_id: object,
            payload: Some(payload.as_bytes()),
        };
        state.to_bytes().unwrap().to_vec()
    }
}
