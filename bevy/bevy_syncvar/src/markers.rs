//! Markers of a client's entities: ahead of the server, or behind it.

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use syncvar::NetId;

use crate::Net;

/// Marker of a client's entities that are ahead of the server: the components of [`predict`](crate::PredictApp::predict)
/// are the results of `FixedUpdate` on this client, and the server corrects them.
///
/// Own entities have it from the beginning, with a [`TickPlugin`](crate::TickPlugin) that is not
/// [`unmarked`](crate::TickPlugin::unmarked); the game inserts and removes it at any time.
///
/// In `FixedUpdate` a component has its state of the tick. Outside, its fields with `interpolate` lie between the last two
/// ticks, and the error of a correction decays. Without `Remote` the entity is local to this client, and rolled back with the
/// others.
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(clone_behavior = Ignore, on_remove = release)]
pub struct Predicted;

/// Marker of a client's entities that are drawn between received states: fields with `interpolate` have the values of the
/// client's view in each frame. [`Received`](crate::Received) reports the other fields.
///
/// All entities of the server have it from the beginning, with a [`TickPlugin`](crate::TickPlugin) that is not
/// [`unmarked`](crate::TickPlugin::unmarked). [`Predicted`] counts for the components that are predicted.
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(clone_behavior = Ignore, on_remove = release)]
pub struct Interpolated;

/// Query filter of the entities that the fixed steps move, on either end.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_syncvar::prelude::*;
/// # #[derive(Component)]
/// # struct Ball {
/// #     x: f32,
/// # }
/// fn roll(mut balls: Query<&mut Ball, Simulated>) {
///     for mut ball in &mut balls {
///         ball.x += 0.1;
///     }
/// }
/// # let _ = roll;
/// ```
pub type Simulated = Or<(With<crate::Replicated>, With<Predicted>)>;

/// Objects whose entities have lost a marker: their components are the server's again.
#[derive(Resource, Debug, Default)]
pub(crate) struct Released(pub(crate) Vec<NetId>);

fn release(mut world: DeferredWorld<'_>, context: HookContext) {
    let net = world.get::<Net>(context.entity).map(Net::id);
    if let (Some(id), Some(mut released)) = (net, world.get_resource_mut::<Released>()) {
        released.0.push(id);
    }
}
