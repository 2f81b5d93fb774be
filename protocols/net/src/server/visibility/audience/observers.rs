//! Ready members of an audience in one framing.

use bytes::Bytes;
use syncvar_runtime::unstable::packet::Segments;
use syncvar_runtime::{Channel, ConnectionId};

use crate::Framing;

/// Ready members of an audience with the same framing.
#[derive(Debug, Default)]
pub(super) struct Observers {
    /// The members, ascending.
    pub(super) ready: Vec<ConnectionId>,
    /// Unsent bytes, a buffer for each channel. Empty before the first write.
    channels: Vec<Segments>,
}

impl Observers {
    pub(super) fn contain(&self, connection: ConnectionId) -> bool {
        self.ready.binary_search(&connection).is_ok()
    }

    /// Adds or removes a connection. Returns whether the list changed.
    pub(super) fn list(&mut self, connection: ConnectionId, listed: bool) -> bool {
        match (self.ready.binary_search(&connection), listed) {
            (Err(place), true) => self.ready.insert(place, connection),
            (Ok(place), false) => {
                self.ready.remove(place);
            }
            _ => return false,
        }
        true
    }

    /// Returns the buffers by channel; none without members.
    #[inline]
    pub(super) fn outputs(
        &mut self,
        framing: Framing,
        channels: &[Channel],
        packet_size: usize,
    ) -> &mut [Segments] {
        if self.ready.is_empty() {
            return &mut [];
        }
        if self.channels.is_empty() {
            let make = |kind: &Channel| framing.segments_of(*kind, packet_size);
            self.channels = channels.iter().map(make).collect();
        }
        &mut self.channels
    }

    /// Returns the unsent bytes of a channel.
    pub(super) fn written(&self, channel: u8) -> &[u8] {
        let segments = self.channels.get(usize::from(channel));
        segments.map_or(&[], Segments::as_bytes)
    }

    /// Hands out the unsent bytes: channel, chunks and receivers. `chunks` is a reused list, empty
    /// before and after.
    pub(super) fn drain(
        &mut self,
        chunks: &mut Vec<Bytes>,
        deliver: &mut impl FnMut(u8, &[Bytes], &[ConnectionId]),
    ) {
        for (channel, segments) in (0_u8..).zip(&mut self.channels) {
            if segments.is_empty() {
                continue;
            }
            chunks.extend(segments.drain());
            deliver(channel, chunks, &self.ready);
            chunks.clear();
        }
    }

    /// Returns whether bytes were ever written.
    #[cfg(test)]
    pub(super) fn has_buffers(&self) -> bool {
        !self.channels.is_empty()
    }
}
