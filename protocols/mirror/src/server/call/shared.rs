//! Calls of a frame, written once for all observers of their objects.

use bytes::BytesMut;
use syncvar_runtime::{Channel, NetId};

use crate::server::MirrorServer;
use crate::server::observers::audience::AudienceId;
use crate::server::replication::frame::{Frame, put_message};

/// Calls with the same observers and channel, one after another.
#[derive(Debug, Default)]
pub(super) struct SharedCalls {
    /// A frame makes its calls.
    is_open: bool,
    /// Observers and channel of the calls.
    receivers: Option<(AudienceId, Channel)>,
    /// Longest message that all of the observers can receive.
    longest: usize,
    frame: Frame,
    /// Bytes of the calls, without their lengths.
    bytes: u64,
    /// Memory for a message.
    spare: BytesMut,
}

impl MirrorServer {
    /// Makes the calls of a frame. Those to the same observers are copied into their batches at once.
    pub(in crate::server) fn make_calls(&mut self, calls: impl FnOnce(&mut Self)) {
        self.calls.shared.is_open = true;
        calls(self);
        self.calls.shared.is_open = false;
        self.send_shared_calls();
    }

    /// Adds a call whose head is written. Returns false outside of a frame's calls, and for a call that is too long.
    pub(super) fn share_call(&mut self, object: NetId, channel: Channel, arguments: &[u8]) -> bool {
        let Some(object) = self.world.objects.get(object.0) else {
            return false;
        };
        let receivers = (object.audience, channel);
        if !self.calls.shared.is_open {
            return false;
        }
        if self.calls.shared.receivers != Some(receivers) {
            self.send_shared_calls();
            let members = self.observers.audiences.members(receivers.0).iter();
            let clients = members.filter_map(|member| self.sessions.get(*member));
            let longest = clients.map(|client| client.outbox.longest(channel)).min();
            let shared = &mut self.calls.shared;
            shared.receivers = Some(receivers);
            shared.longest = longest.unwrap_or(usize::MAX);
        }
        let (shared, head) = (&mut self.calls.shared, &self.replication.scratch.head);
        let length = head.len() + arguments.len();
        if length > shared.longest {
            return false;
        }
        shared.bytes += length as u64;
        shared.spare.clear();
        put_message(&mut shared.spare, &[head.as_bytes(), arguments]);
        shared.frame.push([&shared.spare, &[]]);
        true
    }

    /// Queues the calls so far for their observers.
    pub(super) fn send_shared_calls(&mut self) {
        let shared = &mut self.calls.shared;
        let Some((audience, channel)) = shared.receivers.take() else {
            return;
        };
        shared.frame.freeze();
        let (time, counter) = (self.clock.now(), &mut self.stats.calls);
        for member in self.observers.audiences.members(audience) {
            if let Some(client) = self.sessions.get_mut(*member) {
                client.outbox.send_frame(channel, time, &shared.frame);
                counter.messages += shared.frame.len() as u64;
                counter.bytes += shared.bytes;
            }
        }
        shared.frame.end();
        shared.bytes = 0;
    }
}
