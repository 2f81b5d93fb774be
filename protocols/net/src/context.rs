//! `NetworkContextExt`: the server or client around a behaviour that is being called.

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
    /// Returns the server, where this is a [`NetworkServer`]: other objects, spawning, calls, and so on.
    /// One of another protocol is returned by [`NetworkContext::side`].
    fn server(&mut self) -> Option<&mut NetworkServer>;

    /// Returns the client, where this is a [`NetworkClient`]. One of another protocol is returned by
    /// [`NetworkContext::side`].
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
