//! App of both ends.

use bevy::prelude::*;
use bevy::state::app::StatesPlugin;
use bevy_replicon::prelude::*;
use bevy_replicon::server::ServerPlugin;
use bevy_replicon_renet::renet::ConnectionConfig;
use bevy_replicon_renet::{RenetChannelsExt, RepliconRenetPlugins};
use serde::{Deserialize, Serialize};

/// Number of the program that both ends name.
pub(crate) const PROTOCOL: u64 = 1;

/// Microseconds since 1970 at the last change of an object.
#[derive(Component, Serialize, Deserialize)]
pub(crate) struct Stamp(pub(crate) u64);

#[derive(Component, Serialize, Deserialize)]
pub(crate) struct Health(pub(crate) u32);

/// Group of an object or a client: a client sees the objects of its own.
#[derive(Component, PartialEq)]
#[component(immutable)]
pub(crate) struct Group(pub(crate) u32);

impl VisibilityFilter for Group {
    type ClientComponent = Self;
    type Scope = Entity;

    fn is_visible(&self, _: Entity, component: Option<&Self>) -> bool {
        component.is_some_and(|group| self == group)
    }
}

pub(crate) fn new_app() -> App {
    let mut app = App::new();
    let replicon = RepliconPlugins
        .build()
        .set(ServerPlugin::new(PostUpdate))
        .set(RepliconSharedPlugin {
            auth_method: AuthMethod::None,
        });
    app.add_plugins((MinimalPlugins, StatesPlugin, replicon, RepliconRenetPlugins));
    app.replicate::<Stamp>().replicate::<Health>();
    app.add_visibility_filter::<Group>();
    app.finish();
    app
}

/// Returns the channels of renet for the app.
pub(crate) fn channels(app: &App) -> ConnectionConfig {
    let channels = app.world().resource::<RepliconChannels>();
    ConnectionConfig {
        server_channels_config: channels.server_configs(),
        client_channels_config: channels.client_configs(),
        ..ConnectionConfig::default()
    }
}
