//! A server, and clients that do with its bytes what Mirror's do: what comes before the end of the first
//! burst waits, and what is said about it meanwhile is lost.

use std::time::Duration;

use syncvar::mirror::message::{EntityStateMessage, NetworkMessage};
use syncvar::mirror::*;
use syncvar::prelude::*;
use syncvar::wire::{Encoding, NetworkWriter};
use syncvar_testing::mirror::{MirrorNetwork, Refusals};

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
        ctx.side::<MirrorServer>()
            .unwrap()
            .set_owner(id, sender)
            .unwrap();
        self.effects.push(*self.health);
    }

    /// The object goes, or its caller, or it is hidden from that and shown again.
    #[command(requires_ownership = false)]
    pub(crate) fn cmd_end(&mut self, ctx: &mut CallContext<'_>, what: u8) {
        let (id, sender) = (ctx.net_id(), ctx.sender().unwrap());
        let server = ctx.side::<MirrorServer>().unwrap();
        match what {
            0 => assert!(server.despawn(id).is_ok()),
            1 => server.disconnect(sender),
            _ => {
                server.hide(id, sender).unwrap();
                self.effects.push(3);
                server.restore(id, sender).unwrap();
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

/// Returns a network with the prefabs of these tests.
pub(crate) fn network() -> MirrorNetwork {
    network_of(MirrorServer::new(prefabs()), prefabs)
}

/// Returns a network of a server, with clients that have these prefabs and a scene object.
pub(crate) fn network_of(server: MirrorServer, prefabs: fn() -> MirrorPrefabs) -> MirrorNetwork {
    let mut net = MirrorNetwork::new(server, move || {
        let mut client = MirrorClient::new(prefabs());
        client.add_scene_object(SCENE, Whole::default()).unwrap();
        client
    });
    net.refusals = Refusals::AfterClose;
    net
}

/// Steps and lookups of these tests.
pub(crate) trait FoundNetwork {
    /// Connects a client that is ready and asks for a player.
    fn enter(&mut self) -> ConnectionId;
    /// Connects a client with a player.
    fn join_whole(&mut self) -> (ConnectionId, NetId);
    /// Returns the server's body of an object.
    fn body(&mut self, id: NetId) -> MirrorBehaviourMut<'_, Body>;
    /// Returns the server's bag of an object.
    fn bag(&mut self, id: NetId) -> MirrorBehaviourMut<'_, Bag>;
    /// Returns the server's hands of an object.
    fn hands(&mut self, id: NetId) -> MirrorBehaviourMut<'_, Hands>;
}

impl FoundNetwork for MirrorNetwork {
    fn enter(&mut self) -> ConnectionId {
        let connection = self.connect();
        self.frame();
        connection
    }

    fn join_whole(&mut self) -> (ConnectionId, NetId) {
        self.join(Whole::default())
    }

    fn body(&mut self, id: NetId) -> MirrorBehaviourMut<'_, Body> {
        self.server.get_mut(id).unwrap()
    }

    fn bag(&mut self, id: NetId) -> MirrorBehaviourMut<'_, Bag> {
        self.server.get_mut(id).unwrap()
    }

    fn hands(&mut self, id: NetId) -> MirrorBehaviourMut<'_, Hands> {
        self.server.get_mut(id).unwrap()
    }
}

/// Returns an owner's message with the masked components of an object.
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
