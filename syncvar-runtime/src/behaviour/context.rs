//! Contexts of callbacks and remote calls: the object, its siblings, and the server or client.

mod call;
mod detached;

pub use call::CallContext;
use detached::Detached;
pub(crate) use detached::WithoutSiblings;

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use super::{AnyBehaviour, MessageTime, NetworkBehaviour, NetworkIdentity, SyncSettings};
use crate::relations::{Place, Relation};
use crate::route::CallRouter;
use crate::{ConnectionId, NetId, NetworkSceneId, NetworkTime, Quaternion, Vector3};

/// Context of a callback: the object, its siblings, and the server or client with all its
/// objects.
///
/// During a callback its object is checked out: the server or client does not find it by its id. The
/// same holds for each object of an outer callback. The remaining behaviours of the object are its
/// [siblings](Self::sibling). Commands about the object, such as `set_owner` or `despawn`, are allowed.
///
/// ```
/// use syncvar::{prelude::*, values::Quaternion};
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Health {
///     #[sync_var]
///     points: SyncVar<u32>,
/// }
///
/// /// Part of the prefab with the behaviours `(Health, Bar)`.
/// #[derive(NetworkBehaviour, Default)]
/// #[network_behaviour(lifecycle)]
/// struct Bar {
///     width: u32,
/// }
///
/// impl NetworkLifecycle for Bar {
///     fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
///         let health = ctx.sibling::<Health>().ok_or("a bar shows the health beside it")?;
///         self.width = *health.points;
///         let (position, id) = (ctx.position(), ctx.net_id());
///         if let Some(server) = ctx.server() {
///             let corpse = server.spawn(Health::default());
///             server.set_transform(corpse, position, Quaternion::IDENTITY).unwrap();
///             assert!(server.identity(id).is_none(), "it is checked out");
///         }
///         Ok(())
///     }
/// }
///
/// let prefabs = Prefabs::new()
///     .register::<(Health, Bar)>("goblin")
///     .register::<Health>("corpse");
/// let mut server = NetworkServer::new(prefabs);
/// let id = server.spawn((Health { points: 30.into() }, Bar::default()));
/// assert_eq!(server.get::<Bar>(id).unwrap().width, 30);
/// assert_eq!(server.object_count(), 2);
/// ```
pub struct NetworkContext<'a> {
    side: &'a mut dyn NetworkSide,
    siblings: &'a mut (dyn Siblings + 'a),
    net_id: NetId,
    behaviour: usize,
}

/// Server or client of a callback.
///
/// Its [`identity`](Self::identity) does not find an object that is checked out.
pub trait NetworkSide: Any {
    /// Returns whether this is a server; otherwise it is a client.
    fn is_server(&self) -> bool;

    /// Returns the time of the server or client.
    fn now(&self) -> Duration;

    /// Returns the server's time and tick; `None` before a client's first estimate, and in a protocol
    /// without ticks.
    fn network_time(&self) -> Option<NetworkTime> {
        None
    }

    /// Returns the times of the message that is being read; `None` without one, and in a protocol without
    /// times in its messages.
    fn message_time(&self) -> Option<MessageTime> {
        None
    }

    /// Returns the schedule and the writer of the behaviour at a position of an object; `None` in a
    /// protocol that has both by field.
    fn sync_settings(&self, id: NetId, behaviour: usize) -> Option<SyncSettings> {
        let _ = (id, behaviour);
        None
    }

    /// Returns the sender of the client's commands; `None` on a server without a local client.
    fn command_router(&mut self) -> Option<&mut dyn CallRouter> {
        None
    }

    /// Returns an object that is not checked out.
    fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>>;

    /// Returns the name of an object's prefab.
    fn prefab_name(&self, id: NetId) -> Option<&str>;

    /// Returns the place of an object at its last spawn or placement.
    fn place(&self, id: NetId) -> Place;

    /// Returns the owner of an object, on a server.
    fn owner(&self, id: NetId) -> Option<ConnectionId>;

