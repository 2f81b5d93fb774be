//! Messages of UNet that a server and client of this library neither send nor take.

mod operations;
mod sync_list;

pub use operations::UnetOperations;
pub use sync_list::{ListError, ListHash, ListOperation, SyncListMessage};
