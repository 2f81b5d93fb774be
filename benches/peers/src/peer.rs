//! What a library must offer to be measured.

use std::time::Duration;

use crate::support::random::Random;
use crate::support::workload::{Server, Values};

/// A server and a real client.
///
/// [`Server::tick`] is the server's path: everything that the library does from "changes done" to
/// "the bytes of every client lie where a transport would take them".
pub(crate) trait Pair: Server {
    /// Takes what the last tick sent from the server, and keeps what is for the real client.
    fn collect(&mut self) -> Sent;

    /// The client's path: what was collected goes into the real client's world.
    fn apply(&mut self);

    /// Brings the acknowledgements of all clients to the server, where there are any.
    fn acknowledge(&mut self) {}
}

/// A server, a real client, and any number of clients that only acknowledge; they all see
/// everything.
pub(crate) trait Peer: Pair + Sized {
    const NAME: &str;

    /// A server with objects of random values; all clients have them, and have said so.
    fn new(objects: u32, clients: usize, random: &mut Random) -> Self;

    /// Each object as it is on the server, and on the real client.
    fn replicas(&mut self) -> Vec<(Values, Option<Values>)>;

    /// One more client joins and gets everything. It is the real one from now on.
    fn join(&mut self) -> Join;

    /// The client that has joined last leaves again.
    fn leave(&mut self) {}
}

/// What one client was sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sent {
    pub(crate) bytes: usize,
    pub(crate) packets: usize,
}

impl Sent {
    pub(crate) fn add(&mut self, packet: &[u8]) {
        self.bytes += packet.len();
        self.packets += 1;
    }

    /// What packets come to.
    pub(crate) fn all<'a>(packets: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut sent = Self::default();
        packets.into_iter().for_each(|packet| sent.add(packet));
        sent
    }
}

/// What it took to bring everything to one more client.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Join {
    pub(crate) sent: Sent,
    /// On the server, from "connected" to "everything is at hand".
    pub(crate) send: Duration,
    /// On the client, from "bytes at hand" to "the world is complete".
    pub(crate) apply: Duration,
}
