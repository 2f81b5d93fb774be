//! `leafwing-input-manager`: its action states to the held input.

use bevy::input::keyboard::KeyCode;
use bevy::reflect::Reflect;
use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use leafwing_input_manager::plugin::InputManagerSystem;
use leafwing_input_manager::prelude::*;

use super::Keys;

/// Actions of a walker.
#[derive(Actionlike, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// To the left or to the right.
    #[actionlike(Axis)]
    Run,
    /// Up.
    Jump,
}

/// Adds the actions and their keys.
pub fn plugin(app: &mut App) {
    app.add_plugins(InputManagerPlugin::<Action>::default())
        .add_systems(Startup, spawn_map)
        .add_systems(PreUpdate, hold.after(InputManagerSystem::ManualControl));
}

fn spawn_map(mut commands: Commands) {
    let map = InputMap::default()
        .with_axis(Action::Run, VirtualAxis::ad())
        .with(Action::Jump, KeyCode::Space);
    commands.spawn(map);
}

/// Copies the actions.
fn hold(actions: Query<&ActionState<Action>>, mut held: ResMut<HeldInput<Keys>>) {
    for actions in &actions {
        held.run = actions.value(&Action::Run);
        held.jump |= actions.just_pressed(&Action::Jump);
    }
}
