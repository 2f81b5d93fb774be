//! `NetworkLifecycle`: callbacks over the life of an object.

use std::fmt;

use super::{NetworkBehaviour, NetworkContext};
use crate::NetId;

/// Result of a callback of [`NetworkLifecycle`]. An error is reported as
/// `ServerEvent::CallbackFailed` or
/// `ClientEvent::CallbackFailed`, without further effect.
pub type LifecycleResult = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// Callbacks of a behaviour over the life of its object, on the server and on every client that observes it.
/// The default methods are empty.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// #[network_behaviour(lifecycle)]
/// struct Chest {
///     #[sync_var]
///     coins: SyncVar<u32>,
///     lid: &'static str,
/// }
///
/// impl NetworkLifecycle for Chest {
///     fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
///         if ctx.is_server() {
///             self.coins.set(100); // part of the first snapshot
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
/// | [`on_network_pre_spawn`](Self::on_network_pre_spawn) | in `spawn` | when the object and its state have arrived |
/// | [`on_network_spawn`](Self::on_network_spawn) | after the pre-spawn of every behaviour | likewise |
/// | [`on_network_post_spawn`](Self::on_network_post_spawn) | after the spawn of every behaviour | likewise |
/// | [`on_network_session_synchronized`](Self::on_network_session_synchronized) | | once per connection, after the first burst of objects |
/// | [`on_in_scene_objects_spawned`](Self::on_in_scene_objects_spawned) | when the objects of a scene are spawned | likewise |
/// | [`on_gained_ownership`](Self::on_gained_ownership) | when the last owner loses it | when this client becomes the owner |
/// | [`on_lost_ownership`](Self::on_lost_ownership) | when a connection becomes the owner | when this client ceases to be the owner |
/// | [`on_start_local_player`](Self::on_start_local_player) | | never; in Mirror, when it is its player |
/// | [`on_stop_local_player`](Self::on_stop_local_player) | | never; in Mirror, when its player goes |
/// | [`on_parent_changed`](Self::on_parent_changed) | when its parent has changed | likewise |
/// | [`on_network_despawn`](Self::on_network_despawn) | in `despawn` | when it is despawned, hidden or forgotten |
///
/// On the server, `spawn` returns after the three callbacks of every behaviour. Each of the three
/// runs for all behaviours, in order, before the next one begins. Their writes are part of the first
/// snapshot.
///
/// A client has received all fields and all data of [`Synchronize`](crate::Synchronize) before the
/// callbacks. The objects of a join arrive completely before the first callback, so that they can
/// find each other. `ClientEvent::Spawned` follows the callbacks of the object, `ClientEvent::Ready`
/// follows `on_network_session_synchronized`. A snapshot sent again after an error does not spawn the
/// object again. Spawning runs no hooks: put common work into a method that both call.
///
/// After the end of a connection a client keeps its objects until the next connection, and then
/// forgets them with `on_network_despawn`. `NetworkClient::forget_objects` forgets them at once.
///
/// # Commands in a callback
///
/// All commands are available: the [`NetworkContext`] gives access to the whole server or client.
/// Objects that the callback spawns or despawns run their callbacks before the command returns.
/// Commands on the callback's object take effect at once too. Their callbacks run after the present
/// ones, and a despawn completes then. Beyond a nesting of 64 objects, callbacks are deferred until
/// the outermost command returns.
///
/// An error or a panic in a callback is reported. The remaining callbacks still run.
///
/// # Classes
///
/// A class with `lifecycle` is responsible for its bases: it calls their callbacks, like an override
/// in C# (`self.base.on_network_spawn(ctx)?`). A class without it uses the callbacks of its base.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has `lifecycle` and no callbacks",
    label = "no `impl NetworkLifecycle for {Self}`",
    note = "write `impl NetworkLifecycle for {Self} {{ ... }}` with the callbacks that it has, or remove `lifecycle`"
)]
pub trait NetworkLifecycle: HasLifecycle {
    /// Runs before the spawn becomes known to the siblings.
    ///
    /// # Errors
    ///
    /// Any error; it is reported.
    fn on_network_pre_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// Runs at the spawn. On a client the state has arrived. A client knows here whether it
    /// [owns](NetworkContext::is_owner) the object only for the objects of its join;
    /// otherwise [`on_gained_ownership`](Self::on_gained_ownership) follows at once.
    ///
    /// # Errors
    ///
    /// Any error; it is reported.
    fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// Runs when every behaviour of the object has had its
    /// [`on_network_spawn`](Self::on_network_spawn), and can use its results.
    ///
    /// # Errors
    ///
    /// Any error; it is reported.
    fn on_network_post_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// Runs before the object goes, everywhere or for this client. It still exists.
    ///
    /// # Errors
    ///
    /// Any error; it is reported.
    fn on_network_despawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// Runs when this side has become the owner: a client of an object given to it, the server of an object
    /// without owning connection, also after the owner has disconnected. On a client it also runs for ownership
    /// given with the spawn, after the spawn's callbacks.
    ///
    /// # Errors
    ///
    /// Any error; it is reported.
    fn on_gained_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// Runs when this side is no longer the owner: the previous client, or the server if no connection owned it.
    ///
    /// # Errors
    ///
    /// Any error; it is reported.
    fn on_lost_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// Runs for the player object of this client, after its spawn. Only Mirror has players: a
    /// `NetworkClient` never calls this, a `syncvar::mirror::MirrorClient` does,
    /// after [`on_gained_ownership`](Self::on_gained_ownership).
    ///
    /// # Errors
    ///
    /// Any error; it is reported.
    fn on_start_local_player(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// Runs before the object goes or ceases to be this client's player. Only Mirror has players: a
    /// `NetworkClient` never calls this.
    ///
    /// # Errors
    ///
    /// Any error; it is reported.
    fn on_stop_local_player(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// Runs on a client, once per connection, when all objects of its join have been spawned.
    /// Runs for the objects that exist then.
    ///
    /// # Errors
    ///
    /// Any error; it is reported.
    fn on_network_session_synchronized(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// Runs for the objects of the scene when the last object has been spawned.
    ///
    /// # Errors
    ///
    /// Any error; it is reported.
    fn on_in_scene_objects_spawned(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let _ = ctx;
        Ok(())
    }

    /// Runs when the parent of the object has changed, or the object has none any more.
    ///
    /// # Errors
    ///
    /// Any error; it is reported.
    fn on_parent_changed(
        &mut self,
        ctx: &mut NetworkContext<'_>,
        parent: Option<NetId>,
    ) -> LifecycleResult {
        let _ = (ctx, parent);
        Ok(())
    }
}

/// A behaviour with lifecycle callbacks. `#[network_behaviour(lifecycle)]` implements it; without it the
/// compiler refuses callbacks that never run. A behaviour written by hand implements it beside
/// [`BehaviourInfo::lifecycle`](crate::BehaviourInfo::lifecycle()).
#[diagnostic::on_unimplemented(
    message = "the callbacks of `{Self}` are never called",
    label = "`{Self}` does not have `lifecycle`",
    note = "write `#[network_behaviour(lifecycle)]` above the struct, below `#[derive(NetworkBehaviour)]`"
)]
pub trait HasLifecycle: NetworkBehaviour {}

/// Callback of [`NetworkLifecycle`], displayed as the name of its method.
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
    /// Callbacks of a spawn, in order.
    pub const SPAWN: [Self; 3] = [Self::PreSpawn, Self::Spawn, Self::PostSpawn];

    /// Returns the name of the method.
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

    /// Calls the method on a behaviour: the body of [`BehaviourInfo::lifecycle`](crate::BehaviourInfo::lifecycle()).
    ///
    /// # Errors
    ///
    /// The error of the method.
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
    /// Name of the behaviour.
    pub behaviour: &'static str,
    /// The callback.
    pub callback: LifecycleCallback,
    /// Message of the error or panic.
    pub message: String,
}
