//! Calls in the context of a callback.

use super::{NetworkCalls, assert_calls_known};
use crate::NetId;
use crate::behaviour::NetworkContext;
use crate::route::{CallError, CallRequest, CallRouter, Class, CommandSender, RoutedCall};

impl NetworkContext<'_> {
    /// Returns the commands of `B` on an object, as `NetworkClient::calls` does. On a host they are
    /// commands of its local client, which run after the callback on an object that is checked out.
    ///
    /// On a server without a local client every command fails: [`CallError::NotConnected`].
    pub fn calls<B: NetworkCalls>(&mut self, id: NetId) -> B::Commands<'_> {
        const { assert_calls_known::<B>() }
        B::commands(CommandSender::through(self, id, Class::of::<B>(None)))
    }
}

impl CallRouter for NetworkContext<'_> {
    fn begin_call(&mut self, request: CallRequest) -> Result<RoutedCall, CallError> {
        let router = self.command_router();
        router.ok_or(CallError::NotConnected)?.begin_call(request)
    }

    fn send_call(&mut self, call: RoutedCall) -> Result<(), CallError> {
        let router = self.command_router();
        router.ok_or(CallError::NotConnected)?.send_call(call)
    }
}
