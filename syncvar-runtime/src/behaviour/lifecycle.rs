//! `NetworkLifecycle`: what a behaviour is told of the life of its object.

use std::fmt;

use super::{NetworkBehaviour, NetworkContext};
use crate::NetId;

/// What a callback of [`NetworkLifecycle`] returns. An error is reported as
/// `ServerEvent::CallbackFailed` or
/// `ClientEvent::CallbackFailed`, and changes nothing else.
pub type LifecycleResult = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// What a behaviour is told of the life of its object, on the server and on every client that sees it.
/// All methods do nothing unless they are written.
///
/// ```
/// # use syncvar::*;
/// use syncvar::prelude::*;
///
/// # #[derive(Default)]
/// // #[derive(NetworkBehaviour, Default)]
/// // #[network_behaviour(lifecycle)]
/// struct Chest {
///     coins: SyncVar<u32>,
///     lid: &'static str,
/// }
/// # impl NetworkBehaviour for Chest {
/// #     type Previous = ();
/// #     const SCHEMA: BehaviourSchema = BehaviourSchema {
/// #         name: "Chest", base: None, fields: &[FieldSchema::of::<SyncVar<u32>>("coins")],
/// #     };
/// #     const INFO: BehaviourInfo = BehaviourInfo::DEFAULT.lifecycle::<Self>();
/// #     fn sync_var_dirty_bits(&self) -> u64 { self.coins.is_dirty().into() }
/// #     fn visit(&mut self, _: &mut (), visitor: &mut impl FieldVisitor) {
/// #         visitor.field(1, "coins", &mut self.coins);
/// #     }
/// # }
/// # impl HasLifecycle for Chest {}
///
/// impl NetworkLifecycle for Chest {
///     fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
///         if ctx.is_server() {
///             self.coins.set(100); // is in the state that every client is given
///         }
///         self.lid = if *self.coins > 0 { "shut" } else { "open" };
///         Ok(())
///     }
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Chest>("chest"));
/// let id = net.server.spawn(Chest::default());
/// net.settle();
/// assert_eq!(net.client(0).get::<Chest>(id).unwrap().lid, "shut");
/// ```
///
/// # When
///
/// | callback | on the server | on a client |
/// |---|---|---|
/// | [`on_network_pre_spawn`](Self::on_network_pre_spawn) | in `spawn` | when the object is there with its state |
/// | [`on_network_spawn`](Self::on_network_spawn) | after that of all behaviours | likewise |
/// | [`on_network_post_spawn`](Self::on_network_post_spawn) | after that of all behaviours | likewise |
/// | [`on_network_session_synchronized`](Self::on_network_session_synchronized) | | once per connection, when everything is there |
/// | [`on_in_scene_objects_spawned`](Self::on_in_scene_objects_spawned) | when the objects of a scene are spawned | likewise |
/// | [`on_gained_ownership`](Self::on_gained_ownership) | when no connection owns it any more | when this client has become the owner |
/// | [`on_lost_ownership`](Self::on_lost_ownership) | when a connection has become the owner | when this client is no longer |
/// | [`on_start_local_player`](Self::on_start_local_player) | | never; in Mirror, when it is its player |
/// | [`on_stop_local_player`](Self::on_stop_local_player) | | never; in Mirror, when its player goes |
/// | [`on_parent_changed`](Self::on_parent_changed) | when it has another parent | likewise |
/// | [`on_network_despawn`](Self::on_network_despawn) | in `despawn` | when it is despawned, hidden or forgotten |
///
/// On the server, `spawn` returns when the three callbacks of every behaviour have run, in the order
/// of the behaviours, each for all of them before the next. What they write is in the first state that
/// clients are given.
///
/// On a client all fields and all data of [`Synchronize`](crate::Synchronize) have been received by
/// then. Objects that come when it joins are all there before the first callback of any of them runs, so
/// that they can look each other up. `ClientEvent::Spawned` follows the
/// object's callbacks, `ClientEvent::Ready` those of
/// `on_network_session_synchronized`. An object that is only sent again, after an error, is not spawned
/// again. Spawning runs no hooks: what both have to do is one method that both call.
///
/// When a connection ends, a client keeps its objects until the next one, and
/// `on_network_despawn` runs when they are forgotten:
/// `NetworkClient::forget_objects` does that at once.
///
/// # What a callback can do
///
/// Everything: its [`NetworkContext`] has the whole server or client. Objects that it spawns or despawns
/// are spawned or despawned, with their own callbacks, before the call returns. What it does to its own
/// object is done at once too, but the object's callbacks for it run after those under way, and if it
/// despawns its own object that is completed then. More than 64 callbacks inside one another run one
/// after another, before the outermost command returns.
///
/// An error or a panic in a callback is reported, and keeps no other callback from running.
///
/// # Classes
///
/// A class that has `lifecycle` speaks for its bases: where they have callbacks too, it calls them, as an
/// override does in C# (`self.base.on_network_spawn(ctx)?`). One that does not passes everything on to
/// its base.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has `lifecycle` and no callbacks",
    label = "no `impl NetworkLifecycle for {Self}`",
    note = "write `impl NetworkLifecycle for {Self} {{ ... }}` with the callbacks that it has, or remove `lifecycle`"
)]
pub trait NetworkLifecycle: HasLifecycle {
    /// The object is about to be spawned: nobody else has been told of it.
    ///
    /// # Errors
    ///
    /// Whatever went wrong; it is reported.
    fn on_network_pre_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// The object is spawned. On a client its state is there. Whether this client
    /// [owns](NetworkContext::is_owner) it is known here only if it came when the client joined;
    /// otherwise [`on_gained_ownership`](Self::on_gained_ownership) follows at once.
    ///
    /// # Errors
    ///
    /// Whatever went wrong; it is reported.
    fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// Every behaviour of the object has had its
    /// [`on_network_spawn`](Self::on_network_spawn): here is what they have set up.
    ///
    /// # Errors
    ///
    /// Whatever went wrong; it is reported.
    fn on_network_post_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// The object is about to be gone, from everywhere or for this client. It is still there.
    ///
    /// # Errors
    ///
    /// Whatever went wrong; it is reported.
    fn on_network_despawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// This side has become the owner: a client of what it has been given, the server of what no
    /// connection owns any more, be it that the owner has left. On a client also for what it is given
    /// when it is spawned, after the callbacks of that.
    ///
    /// # Errors
    ///
    /// Whatever went wrong; it is reported.
    fn on_gained_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// This side is no longer the owner: the client that was, or the server if no connection was.
    ///
    /// # Errors
    ///
    /// Whatever went wrong; it is reported.
    fn on_lost_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// The object is this client's player, and has been spawned. Only Mirror has players: a
    /// `NetworkClient` never calls this, a `syncvar::mirror::MirrorClient` does,
    /// after [`on_gained_ownership`](Self::on_gained_ownership).
    ///
    /// # Errors
    ///
    /// Whatever went wrong; it is reported.
    fn on_start_local_player(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// The object is about to be gone, or no longer this client's player. Only Mirror has players: a
    /// `NetworkClient` never calls this.
    ///
    /// # Errors
    ///
    /// Whatever went wrong; it is reported.
    fn on_stop_local_player(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// On a client, once per connection: every object that it may see is there and has been spawned.
    /// Runs for the objects that are there then.
    ///
    /// # Errors
    ///
    /// Whatever went wrong; it is reported.
    fn on_network_session_synchronized(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// All objects that belong to the scene have been spawned; runs for those.
    ///
    /// # Errors
    ///
    /// Whatever went wrong; it is reported.
    fn on_in_scene_objects_spawned(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// The object has another parent, or none any more.
    ///
    /// # Errors
    ///
    /// Whatever went wrong; it is reported.
    fn on_parent_changed(
        &mut self,
        ctx: &mut NetworkContext<'_>,
        parent: Option<NetId>,
    ) -> LifecycleResult {
        let _ = (ctx, parent);
        Ok(())
    }
}

/// A behaviour whose callbacks are called. `#[network_behaviour(lifecycle)]` implements it, so that
/// nobody writes callbacks that nobody calls. A behaviour written by hand implements it beside
/// [`BehaviourInfo::lifecycle`](crate::BehaviourInfo::lifecycle()).
#[diagnostic::on_unimplemented(
    message = "nothing calls the callbacks of `{Self}`",
    label = "`{Self}` does not have `lifecycle`",
    note = "write `#[network_behaviour(lifecycle)]` above the struct, below `#[derive(NetworkBehaviour)]`"
)]
pub trait HasLifecycle: NetworkBehaviour {}

/// Which callback of [`NetworkLifecycle`]; displayed as the name of the method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LifecycleCallback {
    /// [`on_network_pre_spawn`](NetworkLifecycle::on_network_pre_spawn)
    PreSpawn,
    /// [`on_network_spawn`](NetworkLifecycle::on_network_spawn)
    Spawn,
    /// [`on_network_post_spawn`](NetworkLifecycle::on_network_post_spawn)
    PostSpawn,
    /// [`on_network_despawn`](NetworkLifecycle::on_network_despawn)
    Despawn,
    /// [`on_gained_ownership`](NetworkLifecycle::on_gained_ownership)
    GainedOwnership,
    /// [`on_lost_ownership`](NetworkLifecycle::on_lost_ownership)
    LostOwnership,
    /// [`on_start_local_player`](NetworkLifecycle::on_start_local_player)
    StartLocalPlayer,
    /// [`on_stop_local_player`](NetworkLifecycle::on_stop_local_player)
    StopLocalPlayer,
    /// [`on_network_session_synchronized`](NetworkLifecycle::on_network_session_synchronized)
    SessionSynchronized,
    /// [`on_in_scene_objects_spawned`](NetworkLifecycle::on_in_scene_objects_spawned)
    InSceneObjectsSpawned,
    /// [`on_parent_changed`](NetworkLifecycle::on_parent_changed), with the parent.
    ParentChanged(Option<NetId>),
}

impl LifecycleCallback {
    /// Those of a spawn, in order.
    pub const SPAWN: [Self; 3] = [Self::PreSpawn, Self::Spawn, Self::PostSpawn];

