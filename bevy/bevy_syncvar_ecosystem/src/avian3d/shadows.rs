//! Shadows of Avian's components.

use avian3d::prelude::{LinearVelocity, Position};
use bevy_syncvar::syncvar::values::Vector3;
use bevy_syncvar::syncvar::{NetworkBehaviour, SyncVar};
use bevy_syncvar::{NetEntities, ShadowOf, syncvar};

use crate::shadow::shadow_of_vector;

shadow_of_vector!(
    /// Shadow of a position. A step of more than 5 m is a teleport.
    PositionShadow of Position, Vector3 { x, y, z }, (interpolate = linear, snap = 5.0)
);
shadow_of_vector!(
    /// Shadow of a velocity.
    LinearVelocityShadow of LinearVelocity, Vector3 { x, y, z }
);
