//! Remote calls to clients, and calls that the server runs.

use syncvar_runtime::limits::ReadBudget;
use syncvar_runtime::unstable::call::{
    CallPlace, CallRequest, CallRouter, Class, Failure, RoutedCall,
};
use syncvar_runtime::unstable::world::CheckOut;
use syncvar_runtime::{
    CallError, ConnectionId, Encoding, NetId, NetworkCalls, NetworkReader, RpcSender,
};

use crate::server::{MirrorServer, MirrorServerEvent, UpperRooms};

impl MirrorServer {
    /// Calls clients: the result has a method for every `#[client_rpc]` and `#[target_rpc]` of `B`,
    /// on the first behaviour of the object that is or derives from `B`.
    ///
    /// A call is queued at once for the observers of the object, before unsent field changes. Later
    /// observers do not receive past calls. Mirror lacks events: raising an event is
    /// [`CallError::NoSuchBehaviour`].
    pub fn calls<B: NetworkCalls>(&mut self, id: NetId) -> B::Rpcs<'_> {
        B::rpcs(RpcSender::through(self, id, Class::of::<B>(None)))
    }

    /// Like [`calls`](Self::calls) for the behaviour at a position, for objects with two behaviours
    /// of a type.
    pub fn calls_at<B: NetworkCalls>(&mut self, id: NetId, index: usize) -> B::Rpcs<'_> {
        B::rpcs(RpcSender::through(self, id, Class::of::<B>(Some(index))))
    }

    /// Runs the calls of the server on itself.
    pub(crate) fn run_local_calls(&mut self) {
        if self.objects.world.checked_out.depth() > 0
            || std::mem::replace(&mut self.calls.is_running, true)
        {
            return;
        }
        for _ in 0..self.calls.local.len() {
            let Some(local) = self.calls.local.pop_front() else {
                break;
            };
            let mut arguments = NetworkReader::with_encoding(&local.arguments, Encoding::Mirror)
                .with_budget(ReadBudget::UNLIMITED);
            let ran = self.run_reported_call(local.object, &local.place, None, &mut arguments);
            if let Some(Err(Failure::Malformed(error))) = ran {
                let object = local.object;
                tracing::error!(%object, %error, "an argument reads differently than written");
            }
        }
        self.calls.is_running = false;
    }

    /// Runs a call on an object. `None` if the object is unknown or checked out.
    pub(crate) fn run_reported_call(
        &mut self,
        object: NetId,
        place: &CallPlace,
        sender: Option<ConnectionId>,
        arguments: &mut NetworkReader<'_>,
    ) -> Option<Result<(), Failure>> {
        let ran = CheckOut::run_call(self, object, place, sender, arguments);
        if let Some(Err(Failure::Panicked(message))) = &ran {
            tracing::error!(%object, call = place.schema.name, message, "a call panicked");
            self.context.events.push(MirrorServerEvent::CallFailed {
                connection: sender,
                object,
                behaviour: place.name,
                call: place.schema.name,
                message: message.clone(),
            });
        }
        ran
    }
}

impl CallRouter for MirrorServer {
    fn begin_call(&mut self, request: CallRequest) -> Result<RoutedCall, CallError> {
        let UpperRooms { calls, rooms, .. } = self.parts();
        calls.begin(&rooms, request)
    }

    fn send_call(&mut self, call: RoutedCall) -> Result<(), CallError> {
        let UpperRooms {
            calls, mut rooms, ..
        } = self.parts();
        if calls.send(&mut rooms, call)? {
            self.run_local_calls();
        }
        Ok(())
    }
}
