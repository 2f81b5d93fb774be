//! Shadows of Avian's components.

use avian2d::prelude::{LinearVelocity, Position};
use bevy_syncvar::syncvar::values::Vector2;
use bevy_syncvar::syncvar::{NetworkBehaviour, SyncVar};
use bevy_syncvar::{NetEntities, ShadowOf, syncvar};

use crate::shadow::shadow_of_vector;

shadow_of_vector!(
    /// Shadow of a position. A step of more than 5 m is a teleport.
    PositionShadow of Position, Vector2 { x, y }, (interpolate = linear, snap = 5.0)
);
shadow_of_vector!(
    /// Shadow of a velocity.
    LinearVelocityShadow of LinearVelocity, Vector2 { x, y }
);
