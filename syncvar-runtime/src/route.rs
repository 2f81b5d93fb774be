//! The way of a call from its sender to a server or client: address, request and errors.

mod error;
mod place;
mod router;
mod sender;

pub use error::{CallError, CallFailure, CommandRefusal, RefusedCommands};
pub use place::{CallPlace, Class};
pub use router::{CallDirection, CallRequest, CallRouter, RoutedCall};
pub use sender::{CommandSender, OutgoingCommand, OutgoingRpc, RpcSender};
