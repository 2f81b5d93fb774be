//! Process of the relay: spectators of all zones.

use std::time::{Duration, Instant};

use syncvar::transport::{Host, TransportOptions};
use syncvar::websocket::WebPort;
use syncvar_fleet::link::LinkCarrier;
use syncvar_fleet::sockets::FleetSockets;
use syncvar_fleet::{NodeId, Relay, RelayConfig, Role};

use crate::Fallible;
use crate::world::start_number;

/// Runs a relay of a source, with an address for spectators, whose page comes from an origin.
pub(crate) fn run(spectators: &str, source: &str, origin: &str) -> Fallible<()> {
    let mut carrier = LinkCarrier::new(NodeId(start_number()), Role::Relay, spectators);
    let mut links = FleetSockets::new();
    links.dial_tcp(&mut carrier, source)?;
    let mut host = Host::new(TransportOptions::default());
    host.listen(spectators, WebPort::new().origin(origin))?;
    let mut relay = Relay::new(carrier, RelayConfig::default());
    let started = Instant::now();
    loop {
        let now = started.elapsed();
        links.receive(relay.carrier_mut(), now);
        host.receive(&mut relay, now);
        relay.update(now);
        host.transmit(&mut relay, now);
        links.transmit(relay.carrier_mut(), now);
        std::thread::sleep(Duration::from_millis(2));
    }
}
