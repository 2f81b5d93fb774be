//! `NetworkContextExt`: the server or client around a running callback.

use syncvar_runtime::NetworkContext;

use crate::{NetworkClient, NetworkServer};

/// Access to a [`NetworkServer`] or [`NetworkClient`] from a callback or call.
///
/// ```
/// use syncvar::prelude::*;
///
/// fn objects(ctx: &mut NetworkContext<'_>) -> usize {
///     ctx.server().map_or(0, |server| server.object_count())
/// }
/// ```
pub trait NetworkContextExt {
    /// Returns the server, if it is a [`NetworkServer`]. [`NetworkContext::side`] returns servers of other
    /// protocols.
    fn server(&mut self) -> Option<&mut NetworkServer>;

    /// Returns the client, if it is a [`NetworkClient`]. [`NetworkContext::side`] returns clients of other
    /// protocols.
    fn client(&mut self) -> Option<&mut NetworkClient>;
}

impl NetworkContextExt for NetworkContext<'_> {
    fn server(&mut self) -> Option<&mut NetworkServer> {
        self.side()
    }

    fn client(&mut self) -> Option<&mut NetworkClient> {
        self.side()
    }
}
