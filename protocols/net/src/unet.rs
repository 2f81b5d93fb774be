//! UNet's list messages, which the server and client of this library do not use.

mod operations;
mod sync_list;

pub use operations::UnetOperations;
pub use sync_list::{ListError, ListHash, ListOperation, SyncListMessage};
