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

    /// Returns the server of a `#[command]`, which runs on servers only.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Bow {
    ///     #[sync_var]
    ///     arrows: SyncVar<u32>,
    /// }
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Arrow {
    ///     #[sync_var]
    ///     speed: SyncVar<f32>,
    /// }
    ///
    /// #[network_calls]
    /// impl Bow {
    ///     #[command]
    ///     fn shoot(&mut self, ctx: &mut CallContext<'_>) {
    ///         self.arrows -= 1;
    ///         ctx.expect_server().spawn(Arrow { speed: 12.0.into() });
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// On a client and on a server of another protocol. The panic of a call is contained and reported,
    /// like every panic of a call.
    fn expect_server(&mut self) -> &mut NetworkServer {
        let server = self.server();
        server.expect("`expect_server` needs a `NetworkServer`; `server()` returns an `Option`")
    }

    /// Returns the client, if it is a [`NetworkClient`]. [`NetworkContext::side`] returns clients of other
    /// protocols.
    fn client(&mut self) -> Option<&mut NetworkClient>;

    /// Returns the client of a `#[client_rpc]` or `#[target_rpc]`.
    ///
    /// # Panics
    ///
    /// On a server, also in host mode, and on a client of another protocol. The panic of a call is
    /// contained and reported.
    fn expect_client(&mut self) -> &mut NetworkClient {
        let client = self.client();
        client.expect("`expect_client` needs a `NetworkClient`; `client()` returns an `Option`")
    }
}

impl NetworkContextExt for NetworkContext<'_> {
    fn server(&mut self) -> Option<&mut NetworkServer> {
        self.side()
    }

    fn client(&mut self) -> Option<&mut NetworkClient> {
        self.side()
    }
}
