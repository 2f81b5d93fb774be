//! Those who listen to an audience in one dialect.

use bytes::Bytes;

use super::ConnectionId;
use crate::segments::Segments;

/// Members of an audience who are ready and speak the same dialect.
#[derive(Debug, Default)]
pub(super) struct Listeners {
    /// Who they are, ascending.
    pub(super) ready: Vec<ConnectionId>,
    /// What is being written to all of them, a buffer for each channel; none before the first is
    /// asked for.
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

    /// The buffer of a channel. With the first, those of all channels are made.
    pub(super) fn segments(
        &mut self,
        channel: usize,
        channel_count: usize,
        packet_size: usize,
    ) -> Option<&mut Segments> {
        if self.channels.is_empty() {
            let channels = (0..channel_count).map(|_| Segments::new(packet_size));
            self.channels = channels.collect();
        }
        self.channels.get_mut(channel)
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
