//! State of the server for saves and journals: every field of the objects, and the facts beside the fields.
//!
//! A save is a keyframe that a client can play, with two additions. The fields that an observer of everything would not
//! read follow the snapshot of their object as a delta. One item holds the facts that only a server needs: owners,
//! permits, groups, views, sessions, unused ids.
//!
//! ```text
//! keyframe   SpawnBatch │ 4 │ 7 │ 9 │   UpdateBatch │ 7 │ 9 │   facts │ server │ object 7 │ connection 2 │
//!            all snapshots              secret fields           the server alone
//! ```
//!
//! A loaded save goes the same way back: a [`NetworkClient`](crate::NetworkClient) plays the records, of this build or of a
//! different one, and its objects become those of the server.

pub(crate) mod apply;
pub(crate) mod facts;
pub(crate) mod gather;
pub(crate) mod gathered;
pub(crate) mod journal;
pub(crate) mod objects;
