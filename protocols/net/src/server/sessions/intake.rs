//! `ConnectionIntake`: packets of one connection.

use syncvar_runtime::Counter;
use syncvar_runtime::endpoint::Conduct;
use syncvar_runtime::unstable::call::Rates;

/// Packets of one connection, and their limits.
#[derive(Debug, Default)]
pub(crate) struct ConnectionIntake {
    /// Number of received packets on reliable channels.
    pub(crate) reliable: u64,
    /// Packets from the transport.
    pub(crate) packets: Counter,
    /// Messages, work and misbehaviour.
    pub(crate) conduct: Conduct,
    /// Rate limits of commands, players and messages of the program.
    pub(crate) rates: Rates,
}
