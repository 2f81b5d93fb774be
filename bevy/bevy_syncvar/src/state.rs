//! States of a client: `JoinState`, run conditions.

use bevy_ecs::prelude::*;
use syncvar::ClientEvent;

use crate::Server;

/// State of the client of an app; that of the local player on a host. With the feature `state` it is a state of Bevy:
/// `OnEnter(JoinState::Joined)`, `in_state(JoinState::Joined)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "state", derive(bevy_state::prelude::States))]
pub enum JoinState {
    /// The app has no connection to a server, and makes none.
    #[default]
    Left,
    /// The link connects, or the server has not sent all objects.
    Connecting,
    /// The client has all objects that it may see.
    Joined,
}

/// State of the client of an app. The run condition [`joined`](crate::joined) reads it.
#[derive(Resource)]
pub struct ClientSession {
    /// Events of the frame, without the changes of fields.
    pub(crate) events: Vec<ClientEvent>,
    pub(crate) state: JoinState,
}

impl ClientSession {
    /// Returns the state.
    pub fn state(&self) -> JoinState {
        self.state
    }

    pub(crate) fn new() -> Self {
        Self {
            events: Vec::new(),
            state: JoinState::Connecting,
        }
    }
}

/// Returns the state of the client of an app.
fn join_state(session: Option<Res<ClientSession>>, server: Option<Res<Server>>) -> JoinState {
    match (session, server) {
        (Some(session), _) => session.state,
        (None, Some(server)) if server.local_client().is_some() => JoinState::Joined,
        (None, _) => JoinState::Left,
    }
}

/// Run condition: the client of the app has all objects, or the app is a host.
///
/// ```
/// # use bevy_app::prelude::*;
/// # use bevy_ecs::prelude::*;
/// # use bevy_syncvar::prelude::*;
/// # let mut app = App::new();
/// app.add_systems(Update, (|| println!("playing")).run_if(joined));
/// ```
pub fn joined(session: Option<Res<ClientSession>>, server: Option<Res<Server>>) -> bool {
    join_state(session, server) == JoinState::Joined
}

/// Run condition: the app has a server.
pub fn serving(server: Option<Res<Server>>) -> bool {
    server.is_some()
}

/// Adds the state to an app.
#[cfg(feature = "state")]
pub(crate) fn build(app: &mut bevy_app::App, schedules: crate::Schedules) {
    use bevy_state::app::{AppExtStates, StatesPlugin};
    use bevy_state::prelude::State;

    if app.world().contains_resource::<State<JoinState>>() {
        return;
    }
    if !app.is_plugin_added::<StatesPlugin>() {
        app.add_plugins(StatesPlugin);
    }
    app.init_state::<JoinState>();
    let set = crate::SyncVarSystems::Apply;
    app.add_systems(schedules.receive, set_state.after(set));
}

#[cfg(feature = "state")]
fn set_state(
    session: Option<Res<ClientSession>>,
    server: Option<Res<Server>>,
    state: Res<bevy_state::prelude::State<JoinState>>,
    mut next: ResMut<bevy_state::prelude::NextState<JoinState>>,
) {
    let present = join_state(session, server);
    if *state.get() != present {
        next.set(present);
    }
}
