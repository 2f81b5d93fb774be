//! The libraries, each behind the trait `Peer`.

mod floor;
mod lightyear;
pub(crate) mod replicon;
mod syncvar;

pub(crate) use floor::Floor;
pub(crate) use lightyear::Lightyear;
pub(crate) use replicon::Replicon;
pub(crate) use syncvar::{SyncvarCompact, SyncvarUnet};
