//! Calls of behaviours as events.

use std::fmt;
use std::marker::PhantomData;

use bevy_app::App;
use bevy_ecs::prelude::*;
use syncvar::calls::{CallArguments, Called};
use syncvar::error::CallFailure;

use crate::{NetEntities, Replicate};

/// Event of a received call of the component `C`: a command on a server, an RPC on a client. The server has checked
/// ownership and rate before.
///
/// The calls stand on the behaviour of the component: on its shadow, or on the component if it is a behaviour itself.
/// The plugin does not run their bodies; the observers do the work.
///
/// ```
/// use bevy_app::prelude::*;
/// use bevy_ecs::prelude::*;
/// use bevy_syncvar::prelude::*;
/// use bevy_syncvar::syncvar;
///
/// #[derive(Component, Replicate)]
/// struct Player {
///     ammo: u32,
/// }
///
/// #[network_calls]
/// impl PlayerShadow {
///     #[command]
///     fn fire(&mut self, _target: NetRef) {}
/// }
///
/// let mut app = App::new();
/// app.replicate::<Player>().net_calls::<Player>();
/// app.add_observer(|call: On<NetCall<Player>>, entities: Res<NetEntities>| {
///     if let Some((target,)) = call.arguments::<(NetRef,)>("fire") {
///         println!("{} fires at {}", call.entity, entities.target(target));
///     }
/// });
/// // A client calls by its resource:
/// fn shoot(mut client: ResMut<Client>, player: Single<&Net, With<Owned>>) {
///     let fired = client.calls::<PlayerShadow>(player.id()).fire(NetRef::NONE);
///     fired.unwrap();
/// }
/// ```
#[derive(EntityEvent)]
pub struct NetCall<C: Component> {
    /// The entity.
    pub entity: Entity,
    /// Connection that has sent a command; `None` for a call of the server.
    pub client: Option<Entity>,
    /// The call.
    pub called: Called,
    component: PhantomData<fn() -> C>,
}

impl<C: Component> NetCall<C> {
    /// Returns the arguments as a tuple, if the call has this name and these arguments.
    pub fn arguments<A: CallArguments>(&self, name: &str) -> Option<A> {
        if self.called.name() != name {
            return None;
        }
        let read = self.called.arguments::<A>();
        let warn = |error: &CallFailure| tracing::warn!(%name, ?error, "a call is not handled");
        read.inspect_err(warn).ok()
    }
}

impl<C: Component> fmt::Debug for NetCall<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetCall")
            .field("entity", &self.entity)
            .field("client", &self.client)
            .field("called", &self.called)
            .finish_non_exhaustive()
    }
}

/// Triggers the event of a component if the call is one of its behaviour. Returns whether it is.
type CallType = fn(&mut World, Entity, Option<Entity>, &Called) -> bool;

/// Components with calls.
#[derive(Resource, Debug, Default)]
struct CallTypes(Vec<CallType>);

/// Registration of calls, on [`App`].
pub trait NetCallApp {
    /// Triggers [`NetCall`] for the calls of a replicated component.
    fn net_calls<C: Replicate>(&mut self) -> &mut Self;
}

impl NetCallApp for App {
    fn net_calls<C: Replicate>(&mut self) -> &mut Self {
        let mut types = self.world_mut().get_resource_or_init::<CallTypes>();
        types.0.push(trigger::<C>);
        self
    }
}

fn trigger<C: Replicate>(
    world: &mut World,
    entity: Entity,
    client: Option<Entity>,
    called: &Called,
) -> bool {
    let is_own = called.is_of::<C::Shadow>();
    if is_own {
        world.trigger(NetCall::<C> {
            entity,
            client,
            called: called.clone(),
            component: PhantomData,
        });
    }
    is_own
}

/// Gives a received call to the observers of its component.
pub(crate) fn receive(world: &mut World, client: Option<Entity>, called: &Called) {
    let Some(entity) = world.resource::<NetEntities>().entity(called.object()) else {
        return;
    };
    let types = world.get_resource::<CallTypes>();
    let types = types.map(|types| types.0.clone()).unwrap_or_default();
    let is_known = types
        .iter()
        .any(|trigger| trigger(world, entity, client, called));
    if !is_known {
        tracing::warn!(
            call = called.name(),
            "no component is registered for a call: `net_calls`"
        );
    }
}
