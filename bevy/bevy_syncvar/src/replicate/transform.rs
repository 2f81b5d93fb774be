//! The shadow of Bevy's `Transform`.

use bevy_transform::components::Transform;
use syncvar::values::{Quaternion, Vector3};
use syncvar::{NetworkBehaviour, SyncValue, SyncVar};

use super::ShadowOf;
use crate::NetEntities;

/// Shadow of [`Transform`]: its three parts are fields, which are [interpolated](crate::Interpolated). A game with encodings or rules of its own writes a shadow like it.
///
/// ```
/// # use bevy_app::prelude::*;
/// use bevy_syncvar::TransformShadow;
/// use bevy_syncvar::prelude::*;
/// use bevy_transform::components::Transform;
///
/// # let mut app = App::new();
/// app.replicate_via::<Transform, TransformShadow>();
/// ```
#[derive(NetworkBehaviour, Clone, Default)]
#[network_behaviour(crate = syncvar)]
pub struct TransformShadow {
    #[sync_var(interpolate = linear)]
    translation: SyncVar<Vector3>,
    #[sync_var(interpolate = spherical)]
    rotation: SyncVar<Quaternion>,
    #[sync_var(interpolate = linear)]
    scale: SyncVar<Vector3>,
}

const TRANSLATION: u64 = 1 << 0;
const ROTATION: u64 = 1 << 1;
const SCALE: u64 = 1 << 2;

/// The parts of a transform on the wire.
fn parts(transform: &Transform) -> (Vector3, Quaternion, Vector3) {
    let Transform {
        translation: at,
        rotation: turn,
        scale,
    } = transform;
    (
        Vector3::new(at.x, at.y, at.z),
        Quaternion {
            x: turn.x,
            y: turn.y,
            z: turn.z,
            w: turn.w,
        },
        Vector3::new(scale.x, scale.y, scale.z),
    )
}

impl ShadowOf<Transform> for TransformShadow {
    /// The whole transform before.
    type Before = Transform;

    fn write(&mut self, component: &mut Transform, fields: u64, _: &NetEntities) {
        let (translation, rotation, scale) = parts(component);
        if fields & TRANSLATION != 0 {
            self.translation.set(translation);
        }
        if fields & ROTATION != 0 {
            self.rotation.set(rotation);
        }
        if fields & SCALE != 0 {
            self.scale.set(scale);
        }
    }

    fn create(&mut self, entities: &NetEntities) -> Transform {
        let mut transform = Transform::IDENTITY;
        self.read(&mut transform, u64::MAX, entities);
        transform
    }

    fn read(
        &mut self,
        component: &mut Transform,
        fields: u64,
        _: &NetEntities,
    ) -> Option<Transform> {
        let before = *component;
        let (translation, rotation, scale) = parts(component);
        let mut changed = false;
        if fields & TRANSLATION != 0 && !self.translation.same(&translation) {
            let Vector3 { x, y, z } = *self.translation;
            [
                component.translation.x,
                component.translation.y,
                component.translation.z,
            ] = [x, y, z];
            changed = true;
        }
        if fields & ROTATION != 0 && !self.rotation.same(&rotation) {
            let Quaternion { x, y, z, w } = *self.rotation;
            let turn = &mut component.rotation;
            [turn.x, turn.y, turn.z, turn.w] = [x, y, z, w];
            changed = true;
        }
        if fields & SCALE != 0 && !self.scale.same(&scale) {
            let Vector3 { x, y, z } = *self.scale;
            [component.scale.x, component.scale.y, component.scale.z] = [x, y, z];
            changed = true;
        }
        changed.then_some(before)
    }
}
