//! Relations of entities.

pub(crate) mod hierarchy;
pub(crate) mod scene;

use bevy_app::App;

/// Adds the observers of a server.
pub(crate) fn build(app: &mut App) {
    if !app.world().contains_resource::<hierarchy::IsObserved>() {
        app.init_resource::<hierarchy::IsObserved>();
        app.add_observer(hierarchy::on_insert)
            .add_observer(hierarchy::on_remove);
    }
}
