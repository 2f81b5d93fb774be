//! Bytes of a server for a client.

use std::sync::OnceLock;
use std::time::Duration;

use syncvar::{ConnectionId, Endpoint, NetId};

use crate::limits::bounded;
use crate::packet::Packet;
use crate::protocol::Protocol;
use crate::script::{Script, Step};
use crate::world::{Recording, TICK};

/// Most objects of a client, as its settings say.
const MAX_OBJECTS: usize = 64;

/// Datagrams around messages begin behind the recorded datagrams, in the same window.
const FIRST_SEQUENCE: u16 = 1_000;

/// Objects and their values.
type Replicas = Vec<(NetId, Vec<u8>)>;

struct Session<P: Protocol> {
    client: P::Client,
    packets: &'static [Packet],
    /// Number of the next legal packet.
    next: usize,
    /// Sequence of the last datagram around a message.
    sequence: u16,
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
        client.handle_connect(P::LIMITS);
        Self {
            client,
            packets: &Recording::of::<P>().down,
            next: 0,
            sequence: FIRST_SEQUENCE,
            now: Duration::ZERO,
        }
    }

    fn reconnect(&mut self) {
        self.client.handle_disconnect(ConnectionId::SERVER);
        self.client.handle_connect(P::LIMITS);
        self.next = 0;
    }

    /// Receives the opening of a session.
    fn play(&mut self) {
        for packet in &self.packets[..Recording::of::<P>().opening] {
            let taken = packet.arrive(&mut self.client, ConnectionId::SERVER);
            assert!(taken.is_ok(), "{}: {taken:?} of a legal packet", P::NAME);
        }
        self.update(TICK);
        self.poll();
    }

    fn take(&mut self, mut step: Step<'_>) {
        match step.op % 13 {
            0 => self.receive(&Packet::new(P::LIMITS, 0, step.bytes)),
            1 => self.receive(&Packet::new(P::LIMITS, 1, step.bytes)),
            2 | 3 => {
                let kind = step.byte();
                self.receive_message(kind >> 7, &P::message(kind & 0x7f, step.bytes));
            }
            4 | 5 => {
                for _ in 0..=step.byte() % 16 {
                    let mut packet = self.legal();
                    step.patch(&mut packet.bytes);
                    self.receive(&packet);
                }
            }
            6 => {
                let mut packet = self.legal();
                packet.bytes.truncate(usize::from(step.byte()));
                packet.bytes.extend_from_slice(step.bytes);
                self.receive(&packet);
            }
            12 => {
                let kind = step.byte();
                self.receive_message(0, &P::message(kind, &step.run()));
            }
            7 => self.next = usize::from(step.byte()),
            8 => P::write(&mut self.client, step),
            9 => self.reconnect(),
            10 => {
                let seconds = u64::from(step.byte());
                if seconds == 255 {
                    self.client.update(Duration::MAX);
                }
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

    fn receive(&mut self, packet: &Packet) {
        let client = &mut self.client;
        let _ = bounded(packet.bytes.len(), || {
            packet.arrive(client, ConnectionId::SERVER)
        });
    }

    /// Receives messages in a packet that has not arrived before.
    fn receive_message(&mut self, channel: u8, messages: &[u8]) {
        self.sequence = self.sequence.wrapping_add(1);
        self.receive(&P::packet(channel, self.sequence, messages));
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
