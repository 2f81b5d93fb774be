//! Packets on their way from a server to a client.

use bytes::Bytes;
use syncvar::{NetworkClient, Transmit};

/// Packets as a transport would keep them: references to shared chunks, and the end of each packet.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    segments: Vec<Bytes>,
    packets: Vec<(u8, usize)>,
}

/// Packets as a transport delivers them: contiguous, with their channel.
pub(crate) type Packets = Vec<(u8, Bytes)>;

impl Outbox {
    pub(crate) fn push(&mut self, transmit: Transmit<'_>) {
        if !transmit.header.is_empty() {
            self.segments.push(Bytes::copy_from_slice(transmit.header));
        }
        self.segments.extend_from_slice(transmit.chunks);
        self.packets.push((transmit.channel, self.segments.len()));
    }

    /// Takes the packets in contiguous form, as after a network.
    pub(crate) fn take_packets(&mut self) -> Packets {
        let mut start = 0;
        let packets = self.packets.drain(..).map(|(channel, end)| {
            let segments = &self.segments[start..end];
            start = end;
            (channel, segments.concat().into())
        });
        let packets = packets.collect();
        self.segments.clear();
        packets
    }
}

/// Passes packets to a client and drains its events, as a game does.
pub(crate) fn receive(client: &mut NetworkClient, packets: &Packets) {
    for (channel, packet) in packets {
        let handled = client.handle_packet(*channel, packet);
        handled.expect("the server's packets make sense");
    }
    while client.poll_event().is_some() {}
}