    /// Returns whether this side owns an object: the owning client, or the server without such a client.
    fn is_owner(&self, id: NetId) -> bool;

    /// Returns the scene id and the parent of an object.
    fn relation(&self, id: NetId) -> Relation;

    /// Returns whether this is a server with a local client that observes the object.
    fn is_host(&self, id: NetId) -> bool {
        let _ = id;
        false
    }
}

impl<'a> NetworkContext<'a> {
    /// Creates the context of a behaviour from its server or client and its siblings.
    pub fn new(
        side: &'a mut dyn NetworkSide,
        siblings: &'a mut (dyn Siblings + 'a),
        net_id: NetId,
        behaviour: usize,
    ) -> Self {
        Self {
            side,
            siblings,
            net_id,
            behaviour,
        }
    }

    /// Runs an action with a context without server, client and object: its id is 0, and it finds no
    /// object. For [`call_hooks`](NetworkBehaviour::call_hooks) outside a server or client.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// let id = NetworkContext::detached(|ctx| ctx.net_id());
    /// assert_eq!(id, NetId(0));
    /// ```
    #[inline]
    pub fn detached<R>(action: impl FnOnce(&mut NetworkContext<'_>) -> R) -> R {
        let (mut side, mut siblings) = (Detached, WithoutSiblings);
        action(&mut NetworkContext::new(
            &mut side,
            &mut siblings,
            NetId(0),
            0,
        ))
    }

    /// Returns whether this is the server.
    pub fn is_server(&self) -> bool {
        self.side.is_server()
    }

    /// Returns whether this is a client, or a host whose local client observes the object.
    pub fn is_client(&self) -> bool {
        !self.side.is_server() || self.is_host()
    }

    /// Returns whether this is a server with a local client that observes the object.
    pub fn is_host(&self) -> bool {
        self.side.is_host(self.net_id)
    }

    /// Returns the id of the object.
    pub fn net_id(&self) -> NetId {
        self.net_id
    }

    /// Returns the name of the object's prefab.
    pub fn prefab(&self) -> &str {
        self.side.prefab_name(self.net_id).unwrap_or_default()
    }

    /// Returns the object's position at its last spawn or placement.
    pub fn position(&self) -> Vector3 {
        self.place().position
    }

    /// Returns the object's rotation at its last spawn or placement.
    pub fn rotation(&self) -> Quaternion {
        self.place().rotation
    }

    fn place(&self) -> Place {
        self.side.place(self.net_id)
    }

    /// Returns the number of behaviours of the object.
    pub fn behaviour_count(&self) -> usize {
        self.siblings.len()
    }

    /// Returns the position of the behaviour on its object.
    pub fn behaviour_index(&self) -> usize {
        self.behaviour
    }

    /// Returns the owning connection, on the server; `None` if the server owns the object. Always `None`
    /// on a client, which knows no connection ids: see [`is_owner`](Self::is_owner).
    pub fn owner(&self) -> Option<ConnectionId> {
        self.side.owner(self.net_id)
    }

    /// Returns whether this side owns the object: the owning client; or the server, if the owner is its
    /// local client or the object lacks an owning connection.
    pub fn is_owner(&self) -> bool {
        self.side.is_owner(self.net_id)
    }

    /// Returns the parent of the object.
    pub fn parent(&self) -> Option<NetId> {
        self.relation().parent
    }

    /// Returns the scene id of an object that both ends have created as part of a scene.
    pub fn scene_id(&self) -> Option<NetworkSceneId> {
        self.relation().scene_id
    }

    fn relation(&self) -> Relation {
        self.side.relation(self.net_id)
    }

    /// Returns the time of the server. A client estimates it (`NetworkClient::network_time`). Before its
    /// first estimate it returns the client's time (`NetworkClient::now`), which begins at any moment:
    /// call `network_time` where the difference matters.
    pub fn now(&self) -> Duration {
        self.side.now()
    }

    /// Returns the server's time and tick. `None` before a client's first estimate
    /// (`NetworkClient::network_time`), and in Mirror's protocol, which lacks ticks.
    pub fn network_time(&self) -> Option<NetworkTime> {
        self.side.network_time()
    }

    /// Returns the times of the message that is being read; `None` without one. Mirror's messages have
    /// the time of their batch.
    pub fn message_time(&self) -> Option<MessageTime> {
        self.side.message_time()
    }

    /// Returns the schedule and the writer of the behaviour, in Mirror's protocol.
    pub fn sync_settings(&self) -> Option<SyncSettings> {
        self.side.sync_settings(self.net_id, self.behaviour)
    }

    /// Returns the sender of the client's commands; `None` on a server without a local client.
    pub(crate) fn command_router(&mut self) -> Option<&mut dyn CallRouter> {
        self.side.command_router()
    }

    /// Returns the server's tick: see [`network_time`](Self::network_time).
    pub fn tick(&self) -> Option<u64> {
        self.network_time().map(|moment| moment.tick)
    }

    /// Returns the first sibling of a type.
    pub fn sibling<B: NetworkBehaviour>(&self) -> Option<&B> {
        (0..self.siblings.len()).find_map(|index| self.sibling_at(index))
    }

    /// Like [`sibling`](Self::sibling), for writing.
    pub fn sibling_mut<B: NetworkBehaviour>(&mut self) -> Option<&mut B> {
        let mut positions = 0..self.siblings.len();
        let index = positions.find(|index| self.sibling_at::<B>(*index).is_some())?;
        self.sibling_at_mut(index)
    }

    /// Returns the sibling at a position of the object, if it has this type.
    pub fn sibling_at<B: NetworkBehaviour>(&self, index: usize) -> Option<&B> {
        self.siblings.behaviour(index)?.get()
    }

    /// Like [`sibling_at`](Self::sibling_at), for writing.
    pub fn sibling_at_mut<B: NetworkBehaviour>(&mut self, index: usize) -> Option<&mut B> {
        self.siblings.behaviour_mut(index)?.get_mut()
    }

    /// Returns the first behaviour of a type on an object; on the context's object, the first sibling.
    pub fn get<B: NetworkBehaviour>(&self, id: NetId) -> Option<&B> {
        if id == self.net_id {
            return self.sibling();
        }
        self.side.identity(id)?.behaviour()
    }

    /// Returns an object by its id.
    pub fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.side.identity(id)
    }

    /// Returns the server or client, if it has this type. Each protocol has its types, such as
    /// `syncvar::mirror::MirrorServer`.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// fn objects(ctx: &mut NetworkContext<'_>) -> usize {
    ///     ctx.side::<NetworkServer>().map_or(0, |server| server.object_count())
    /// }
    /// ```
    pub fn side<T: Any>(&mut self) -> Option<&mut T> {
        let side: &mut dyn Any = self.side;
        side.downcast_mut()
    }
}

impl fmt::Debug for NetworkContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetworkContext")
            .field("net_id", &self.net_id)
            .field("behaviour", &self.behaviour)
            .field("is_server", &self.is_server())
            .finish_non_exhaustive()
    }
}

/// Behaviours of an object without the running one.
#[expect(
    clippy::len_without_is_empty,
    reason = "an object without behaviours is no container"
)]
pub trait Siblings {
    /// Returns the number of behaviours, including the running one.
    fn len(&self) -> usize;

    /// Returns the behaviour at a position; `None` for the running one.
    fn behaviour(&self, index: usize) -> Option<&dyn AnyBehaviour>;

    /// Returns the behaviour at a position for writing; `None` for the running one.
    fn behaviour_mut(&mut self, index: usize) -> Option<&mut dyn AnyBehaviour>;
}

/// Message of a panic in a callback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panicked(pub String);

/// Runs code of the application and catches its panic.
///
/// # Errors
///
/// When the action panics: its message.
pub fn contain<R>(action: impl FnOnce() -> R) -> Result<R, Panicked> {
    catch_unwind(AssertUnwindSafe(action)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Panicked(text.unwrap_or_else(|| "a panic without a message".into()))
    })
}
