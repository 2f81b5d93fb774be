//! Those who listen to an audience in one dialect.

use bytes::Bytes;

use crate::ConnectionId;
use crate::Framing;
use crate::packet::Segments;

/// Members of an audience who are ready and speak the same dialect.
#[derive(Debug, Default)]
pub(super) struct Listeners {
    /// Who they are, ascending.
    pub(super) ready: Vec<ConnectionId>,
    /// What is being written to all of them, a buffer for each channel; none before something is.
    channels: Vec<Segments>,
}

impl Listeners {
    pub(super) fn contain(&self, connection: ConnectionId) -> bool {
        self.ready.binary_search(&connection).is_ok()
    }

    /// Lists a connection, or takes it off the list. Returns whether that made a difference.
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

    /// The buffers of all channels; none if nobody listens.
    #[inline]
    pub(super) fn outputs(
        &mut self,
        framing: Framing,
        channel_count: usize,
        packet_size: usize,
    ) -> &mut [Segments] {
        if self.ready.is_empty() {
            return &mut [];
        }
        if self.channels.is_empty() {
            let make = |_| framing.segments(packet_size);
            self.channels = (0..channel_count).map(make).collect();
        }
        &mut self.channels
    }

    /// What has been written to a channel.
    pub(super) fn written(&self, channel: u8) -> &[u8] {
        let segments = self.channels.get(usize::from(channel));
        segments.map_or(&[], Segments::as_bytes)
    }

    /// Gives out what was written: channel, its pieces, and who gets them. `pieces` is an empty list
    /// to use, and empty again afterwards.
    pub(super) fn drain(
        &mut self,
        pieces: &mut Vec<Bytes>,
        deliver: &mut impl FnMut(u8, &[Bytes], &[ConnectionId]),
    ) {
        for (channel, segments) in (0_u8..).zip(&mut self.channels) {
            if segments.is_empty() {
                continue;
            }
            pieces.extend(segments.drain());
            deliver(channel, pieces, &self.ready);
            pieces.clear();
        }
    }

    /// Whether anything was ever written to them.
    #[cfg(test)]
    pub(super) fn has_buffers(&self) -> bool {
        !self.channels.is_empty()
    }
}
