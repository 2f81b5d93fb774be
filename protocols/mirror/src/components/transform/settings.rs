//! Settings of transforms, as in Unity's inspector.

/// Space of the values of a [`NetworkTransform`](super::NetworkTransform). Mirror, `CoordinateSpace`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoordinateSpace {
    /// Relative to the parent of the target.
    #[default]
    Local,
    /// Relative to the world; the scale is not synchronised.
    World,
}

/// Transform that a [`NetworkTransform`](super::NetworkTransform) moves. Mirror, `target`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TransformTarget {
    /// The object: new observers receive its place with the spawn, and the interest management uses it.
    #[default]
    Object,
    /// A child of the object.
    Child,
}

/// Settings of a [`NetworkTransform`](super::NetworkTransform), equal on both ends. Direction and interval
/// are those of the [`Component`](crate::Component).
///
/// ```
/// use syncvar::mirror::components::{NetworkTransformReliable, TransformSettings};
///
/// let settings = TransformSettings {
///     sync_scale: true,
///     compress_rotation: false,
///     ..TransformSettings::default()
/// };
/// let transform = NetworkTransformReliable::new(settings);
/// assert!(transform.settings().sync_position);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "as in Unity's inspector")]
pub struct TransformSettings {
    /// Transform that moves.
    pub target: TransformTarget,
    /// Space of the values.
    pub coordinate_space: CoordinateSpace,
    /// Sends the position; `true` by default.
    pub sync_position: bool,
    /// Sends the rotation; `true` by default.
    pub sync_rotation: bool,
    /// Sends the scale; `false` by default.
    pub sync_scale: bool,
    /// Sends only changes; `true` by default.
    pub only_sync_on_change: bool,
    /// Sends rotations in 32 bits; `true` by default.
    pub compress_rotation: bool,
    /// Moves between two received positions; `true` by default. Otherwise the position jumps.
    pub interpolate_position: bool,
    /// Turns between two received rotations; `true` by default.
    pub interpolate_rotation: bool,
    /// Scales between two received scales; `true` by default.
    pub interpolate_scale: bool,
    /// Shows states one send interval of the component later, so that the next one has arrived; `true` by
    /// default.
    pub timeline_offset: bool,
    /// Step of positions (reliable and hybrid); 0.01 by default.
    pub position_precision: f32,
    /// Step of rotation components that are not compressed (hybrid); 0.001 by default.
    pub rotation_precision: f32,
    /// Step of scales (reliable and hybrid); 0.01 by default.
    pub scale_precision: f32,
    /// Smallest change of a position that is sent (unreliable); 0.01 by default.
    pub position_sensitivity: f32,
    /// Smallest change of a rotation that is sent, in degrees; 0.01 by default.
    pub rotation_sensitivity: f32,
    /// Smallest change of a scale that is sent (unreliable); 0.01 by default.
    pub scale_sensitivity: f32,
    /// Rest after which a motion begins anew (reliable and hybrid), in intervals of the component; 2 by
    /// default.
    pub correction_multiplier: f32,
    /// Rest after which received states are dropped (unreliable), in intervals of the component; 3 by
    /// default.
    pub buffer_reset_multiplier: f32,
}

impl Default for TransformSettings {
    fn default() -> Self {
        Self {
            target: TransformTarget::default(),
            coordinate_space: CoordinateSpace::default(),
            sync_position: true,
            sync_rotation: true,
            sync_scale: false,
            only_sync_on_change: true,
            compress_rotation: true,
            interpolate_position: true,
            interpolate_rotation: true,
            interpolate_scale: true,
            timeline_offset: true,
            position_precision: 0.01,
            rotation_precision: 0.001,
            scale_precision: 0.01,
            position_sensitivity: 0.01,
            rotation_sensitivity: 0.01,
            scale_sensitivity: 0.01,
            correction_multiplier: 2.0,
            buffer_reset_multiplier: 3.0,
        }
    }
}
