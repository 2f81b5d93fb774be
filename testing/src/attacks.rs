//! Attacks: legal but malicious packets, with the ends that receive them.
//!
//! Tests measure their memory, `benches/abuse` their time.

mod bytes;
mod client;
#[cfg(feature = "mirror")]
mod deltas;
#[cfg(feature = "mirror")]
mod mirror;
mod objects;
mod programs;
mod server;

pub use bytes::Payload;
pub use client::Client;
#[cfg(feature = "mirror")]
pub use deltas::{Delta, DeltaProgram, End, delta_programs};
#[cfg(feature = "mirror")]
pub use mirror::{MirrorClientVictim, MirrorServerVictim};
#[cfg(feature = "mirror")]
pub use objects::mirror_trove_prefabs;
pub use objects::{
    Bag, Blank, Cache, Heavy, Hollow, MirrorTrove, Trove, Watched, Wide, trove_prefabs,
};
pub use programs::{Fill, Operation, Place, Program, Step, programs};
pub use server::Server;

/// End that receives the packets of an attacker.
pub trait Victim {
    /// Handles a packet. Returns whether it was valid.
    fn handle(&mut self, packet: &[u8]) -> bool;

    /// Runs an update, and drops the events and the packets. Returns the sent bytes.
    fn update(&mut self) -> usize;
}

/// Packets for one end.
pub struct Attack {
    /// End of the attack.
    pub victim: Box<dyn Victim>,
    /// Packets of an update.
    pub packets: Vec<Vec<u8>>,
    /// Number of updates; each update receives all packets.
    pub updates: usize,
}

impl Attack {
    /// Returns an attack that lasts one update.
    pub fn new(victim: impl Victim + 'static, packets: Vec<Vec<u8>>) -> Self {
        Self {
            victim: Box::new(victim),
            packets,
            updates: 1,
        }
    }

    /// Repeats the attack for a number of updates.
    #[must_use]
    pub fn repeated(mut self, updates: usize) -> Self {
        self.updates = updates;
        self
    }

    /// Returns the number of bytes of an update.
    #[must_use]
    pub fn len(&self) -> usize {
        self.packets.iter().map(Vec::len).sum()
    }

    /// Returns whether the attack is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Runs the attack. Returns the bytes that the end has sent.
    pub fn run(&mut self) -> usize {
        let mut sent = 0;
        for _ in 0..self.updates {
            for packet in &self.packets {
                // A refusal is a valid defence.
                let _ = self.victim.handle(packet);
            }
            sent += self.victim.update();
        }
        sent
    }
}

/// Name and preparation of an attack.
pub type Named = (&'static str, fn() -> Attack);

/// Returns the attacks on all ends.
#[must_use]
pub fn attacks() -> Vec<Named> {
    #[cfg(feature = "mirror")]
    let mirror = mirror::attacks();
    #[cfg(not(feature = "mirror"))]
    let mirror = Vec::new();
    [server::attacks(), client::attacks(), mirror].concat()
}
