//! The libraries, each behind the trait `Peer`.

mod floor;
mod lightyear;
mod replicon;
mod syncvar;

pub(crate) use floor::Floor;
pub(crate) use lightyear::Lightyear;
pub(crate) use replicon::Replicon;
pub(crate) use syncvar::Syncvar;
