//! State over datagrams: packets that may be lost, acknowledgements and repairs.

use std::time::Duration;

use syncvar_runtime::{ConnectionId, NetId};

use crate::link::ack::Ack;
use crate::link::receiver::Receiver;
use crate::link::sender::Sender;
use crate::link::settings::LossSettings;
use crate::server::NetworkServer;

/// Round trip of a connection before the first measurement.
const FIRST_ROUND_TRIP: Duration = Duration::from_millis(200);

/// Fields of an object that were written for one connection alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) struct OwnEntry {
    pub(in crate::server) net_id: NetId,
    pub(in crate::server) channel: u8,
    /// Position of the behaviour on the object.
    pub(in crate::server) behaviour: u8,
    /// Dirty bits of the fields.
    pub(in crate::server) fields: u64,
}

/// Datagrams of one connection, in both directions.
#[derive(Debug)]
pub(in crate::server) struct Datagrams {
    pub(in crate::server) receiver: Receiver,
    pub(in crate::server) sender: Sender<OwnEntry>,
}

impl Datagrams {
    pub(in crate::server) fn new(settings: LossSettings) -> Self {
        Self {
            receiver: Receiver::new(settings.ack_interval),
            sender: Sender::new(settings, FIRST_ROUND_TRIP),
        }
    }
}

impl NetworkServer {
    /// Returns the limits and times of lossy links.
    pub(in crate::server) fn loss_settings(&self) -> LossSettings {
        LossSettings::new(Duration::from_secs(1) / self.config.tick_rate.max(1))
    }

    /// Handles the acknowledgement in a packet of a connection.
    pub(in crate::server) fn handle_ack(&mut self, connection: ConnectionId, ack: &Ack) {
        let now = self.clock.now();
        let known = self.sessions.connections.get_mut(connection.0);
        if let Some(datagrams) = known.and_then(|known| known.datagrams.as_mut()) {
            datagrams.sender.on_ack(now, ack, &mut Vec::new());
        }
    }
}
