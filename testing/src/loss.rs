//! Random schedules for state over links that lose packets, and the properties that every schedule keeps.
//!
//! A [`LossSystem`] is a server with its clients. [`check`] drives it by operations: writes, shows,
//! owners, updates, and each packet delivered, lost, repeated or overtaken. Every write has a higher
//! value than all writes before it, so that an older value is known by being smaller.
//!
//! | property | content |
//! |---|---|
//! | P0 | no replica has a value of an earlier object of the same number |
//! | P1 | in the end each client has what the server shows it, and no more, and all is silent |
//! | P2 | no value replaces a newer value |
//! | P3 | nothing is repaired that the client is known to have or that is under way: the system checks itself |
//! | P4 | memory has limits |
//! | P5 | without loss nothing is sent twice or withheld |
//! | P6 | a complete tick has all changes up to it (of the reference model: its own), and no value is seen before its tick |
//! | P7 | no call runs twice |

mod play;
mod schedule;

use std::collections::BTreeMap;

pub use play::{Failure, check};
pub use schedule::{Op, Setup};

/// Fields of an object.
pub const FIELDS: usize = 5;

/// Field that only the owner reads. Fields 0 and 1 are read by all observers.
pub const SECRET: usize = 2;

/// Field that the owner writes.
pub const OWNED: usize = 3;

/// Field of a reliable behaviour.
pub const ORDERED: usize = 4;

/// Carrier of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// Packets arrive once and in order.
    Stream,
    /// Packets may be lost, repeated and overtaken.
    Datagram,
}

/// Values of an object on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectState {
    /// Value of the object's spawn, which is unique among the objects.
    pub class: u32,
    /// Whether the client owns the object.
    pub is_owned: bool,
    /// Values of the fields that the client may read.
    pub values: [Option<u32>; FIELDS],
}

/// Objects of an end by number.
pub type States = BTreeMap<u32, ObjectState>;

/// Report of a client to its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossEvent {
    /// Number of a tick, and whether all its changes arrived.
    Tick(u32, bool),
    /// Value of a call that has run.
    Call(u32),
}

/// Entries sent to one client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Entries of frames for an audience of which the client is a member.
    pub framed: u64,
    /// Values that were sent.
    pub sent: u64,
    /// Entries of repairs.
    pub repaired: u64,
    /// Objects that were visited because the client was attached anew.
    pub visited: u64,
    /// Times that the client was detached behind its join.
    pub detached: u64,
}

/// A server and its clients. Numbers of clients count from 0.
pub trait LossSystem {
    /// A packet between two ends.
    type Packet: Clone;

    /// Whether a complete tick has every change up to it; otherwise its own.
    const IS_CUMULATIVE: bool;

    /// Changes the world on the server, or the fields of an owner on its client. Impossible changes are
    /// passed over. `value` is higher than in all changes before.
    fn change(&mut self, change: Op, value: u32);

    /// Updates the server in a tick, perhaps that of the last update. Returns packets with their clients.
    fn update_server(&mut self, tick: u32) -> Vec<(usize, Carrier, Self::Packet)>;

    /// Updates a client during a tick of the server.
    fn update_client(&mut self, client: usize, tick: u32) -> Vec<(Carrier, Self::Packet)>;

    /// Hands a packet of a client to the server.
    fn receive_on_server(&mut self, client: usize, carrier: Carrier, packet: Self::Packet);

    /// Hands a packet to a client. Returns answers that cannot wait for an update.
    fn receive_on_client(
        &mut self,
        client: usize,
        carrier: Carrier,
        packet: Self::Packet,
    ) -> Vec<(Carrier, Self::Packet)>;

    /// Returns the state that a client must reach.
    fn server_state(&self, client: usize) -> States;

    /// Returns the state that a client has.
    fn client_state(&self, client: usize) -> States;

    /// Returns the values of the objects as frames or snapshots have written them last.
    fn framed(&self) -> States;

    /// Returns the reports of a client since the last call.
    fn take_events(&mut self, client: usize) -> Vec<LossEvent>;

    /// Returns the lists kept for a client and on it: name, length and limit.
    fn usage(&self, client: usize) -> Vec<(&'static str, usize, usize)>;

    /// Returns whether a client is attached and owed nothing.
    fn is_settled(&self, client: usize) -> bool;

    /// Returns the entries sent to a client so far.
    fn traffic(&self, client: usize) -> Traffic;

    /// Returns a violation that the system itself has found, like one of P3.
    fn take_violation(&mut self) -> Option<String>;
}
