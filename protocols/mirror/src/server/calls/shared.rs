//! Calls of a frame, written once for all observers of their objects.

use bytes::BytesMut;
use syncvar_runtime::{Channel, NetId};

use crate::server::audiences::AudienceId;
use crate::server::batches::frame::{AudienceFrame, put_message};
use crate::server::rooms::Rooms;

/// Calls with the same observers and channel, in their order.
#[derive(Debug, Default)]
pub(super) struct SharedCalls {
    /// A frame makes its calls.
    pub(super) is_open: bool,
    /// Observers and channel of the calls.
    receivers: Option<(AudienceId, Channel)>,
    /// Longest message that all of the observers can receive.
    longest: usize,
    frame: AudienceFrame,
    /// Bytes of the calls, without their lengths.
    bytes: u64,
    /// Memory for a message.
    spare: BytesMut,
}

impl SharedCalls {
    /// Adds a call, given as its head and its arguments. Returns false outside of a frame's calls, and for a
    /// call that is too long.
    pub(super) fn add(
        &mut self,
        rooms: &mut Rooms<'_>,
        id: NetId,
        channel: Channel,
        parts: [&[u8]; 2],
    ) -> bool {
        let Some(object) = rooms.objects.get(id) else {
            return false;
        };
        let receivers = (object.view.audience, channel);
        if !self.is_open {
            return false;
        }
        if self.receivers != Some(receivers) {
            self.send(rooms);
            let members = rooms.observers.audiences.members(receivers.0).iter();
            let clients = members.filter_map(|member| rooms.sessions.get(*member));
            let longest = clients.map(|client| client.outbox.longest(channel)).min();
            self.receivers = Some(receivers);
            self.longest = longest.unwrap_or(usize::MAX);
        }
        let length: usize = parts.iter().map(|part| part.len()).sum();
        if length > self.longest {
            return false;
        }
        self.bytes += length as u64;
        self.spare.clear();
        put_message(&mut self.spare, &parts);
        self.frame.push([&self.spare, &[]]);
        true
    }

    /// Queues the calls so far for their observers.
    pub(super) fn send(&mut self, rooms: &mut Rooms<'_>) {
        let Some((audience, channel)) = self.receivers.take() else {
            return;
        };
        self.frame.freeze();
        let (time, counter) = (rooms.context.now(), &mut rooms.context.stats.calls);
        for member in rooms.observers.audiences.members(audience) {
            if let Some(client) = rooms.sessions.get_mut(*member) {
                client.outbox.send_frame(channel, time, &self.frame);
                counter.messages += self.frame.len() as u64;
                counter.bytes += self.bytes;
            }
        }
        self.frame.end();
        self.bytes = 0;
    }
}
