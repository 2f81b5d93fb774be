//! Carriers of the nodes.

use std::time::Duration;

use syncvar_fleet::link::LinkCarrier;
use syncvar_fleet::sockets::FleetSockets;
use syncvar_fleet::{Carrier, NodeId, Role};
use syncvar_zenoh::{ZenohCarrier, ZenohConfig};

use crate::Fallible;

/// A carrier with its sockets.
pub(crate) trait Links: Sized {
    type Carrier: Carrier;

    /// Opens the carrier of an origin that listens, or of a relay that dials.
    fn open(id: NodeId, role: Role, address: &str) -> Fallible<(Self, Self::Carrier)>;

    fn receive(&mut self, carrier: &mut Self::Carrier, now: Duration);

    fn transmit(&mut self, carrier: &mut Self::Carrier, now: Duration);
}

pub(crate) struct OnZenoh;

impl Links for OnZenoh {
    type Carrier = ZenohCarrier;

    fn open(id: NodeId, role: Role, address: &str) -> Fallible<(Self, ZenohCarrier)> {
        let mut config = ZenohConfig::new("faults", role);
        let endpoints = match role {
            Role::Origin => &mut config.listen,
            _ => &mut config.connect,
        };
        endpoints.push(format!("tcp/{address}"));
        Ok((Self, ZenohCarrier::open(id, &config)?))
    }

    fn receive(&mut self, _: &mut ZenohCarrier, _: Duration) {}

    fn transmit(&mut self, _: &mut ZenohCarrier, _: Duration) {}
}

pub(crate) struct OnLinks(FleetSockets);

impl Links for OnLinks {
    type Carrier = LinkCarrier;

    fn open(id: NodeId, role: Role, address: &str) -> Fallible<(Self, LinkCarrier)> {
        let mut carrier = LinkCarrier::new(id, role, "");
        let mut sockets = FleetSockets::new();
        match role {
            Role::Origin => drop(sockets.listen_tcp(address)?),
            _ => sockets.dial_tcp(&mut carrier, address)?,
        }
        Ok((Self(sockets), carrier))
    }

    fn receive(&mut self, carrier: &mut LinkCarrier, now: Duration) {
        self.0.receive(carrier, now);
    }

    fn transmit(&mut self, carrier: &mut LinkCarrier, now: Duration) {
        self.0.transmit(carrier, now);
    }
}
