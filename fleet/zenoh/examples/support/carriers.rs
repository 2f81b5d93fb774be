//! Carriers of the nodes of the examples.

use std::time::Duration;

use syncvar_fleet::link::LinkCarrier;
use syncvar_fleet::sockets::FleetSockets;
use syncvar_fleet::{Carrier, NodeId, Role};
use syncvar_zenoh::{ZenohCarrier, ZenohConfig};

use crate::process::Fallible;

/// A carrier with its sockets.
pub(crate) trait Links: Sized {
    type Carrier: Carrier;

    /// Opens the carrier of a node that listens at an address, or dials others, or both.
    fn open(
        id: NodeId,
        role: Role,
        listen: Option<&str>,
        dial: &[&str],
    ) -> Fallible<(Self, Self::Carrier)>;

    fn receive(&mut self, carrier: &mut Self::Carrier, now: Duration);

    fn transmit(&mut self, carrier: &mut Self::Carrier, now: Duration);
}

pub(crate) struct OnZenoh;

impl Links for OnZenoh {
    type Carrier = ZenohCarrier;

    fn open(
        id: NodeId,
        role: Role,
        listen: Option<&str>,
        dial: &[&str],
    ) -> Fallible<(Self, ZenohCarrier)> {
        let mut config = ZenohConfig::new("example", role);
        let endpoint = |address: &str| format!("tcp/{address}");
        config.listen.extend(listen.map(endpoint));
        config.connect.extend(dial.iter().copied().map(endpoint));
        Ok((Self, ZenohCarrier::open(id, &config)?))
    }

    fn receive(&mut self, _: &mut ZenohCarrier, _: Duration) {}

    fn transmit(&mut self, _: &mut ZenohCarrier, _: Duration) {}
}

pub(crate) struct OnLinks(FleetSockets);

impl Links for OnLinks {
    type Carrier = LinkCarrier;

    fn open(
        id: NodeId,
        role: Role,
        listen: Option<&str>,
        dial: &[&str],
    ) -> Fallible<(Self, LinkCarrier)> {
        let mut carrier = LinkCarrier::new(id, role, "");
        let mut sockets = FleetSockets::new();
        if let Some(address) = listen {
            sockets.listen_tcp(address)?;
        }
        for address in dial {
            sockets.dial_tcp(&mut carrier, address)?;
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
