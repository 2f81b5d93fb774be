//! Shadows of Avian's components.

use std::mem;

use avian2d::prelude::{LinearVelocity, Position};
use bevy_syncvar::syncvar::values::Vector2;
use bevy_syncvar::syncvar::{NetworkBehaviour, SyncVar};
use bevy_syncvar::{NetEntities, ShadowOf, syncvar};

/// Shadow of a position. A step of more than 5 m is a teleport.
#[derive(NetworkBehaviour, Clone, Default)]
#[network_behaviour(crate = syncvar, channel = unreliable)]
pub struct PositionShadow {
    #[sync_var(interpolate = linear, snap = 5.0)]
    at: SyncVar<Vector2>,
}

/// Shadow of a velocity.
#[derive(NetworkBehaviour, Clone, Default)]
#[network_behaviour(crate = syncvar, channel = unreliable)]
pub struct LinearVelocityShadow {
    #[sync_var]
    speed: SyncVar<Vector2>,
}

/// Implements the shadow of a component that wraps a vector.
macro_rules! shadow_of_vector {
    ($component:ident, $shadow:ident, $field:ident) => {
        impl ShadowOf<$component> for $shadow {
            type Before = $component;

            fn write(&mut self, component: &mut $component, _: u64, _: &NetEntities) {
                let (x, y) = (component.x, component.y);
                self.$field.set(Vector2 { x, y });
            }

            fn create(&mut self, _: &NetEntities) -> $component {
                let Vector2 { x, y } = *self.$field;
                $component([x, y].into())
            }

            fn read(
                &mut self,
                component: &mut $component,
                fields: u64,
                entities: &NetEntities,
            ) -> Option<$component> {
                let new = self.create(entities);
                let differs = fields != 0 && new != *component;
                differs.then(|| mem::replace(component, new))
            }
        }
    };
}

shadow_of_vector!(Position, PositionShadow, at);
shadow_of_vector!(LinearVelocity, LinearVelocityShadow, speed);
