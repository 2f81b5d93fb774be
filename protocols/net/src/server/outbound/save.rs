//! `GatheredState`: the state of a server so far. `SaveInProgress`: a save in slices.

use std::sync::Weak;

use syncvar_runtime::NetId;

use crate::save::SaveResult;

/// State of a server, with the objects so far.
#[derive(Debug)]
pub(crate) struct GatheredState {
    /// Last gathered object.
    pub(crate) gathered: NetId,
    /// Last object at the begin. A later object comes with the changes.
    pub(crate) last: NetId,
    /// Room for the head of the keyframe, and items.
    pub(crate) bytes: Vec<u8>,
    /// Entries of facts.
    pub(crate) facts: Vec<u8>,
}

/// A save whose program waits for the last slice.
#[derive(Debug)]
pub(crate) struct SaveInProgress {
    pub(crate) state: GatheredState,
    /// Most objects of a slice.
    pub(crate) slice: usize,
    /// Bytes of the changes.
    pub(crate) changes: usize,
    pub(crate) result: Weak<SaveResult>,
}
