//! Names that Mirror hashes: messages, remote calls, scenes, assets.
