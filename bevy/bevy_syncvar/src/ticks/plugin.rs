//! `TickPlugin`: the fixed steps of an app with an end.

use std::marker::PhantomData;

use bevy_app::{App, Plugin, RunFixedMainLoop, RunFixedMainLoopSystems};
use bevy_ecs::prelude::*;
use bevy_time::{Fixed, Time};
use syncvar::SyncValue;

use super::input::{HeldInput, InputType};
use super::step::{TickState, end_fixed};
use super::{client, server};
use crate::prediction::RollbackTypes;
use crate::time::Tick;
use crate::{Client, Interpolated, Owned, Predicted, Remote, Server, SyncVarSystems};

/// Makes `FixedUpdate` the tick of both ends, with the inputs `M` of the clients. Both apps add it, with the same
/// `Time<Fixed>`.
///
/// ```
/// use bevy_app::prelude::*;
/// use bevy_syncvar::prelude::*;
/// use bevy_time::{Fixed, Time};
///
/// #[derive(SyncValue, Clone, Default)]
/// struct Move {
///     x: f32,
///     jump: bool,
/// }
///
/// fn shared(app: &mut App) {
///     app.insert_resource(Time::<Fixed>::from_hz(60.0));
///     app.add_plugins(TickPlugin::<Move>::default());
/// }
/// # let mut app = App::new();
/// # app.add_plugins(ServerPlugin::alone());
/// # shared(&mut app);
/// # app.update();
/// ```
///
/// | end | `FixedUpdate` |
/// | --- | --- |
/// | server | runs for each tick of the server's time, which has the rate of `Time<Fixed>` |
/// | client | runs for each tick of the input clock, ahead of the server by the way of a packet; and once more for ticks behind a state that the server has corrected |
/// | app without an end | as without the plugin |
///
/// [`Tick`] has the number, the same on both ends, and [`Time`] in `FixedUpdate` the time of the tick. The ticks follow the
/// time of the network: `Time<Virtual>` does not stop them. A game without inputs takes `bool`.
///
/// Own entities of a client are ahead of the server, and its other entities are drawn between received states: they have
/// [`Predicted`] and [`Interpolated`] from the beginning. The game removes and inserts the markers at any time.
pub struct TickPlugin<M> {
    marks: bool,
    input: PhantomData<fn() -> M>,
}

impl<M> TickPlugin<M> {
    /// Makes a plugin that leaves the markers [`Predicted`] and [`Interpolated`] to the game.
    pub fn unmarked() -> Self {
        Self {
            marks: false,
            input: PhantomData,
        }
    }
}

impl<M> Default for TickPlugin<M> {
    fn default() -> Self {
        Self {
            marks: true,
            ..Self::unmarked()
        }
    }
}

impl<M: SyncValue + Default> Plugin for TickPlugin<M> {
    fn build(&self, app: &mut App) {
        app.init_resource::<Time>()
            .init_resource::<Time<Fixed>>()
            .init_resource::<Tick>()
            .init_resource::<TickState>()
            .init_resource::<RollbackTypes>()
            .init_resource::<HeldInput<M>>()
            .insert_resource(InputType::of::<M>());
        if self.marks {
            app.register_required_components::<Owned, Predicted>();
            app.register_required_components::<Remote, Interpolated>();
        }
        let own_loop = RunFixedMainLoopSystems::FixedMainLoop;
        app.configure_sets(RunFixedMainLoop, own_loop.run_if(is_apart));
        let ticks = SyncVarSystems::Ticks;
        app.configure_sets(
            RunFixedMainLoop,
            ticks
                .after(own_loop)
                .before(RunFixedMainLoopSystems::AfterFixedMainLoop),
        );
        let of_server = server::run_ticks::<M>.run_if(resource_exists::<Server>);
        let of_client = client::run_ticks::<M>.run_if(resource_exists::<Client>);
        let run = (of_server, of_client, end_fixed).chain();
        app.add_systems(RunFixedMainLoop, run.in_set(ticks));
    }
}

/// Run condition: the app has no end, so its fixed steps follow its own time.
fn is_apart(server: Option<Res<Server>>, client: Option<Res<Client>>) -> bool {
    server.is_none() && client.is_none()
}
