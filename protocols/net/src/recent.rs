//! `Recent`: the last packets of a session, for a link that has lost some of them.

use std::collections::VecDeque;

use bytes::Bytes;

/// Last packets on reliable channels, numbered from 1. Both ends count them: a client that returns
/// receives exactly the packets after its last one.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    /// Channels and lengths of the kept packets.
    packets: VecDeque<(u8, usize)>,
    /// Their bytes, one packet behind another: a server keeps each packet of a broadcast for each session, without an allocation.
    bytes: VecDeque<u8>,
    /// Number of all packets of the session.
    sent: u64,
    /// Packets of the next link that have numbers already, or none.
    again: VecDeque<(u8, Bytes)>,
}

impl Recent {
    /// Counts a packet without keeping it.
    pub(crate) fn count(&mut self) {
        self.sent += 1;
        self.packets.clear();
        self.bytes.clear();
    }

    /// Counts and keeps a packet of a header and chunks. The oldest packets beyond the limit of bytes go.
    pub(crate) fn keep(&mut self, channel: u8, header: &[u8], chunks: &[Bytes], limit: usize) {
        self.sent += 1;
        let length = header.len() + chunks.iter().map(Bytes::len).sum::<usize>();
        while self.bytes.len() + length > limit && !self.packets.is_empty() {
            self.drop_oldest();
        }
        if length > limit {
            return;
        }
        let needed = self.bytes.len() + length;
        if needed > self.bytes.capacity() {
            // Twice the room, but not beyond the limit.
            let room = (2 * self.bytes.capacity()).clamp(needed, limit);
            self.bytes.reserve_exact(room - self.bytes.len());
        }
        self.bytes.extend(header);
        for chunk in chunks {
            self.bytes.extend(&chunk[..]);
        }
        self.packets.push_back((channel, length));
    }

    fn drop_oldest(&mut self) {
        if let Some((_, length)) = self.packets.pop_front() {
            self.bytes.drain(..length);
        }
    }

    /// Drops the kept packets: none of them will be sent again.
    pub(crate) fn clear(&mut self) {
        self.packets = VecDeque::new();
        self.again = VecDeque::new();
        self.bytes = VecDeque::new();
    }

    /// Returns the number of packets so far.
    pub(crate) fn sent(&self) -> u64 {
        self.sent
    }

    /// Returns the number of packets that are gone.
    pub(crate) fn gone(&self) -> u64 {
        self.sent - self.packets.len() as u64
    }

    /// Returns whether all packets after the first `received` ones are here.
    pub(crate) fn covers(&self, received: u64) -> bool {
        (self.gone()..=self.sent).contains(&received)
    }

    /// Prepares the next link: a packet without a number, then the packets after the first `received`
    /// ones.
    pub(crate) fn resume(&mut self, greeting: Option<Bytes>, received: u64) {
        let skipped = received.saturating_sub(self.gone());
        let skipped = usize::try_from(skipped).unwrap_or(usize::MAX);
        for _ in 0..skipped.min(self.packets.len()) {
            self.drop_oldest();
        }
        self.again.clear();
        self.again.extend(greeting.map(|packet| (0, packet)));
        let mut rest = &*self.bytes.make_contiguous();
        for (channel, length) in &self.packets {
            let (packet, others) = rest.split_at(*length);
            let packet = Bytes::copy_from_slice(packet);
            self.again.push_back((*channel, packet));
            rest = others;
        }
    }

    /// Prepares the next link without earlier packets. The numbers continue.
    pub(crate) fn restart(&mut self, greeting: Option<Bytes>) {
        self.resume(greeting, self.sent);
    }

    /// Returns whether packets of [`resume`](Self::resume) wait.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.again.is_empty()
    }

    /// Returns the next packet of [`resume`](Self::resume).
    pub(crate) fn pop_again(&mut self) -> Option<(u8, Bytes)> {
        self.again.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::Recent;

    #[test]
    fn next_link_begins_behind_the_last_received_packet() {
        let mut recent = Recent::default();
        recent.count();
        for byte in 2..=6 {
            recent.keep(0, &[byte; 3], &[Bytes::from(vec![byte; 7])], 35);
        }
        assert_eq!((recent.sent(), recent.gone()), (6, 3));
        assert!([3, 6].map(|count| recent.covers(count)) == [true; 2]);
        assert!([2, 7].map(|count| recent.covers(count)) == [false; 2]);
        recent.resume(Some(Bytes::from_static(&[1])), 4);
        let again = std::iter::from_fn(|| recent.pop_again());
        let packets: Vec<_> = again.map(|(_, packet)| packet).collect();
        assert_eq!(packets, [vec![1], vec![5; 10], vec![6; 10]]);
        assert!(recent.covers(4) && !recent.covers(3));
        recent.restart(None);
        assert!(!recent.is_waiting() && recent.covers(6) && !recent.covers(5));
    }

    #[test]
    fn kept_packets_take_no_room_beyond_the_limit() {
        let mut recent = Recent::default();
        for byte in 0..200 {
            recent.keep(0, &[byte; 30], &[], 1000);
            assert!(recent.bytes.capacity() <= 1000);
        }
        assert_eq!(recent.gone(), 200 - 33);
        recent.keep(0, &[0; 1001], &[], 1000);
        assert_eq!(recent.gone(), 201, "a packet beyond the limit leaves none");
    }
}
