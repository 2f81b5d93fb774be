//! Scenes of the server.

/// A scene that the server has loaded; the game chooses the number. Unity's `Scene`, of which a
/// server may load several instances.
///
/// ```
/// use syncvar::mirror::LoadedScene;
///
/// const FIRST_DUNGEON: LoadedScene = LoadedScene(1);
/// assert_ne!(FIRST_DUNGEON, LoadedScene::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoadedScene(pub u32);
