//! What a behaviour is told when it is called: who and where it is, and what is around it.

use std::any::Any;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use super::{AnyBehaviour, NetworkBehaviour, NetworkIdentity};
use crate::relations::{Place, Relation};
use crate::{ConnectionId, NetId, NetworkSceneId, Quaternion, Vector3};

/// What is around a behaviour while it is being called: its own object, the other behaviours on it,
/// and the server or the client with all other objects.
///
/// While a behaviour is called, its object is not to be found on the server or client by its id, nor is
/// any whose call has led to this one: the other behaviours of its own object are
/// [siblings](Self::sibling). Commands about it, such as
/// `set_owner` or `despawn`, are right all the same.
///
/// ```
/// # use syncvar::*;
/// # use syncvar::behaviour::{BehaviourInfo, FieldVisitor, HasLifecycle};
/// # use syncvar::schema::BehaviourSchema;
/// # use syncvar::values::Quaternion;
/// use syncvar::prelude::*;
///
/// # #[derive(Default)] struct Health(u32);
/// # #[derive(Default)] struct Bar { width: u32, team: Option<NetId> }
/// # macro_rules! behaviour { ($t:ident, $info:expr) => { impl NetworkBehaviour for $t {
/// #     type Previous = ();
/// #     const SCHEMA: BehaviourSchema = BehaviourSchema { name: stringify!($t), base: None, fields: &[] };
/// #     const INFO: BehaviourInfo = $info;
/// #     fn sync_var_dirty_bits(&self) -> u64 { 0 }
/// #     fn visit(&mut self, _: &mut (), _: &mut impl FieldVisitor) {}
/// # } } }
/// # behaviour!(Health, BehaviourInfo::DEFAULT);
/// # behaviour!(Bar, BehaviourInfo::DEFAULT.lifecycle::<Self>());
/// # impl HasLifecycle for Bar {}
/// // Of a prefab with the behaviours `(Health, Bar)`.
/// impl NetworkLifecycle for Bar {
///     fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
///         let health = ctx.sibling::<Health>().ok_or("a bar needs something to show")?;
///         self.width = health.0;
///         let (position, id) = (ctx.position(), ctx.net_id());
///         if let Some(server) = ctx.server() {
///             let corpse = server.spawn(Health(0));
///             server.set_transform(corpse, position, Quaternion::IDENTITY);
///             assert!(server.identity(id).is_none(), "it is being called");
///         }
///         Ok(())
///     }
/// }
///
/// let prefabs = Prefabs::new()
///     .register::<(Health, Bar)>("goblin")
///     .register::<Health>("corpse");
/// let mut server = NetworkServer::new(prefabs);
/// let id = server.spawn((Health(30), Bar::default()));
/// assert_eq!(server.get::<Bar>(id).unwrap().width, 30);
/// assert_eq!(server.object_count(), 2);
/// ```
pub struct NetworkContext<'a> {
    side: &'a mut dyn NetworkSide,
    siblings: &'a mut (dyn Siblings + 'a),
    net_id: NetId,
    behaviour: usize,
}

/// A server or client, as seen by the behaviours that are called on it.
///
/// While one of its objects is being called, the object is not to be found by
/// [`identity`](Self::identity).
pub trait NetworkSide: Any {
    /// Whether this is a server; otherwise it is a client.
    fn is_server(&self) -> bool;

    /// Its time.
    fn now(&self) -> Duration;

    /// An object that is not being called.
    fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>>;

    /// The name of the prefab that an object was made from.
    fn prefab_name(&self, id: NetId) -> Option<&str>;

    /// Where an object stood when it was last spawned or placed.
    fn place(&self, id: NetId) -> Place;

    /// The connection that owns an object, on a server.
    fn owner(&self, id: NetId) -> Option<ConnectionId>;

    /// Whether this side owns an object: the client that does, or the server if no connection does.
    fn is_owner(&self, id: NetId) -> bool;

    /// The scene id and the parent of an object.
    fn relation(&self, id: NetId) -> Relation;

    /// Whether this is a server with a local client that sees the object.
    fn is_host(&self, id: NetId) -> bool {
        let _ = id;
        false
    }
}

impl<'a> NetworkContext<'a> {
    /// The surroundings of a behaviour on an object: its server or client, and its siblings.
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

    /// Whether this is the server.
    pub fn is_server(&self) -> bool {
        self.side.is_server()
    }

    /// Whether this is a client, or a host whose local client sees the object.
    pub fn is_client(&self) -> bool {
        !self.side.is_server() || self.is_host()
    }

    /// Whether this is a server with a local client that sees the object.
    pub fn is_host(&self) -> bool {
        self.side.is_host(self.net_id)
    }

    /// The number of the object.
    pub fn net_id(&self) -> NetId {
        self.net_id
    }

    /// The name of the prefab that the object was made from.
    pub fn prefab(&self) -> &str {
        self.side.prefab_name(self.net_id).unwrap_or_default()
    }

    /// Where the object stood when it was last spawned or placed.
    pub fn position(&self) -> Vector3 {
        self.place().position
    }

    /// How the object was turned then.
    pub fn rotation(&self) -> Quaternion {
        self.place().rotation
    }

    fn place(&self) -> Place {
        self.side.place(self.net_id)
    }

    /// How many behaviours the object has.
    pub fn behaviour_count(&self) -> usize {
        self.siblings.len()
    }

    /// The position of the behaviour on its object.
    pub fn behaviour_index(&self) -> usize {
        self.behaviour
    }

