//! `CallContext`: the context of a remote call.

use std::ops::{Deref, DerefMut};

use super::NetworkContext;
use crate::ConnectionId;

/// Context of a remote call: a [`NetworkContext`] and the sender.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
/// }
///
/// #[network_calls]
/// impl Door {
///     #[command(requires_ownership = false)]
///     fn knock(&mut self, ctx: &mut CallContext<'_>) {
///         assert!(ctx.is_server());
///         println!("{:?} knocks at {}", ctx.sender(), ctx.net_id());
///         self.open.set(true);
///     }
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let door = net.server.spawn(Door::default());
/// net.settle();
/// net.client_mut(0).calls::<Door>(door).knock().unwrap();
/// net.settle();
/// assert_eq!(net.client(0).get::<Door>(door).unwrap().open, true);
/// ```
#[derive(Debug)]
pub struct CallContext<'a> {
    context: NetworkContext<'a>,
    sender: Option<ConnectionId>,
}

impl<'a> CallContext<'a> {
    /// Creates the context of a call; `sender` is the connection that sent a command.
    pub fn new(context: NetworkContext<'a>, sender: Option<ConnectionId>) -> Self {
        Self { context, sender }
    }

    /// Returns the sender of a command: the connection of the packet, or of the local client. It is the
    /// [owner](NetworkContext::owner) if the command requires ownership, otherwise any observer. `None`
    /// for calls by the server, on clients and on a host.
    pub fn sender(&self) -> Option<ConnectionId> {
        self.sender
    }
}

impl<'a> Deref for CallContext<'a> {
    type Target = NetworkContext<'a>;

    fn deref(&self) -> &NetworkContext<'a> {
        &self.context
    }
}

impl DerefMut for CallContext<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.context
    }
}
