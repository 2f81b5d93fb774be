//! Bytes of a server for a client.

use std::sync::OnceLock;
use std::time::Duration;

use syncvar::{ConnectionId, Endpoint, NetId, PacketLimits};

use crate::limits::bounded;
use crate::protocol::Protocol;
use crate::script::{Script, Step};
use crate::world::{Packet, Recording, TICK};

/// Most objects of a client, as its settings say.
const MAX_OBJECTS: usize = 64;

/// Objects and their values.
type Replicas = Vec<(NetId, Vec<u8>)>;

struct Session<P: Protocol> {
    client: P::Client,
    packets: &'static [Packet],
    /// Number of the next legal packet.
    next: usize,
    now: Duration,
}

/// Runs an input.
///
/// # Panics
///
/// When the client exceeds a limit, or does not recover by a new connection.
pub fn run<P: Protocol>(bytes: &[u8]) {
    let mut session = Session::<P>::new();
    for step in Script::new(bytes) {
        session.take(step);
        session.poll();
        assert!(
            P::replicas(&session.client).len() <= MAX_OBJECTS,
            "{}: too many objects",
            P::NAME
        );
    }
    session.reconnect();
    session.play();
    let (recovered, expected) = (P::replicas(&session.client), expected::<P>());
    assert_eq!(&recovered, expected, "{}: after a new connection", P::NAME);
}

/// Returns the replicas of a client after the opening of a session.
fn expected<P: Protocol>() -> &'static Replicas {
    static EXPECTED: [OnceLock<Replicas>; 3] = [const { OnceLock::new() }; 3];
    EXPECTED[P::INDEX].get_or_init(|| {
        let mut session = Session::<P>::new();
        session.play();
        P::replicas(&session.client)
    })
}

impl<P: Protocol> Session<P> {
    fn new() -> Self {
        let mut client = P::client();
        client.handle_connect(PacketLimits::STREAM);
        Self {
            client,
            packets: &Recording::of::<P>().down,
            next: 0,
            now: Duration::ZERO,
        }
    }

    fn reconnect(&mut self) {
        self.client.handle_disconnect(ConnectionId::SERVER);
        self.client.handle_connect(PacketLimits::STREAM);
        self.next = 0;
    }

    /// Receives the opening of a session.
    fn play(&mut self) {
        for (channel, packet) in &self.packets[..Recording::of::<P>().opening] {
            let taken = self
                .client
                .handle_packet(ConnectionId::SERVER, *channel, packet);
            assert!(taken.is_ok(), "{}: {taken:?} of a legal packet", P::NAME);
        }
        self.update(TICK);
        self.poll();
    }

    fn take(&mut self, mut step: Step<'_>) {
        match step.op % 13 {
            0 => self.receive(0, step.bytes),
            1 => self.receive(1, step.bytes),
            2 | 3 => {
                let kind = step.byte();
                self.receive(kind >> 7, &P::message(kind & 0x7f, step.bytes));
            }
            4 | 5 => {
                for _ in 0..=step.byte() % 16 {
                    let (channel, mut packet) = self.legal();
                    step.patch(&mut packet);
                    self.receive(channel, &packet);
                }
            }
            6 => {
                let (channel, mut packet) = self.legal();
                packet.truncate(usize::from(step.byte()));
                packet.extend_from_slice(step.bytes);
                self.receive(channel, &packet);
            }
            12 => {
                let kind = step.byte();
                self.receive(0, &P::message(kind, &step.run()));
            }
            7 => self.next = usize::from(step.byte()),
            8 => P::write(&mut self.client, step),
            9 => self.reconnect(),
            10 => {
                let seconds = u64::from(step.byte());
                self.update(Duration::from_secs(seconds * seconds));
            }
            _ => self.update(TICK),
        }
    }

    /// Returns the next legal packet.
    fn legal(&mut self) -> Packet {
        let packet = self.packets[self.next % self.packets.len()].clone();
        self.next += 1;
        packet
    }

    fn receive(&mut self, channel: u8, packet: &[u8]) {
        let client = &mut self.client;
        let _ = bounded(packet.len(), || {
            client.handle_packet(ConnectionId::SERVER, channel, packet)
        });
    }

    fn update(&mut self, time: Duration) {
        self.now = self.now.saturating_add(time);
        self.client.update(self.now);
    }

    /// Drops all output.
    fn poll(&mut self) {
        while self.client.poll_transmit().is_some() {}
        while self.client.poll_event().is_some() {}
        while self.client.poll_close().is_some() {}
    }
}