    /// The connection that owns the object, on the server. None if the server owns it itself; and none
    /// on a client, which knows neither the numbers of others nor its own: see
    /// [`is_owner`](Self::is_owner).
    pub fn owner(&self) -> Option<ConnectionId> {
        self.side.owner(self.net_id)
    }

    /// Whether this side owns the object: the client that does, or the server if no connection does, or
    /// if its local client does.
    pub fn is_owner(&self) -> bool {
        self.side.is_owner(self.net_id)
    }

    /// The object that this one is below, if there is one.
    pub fn parent(&self) -> Option<NetId> {
        self.relation().parent
    }

    /// The number of the object in the scene, if both sides have made it themselves.
    pub fn scene_id(&self) -> Option<NetworkSceneId> {
        self.relation().scene_id
    }

    fn relation(&self) -> Relation {
        self.side.relation(self.net_id)
    }

    /// The time: the server's own, which on a client is what it is estimated to be
    /// (`NetworkClient::network_time`). Before a client knows anything of it, this is the client's own
    /// time (`NetworkClient::now`), which may begin at any other moment: ask the former where that
    /// matters.
    pub fn now(&self) -> Duration {
        self.side.now()
    }

    /// The first other behaviour of this type on the object.
    pub fn sibling<B: NetworkBehaviour>(&self) -> Option<&B> {
        (0..self.siblings.len()).find_map(|index| self.sibling_at(index))
    }

    /// The first other behaviour of this type on the object, for writing.
    pub fn sibling_mut<B: NetworkBehaviour>(&mut self) -> Option<&mut B> {
        let mut positions = 0..self.siblings.len();
        let index = positions.find(|index| self.sibling_at::<B>(*index).is_some())?;
        self.sibling_at_mut(index)
    }

    /// The behaviour at a position of the object, if it is of this type and another one.
    pub fn sibling_at<B: NetworkBehaviour>(&self, index: usize) -> Option<&B> {
        let behaviour: &dyn Any = self.siblings.behaviour(index)?;
        behaviour.downcast_ref()
    }

    /// The behaviour at a position of the object, if it is of this type and another one, for writing.
    pub fn sibling_at_mut<B: NetworkBehaviour>(&mut self, index: usize) -> Option<&mut B> {
        let behaviour: &mut dyn Any = self.siblings.behaviour_mut(index)?;
        behaviour.downcast_mut()
    }

    /// The first behaviour of this type on any object; on the own one, of the siblings.
    pub fn get<B: NetworkBehaviour>(&self, id: NetId) -> Option<&B> {
        if id == self.net_id {
            return self.sibling();
        }
        self.side.identity(id)?.behaviour()
    }

    /// Any object but the own one, by its id.
    pub fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.side.identity(id)
    }

    /// The server or client, if it is of this type: for those of other protocols, such as
    /// `syncvar::mirror::MirrorServer`.
    ///
    /// ```
    /// # use syncvar::{NetworkContext, NetworkServer};
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

/// What is around a behaviour while a remote call runs on it: a [`NetworkContext`], and who called.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
/// }
///
/// #[network_calls]
/// impl Door {
///     #[command(requires_ownership = false)]
///     fn knock(&mut self, ctx: &mut CallContext<'_>) {
///         assert!(ctx.is_server());
///         println!("{:?} knocks at {}", ctx.sender(), ctx.net_id());
///         self.open.set(true);
///     }
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let door = net.server.spawn(Door::default());
/// net.settle();
/// net.client_mut(0).calls::<Door>(door).knock().unwrap();
/// net.settle();
/// assert_eq!(net.client(0).get::<Door>(door).unwrap().open, true);
/// ```
#[derive(Debug)]
pub struct CallContext<'a> {
    context: NetworkContext<'a>,
    sender: Option<ConnectionId>,
}

impl<'a> CallContext<'a> {
    /// The context of a call; `sender` is the connection that called a command.
    pub fn new(context: NetworkContext<'a>, sender: Option<ConnectionId>) -> Self {
        Self { context, sender }
    }

    /// The connection that a command came from: the one that the bytes came from, whatever they say, or
    /// that of the local client. It need not be the
    /// [owner](NetworkContext::owner), if the command does not require that. There is none for what the
    /// server calls, on a client and on a host.
    pub fn sender(&self) -> Option<ConnectionId> {
        self.sender
    }
}

impl<'a> Deref for CallContext<'a> {
    type Target = NetworkContext<'a>;

    fn deref(&self) -> &NetworkContext<'a> {
        &self.context
    }
}

impl DerefMut for CallContext<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.context
    }
}

/// The behaviours of an object except the one that is called.
#[expect(
    clippy::len_without_is_empty,
    reason = "an object without behaviours is no container"
)]
pub trait Siblings {
    /// The number of behaviours, that of the called one included.
    fn len(&self) -> usize;

    /// The behaviour at a position; none at that of the called one.
    fn behaviour(&self, index: usize) -> Option<&dyn AnyBehaviour>;

    /// The behaviour at a position, for writing; none at that of the called one.
    fn behaviour_mut(&mut self, index: usize) -> Option<&mut dyn AnyBehaviour>;
}

/// A callback that panicked: what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panicked(pub String);

/// Runs something of the user's; a panic ends with it.
///
/// # Errors
///
/// What the panic said.
pub fn contain<R>(action: impl FnOnce() -> R) -> Result<R, Panicked> {
    catch_unwind(AssertUnwindSafe(action)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Panicked(text.unwrap_or_else(|| "a panic without a message".into()))
    })
}
