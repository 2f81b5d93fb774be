//! Remote calls.

use syncvar_runtime::NetId;

use super::part::messages;

/// A call of a client to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandMessage<'a> {
    /// The called object.
    pub net_id: NetId,
    /// The position of the component.
    pub component_index: u8,
    /// The method: [`hash16`](crate::hash16) of its full name.
    pub function_hash: u16,
    /// The arguments in sequence.
    pub payload: Option<&'a [u8]>,
}

/// A call of the server to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RpcMessage<'a> {
    /// The called object.
    pub net_id: NetId,
    /// The position of the component.
    pub component_index: u8,
    /// The method: [`hash16`](crate::hash16) of its full name.
    pub function_hash: u16,
    /// The arguments in sequence.
    pub payload: Option<&'a [u8]>,
}

messages! {
    'a;
    CommandMessage<'a> = "Mirror.CommandMessage" { net_id, component_index, function_hash, payload }
    RpcMessage<'a> = "Mirror.RpcMessage" { net_id, component_index, function_hash, payload }
}
