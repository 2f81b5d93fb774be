//! Those who listen to an audience in one dialect.

use bytes::Bytes;

use super::ConnectionId;
use crate::Dialect;
use crate::segments::Segments;

/// The buffers that are being written to for an audience, for each dialect that is spoken in it.
#[derive(Debug)]
pub(crate) struct Outputs<'a> {
    /// The buffers of all channels in the one dialect that is spoken, or in one of the two.
    pub(in crate::server) first: &'a mut [Segments],
    /// Those in the other one.
    pub(in crate::server) second: &'a mut [Segments],
}

impl<'a> Outputs<'a> {
    pub(in crate::server) fn new(unet: &'a mut [Segments], compact: &'a mut [Segments]) -> Self {
        let (first, second) = if compact.is_empty() {
            (unet, compact)
        } else {
            (compact, unet)
        };
        Self { first, second }
    }

    /// The buffers of a channel, one for each dialect.
    pub(in crate::server) fn channel(
        &mut self,
        channel: usize,
    ) -> impl Iterator<Item = &mut Segments> {
        let first = self.first.get_mut(channel);
        first.into_iter().chain(self.second.get_mut(channel))
    }
}

/// Members of an audience who are ready and speak the same dialect.
#[derive(Debug, Default)]
pub(super) struct Observers {
    /// Who they are, ascending.
    pub(super) ready: Vec<ConnectionId>,
    /// What is being written to all of them, a buffer for each channel; none before something is.
    channels: Vec<Segments>,
}

impl Observers {
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
        dialect: Dialect,
        channel_count: usize,
        packet_size: usize,
    ) -> &mut [Segments] {
        if self.ready.is_empty() {
            return &mut [];
        }
        if self.channels.is_empty() {
            let make = |_| Segments::with_dialect(packet_size, dialect);
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

    /// Whether anything was ever written to them.
    #[cfg(test)]
    pub(super) fn has_buffers(&self) -> bool {
        !self.channels.is_empty()
    }
}