    /// The name of the method.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PreSpawn => "on_network_pre_spawn",
            Self::Spawn => "on_network_spawn",
            Self::PostSpawn => "on_network_post_spawn",
            Self::Despawn => "on_network_despawn",
            Self::GainedOwnership => "on_gained_ownership",
            Self::LostOwnership => "on_lost_ownership",
            Self::StartLocalPlayer => "on_start_local_player",
            Self::StopLocalPlayer => "on_stop_local_player",
            Self::SessionSynchronized => "on_network_session_synchronized",
            Self::InSceneObjectsSpawned => "on_in_scene_objects_spawned",
            Self::ParentChanged(_) => "on_parent_changed",
        }
    }

    /// Calls the method on a behaviour: what [`BehaviourInfo::lifecycle`](crate::BehaviourInfo::lifecycle()) does with it.
    ///
    /// # Errors
    ///
    /// That of the method.
    pub fn call<B: NetworkLifecycle>(
        self,
        behaviour: &mut B,
        ctx: &mut NetworkContext<'_>,
    ) -> LifecycleResult {
        match self {
            Self::PreSpawn => behaviour.on_network_pre_spawn(ctx),
            Self::Spawn => behaviour.on_network_spawn(ctx),
            Self::PostSpawn => behaviour.on_network_post_spawn(ctx),
            Self::Despawn => behaviour.on_network_despawn(ctx),
            Self::GainedOwnership => behaviour.on_gained_ownership(ctx),
            Self::LostOwnership => behaviour.on_lost_ownership(ctx),
            Self::StartLocalPlayer => behaviour.on_start_local_player(ctx),
            Self::StopLocalPlayer => behaviour.on_stop_local_player(ctx),
            Self::SessionSynchronized => behaviour.on_network_session_synchronized(ctx),
            Self::InSceneObjectsSpawned => behaviour.on_in_scene_objects_spawned(ctx),
            Self::ParentChanged(parent) => behaviour.on_parent_changed(ctx, parent),
        }
    }
}

impl fmt::Display for LifecycleCallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A callback that returned an error or panicked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallbackFailure {
    /// The object.
    pub object: NetId,
    /// The name of the behaviour.
    pub behaviour: &'static str,
    /// Which callback.
    pub callback: LifecycleCallback,
    /// What the error or the panic said.
    pub message: String,
}
