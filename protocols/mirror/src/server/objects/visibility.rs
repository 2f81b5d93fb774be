//! `Visibility`: a rule of the game above the interest management.

/// Visibility of an object, above the interest management. Mirror's `Visibility`.
///
/// ```
/// use syncvar::mirror::{MirrorSpawnOptions, Visibility};
///
/// let inventory = MirrorSpawnOptions {
///     visibility: Visibility::ForceHidden, // the owner sees it
///     ..MirrorSpawnOptions::default()
/// };
/// assert_ne!(inventory.visibility, Visibility::ForceShown);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// Visible by the interest management; to all connections without one.
    #[default]
    ByDefault,
    /// Visible to the owner only.
    ForceHidden,
    /// Visible to all.
    ForceShown,
}
