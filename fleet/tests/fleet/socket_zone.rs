//! `SocketZone`: a zone with links over TCP.

use std::net::SocketAddr;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar_fleet::link::LinkCarrier;
use syncvar_fleet::sockets::FleetSockets;
use syncvar_fleet::zone::{VoterId, Zone, ZoneId};
use syncvar_fleet::{NodeId, Role};

use crate::zone_world::{Timers, prefabs, regions, zone_config};

/// A zone with its sockets.
pub(crate) struct SocketZone {
    pub(crate) zone: Zone,
    carrier: LinkCarrier,
    sockets: FleetSockets,
    program: Timers,
}

impl SocketZone {
    /// Starts a zone of two, which dials the first one. Returns it with its address.
    pub(crate) fn new(
        number: u32,
        first: Option<SocketAddr>,
    ) -> Result<(Self, SocketAddr), Box<dyn std::error::Error>> {
        let mut config = zone_config(ZoneId(number), 2, number.into());
        config.voter = Some(VoterId(number));
        let zone = Zone::new(config, prefabs, regions(2))?;
        let mut carrier = LinkCarrier::new(NodeId(number.into()), Role::Zone, "").with_key("key");
        let mut sockets = FleetSockets::new();
        let address = sockets.listen_tcp("127.0.0.1:0")?;
        if let Some(first) = first {
            sockets.dial_tcp(&mut carrier, first)?;
        }
        let node = Self {
            zone,
            carrier,
            sockets,
            program: Timers::default(),
        };
        Ok((node, address))
    }

    /// Runs a tick; `play` is the game of the first zone.
    pub(crate) fn run(
        &mut self,
        now: Duration,
        play: impl FnOnce(&mut NetworkServer, &mut Timers),
    ) -> Result<(), Box<dyn std::error::Error>> {
        let Self {
            zone,
            carrier,
            sockets,
            program,
        } = self;
        sockets.receive(carrier, now);
        zone.receive(carrier, now, program);
        if zone.is_elected() {
            zone.begin_empty()?;
        }
        let is_first = zone.id() == ZoneId(1);
        if let Some(server) = zone.server_mut().filter(|_| is_first) {
            play(server, program);
        }
        zone.update(now, program);
        zone.transmit(carrier, now);
        sockets.transmit(carrier, now);
        Ok(())
    }
}
