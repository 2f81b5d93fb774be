//! `MirrorPrefabs`: what objects can be spawned, and by which ids Unity knows them.
