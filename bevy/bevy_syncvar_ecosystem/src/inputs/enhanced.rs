//! `bevy_enhanced_input`: its actions to the held input.

use bevy::input::keyboard::KeyCode;
use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_enhanced_input::prelude::*;
use bevy_syncvar::prelude::*;

use super::Keys;

/// Context of a walker.
#[derive(Component)]
struct OnFoot;

#[derive(InputAction)]
#[action_output(f32)]
struct Run;

#[derive(InputAction)]
#[action_output(bool)]
struct Jump;

/// Adds the actions and their keys.
pub fn plugin(app: &mut App) {
    app.add_plugins(EnhancedInputPlugin)
        .add_input_context::<OnFoot>()
        .add_systems(Startup, spawn_context)
        .add_systems(PreUpdate, hold.after(EnhancedInputSystems::Apply))
        .add_observer(|_: On<Start<Jump>>, mut held: ResMut<HeldInput<Keys>>| held.jump = true);
}

fn spawn_context(mut commands: Commands) {
    let context = commands.spawn(OnFoot).id();
    let run = commands
        .spawn((Action::<Run>::new(), ActionOf::<OnFoot>::new(context)))
        .id();
    commands.spawn((Binding::from(KeyCode::KeyD), BindingOf(run)));
    commands.spawn((Binding::from(KeyCode::KeyA), Negate::all(), BindingOf(run)));
    let jump = commands
        .spawn((Action::<Jump>::new(), ActionOf::<OnFoot>::new(context)))
        .id();
    commands.spawn((Binding::from(KeyCode::Space), BindingOf(jump)));
}

/// Copies the actions.
fn hold(runs: Query<&Action<Run>>, mut held: ResMut<HeldInput<Keys>>) {
    for run in &runs {
        held.run = **run;
    }
}
