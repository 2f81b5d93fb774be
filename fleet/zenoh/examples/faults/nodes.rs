//! The world, and the processes: origin, relay, spectators.

use std::time::{Duration, Instant, UNIX_EPOCH};

use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar::transport::{Host, Peer, Reconnect, TransportOptions};
use syncvar::{NetworkTime, ServerConfig};
use syncvar_fleet::{NodeId, Origin, Relay, RelayConfig, Role};

use crate::carriers::Links;
use crate::process::Fallible;

const RATE: u32 = 30;
const GAUGES: u32 = 300;
/// Units that change in a tick.
const CHANGES: usize = 30;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Gauge {
    #[sync_var]
    value: SyncVar<u32>,
    /// Number of the origin's run.
    #[sync_var]
    run: SyncVar<u64>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Total {
    #[sync_var]
    sum: SyncVar<u64>,
    #[sync_var]
    run: SyncVar<u64>,
    /// Time of the tick, in milliseconds of the machine's clock.
    #[sync_var]
    at: SyncVar<u64>,
}

pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Gauge>("gauge")
        .register::<Total>("total")
}

fn clock() -> Fallible<u64> {
    Ok(u64::try_from(UNIX_EPOCH.elapsed()?.as_millis())?)
}

/// Runs an origin with 300 objects, of which a tenth changes in each tick.
pub(crate) fn origin<L: Links>(address: &str) -> Fallible<()> {
    let run = clock()?;
    let config = ServerConfig {
        tick_rate: RATE,
        incarnation: run,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs(), config);
    let gauges: Vec<_> = (0..GAUGES)
        .map(|_| server.spawn(Gauge::default()))
        .collect();
    for gauge in &gauges {
        server.get_mut::<Gauge>(*gauge)?.run.set(run);
    }
    let total = server.spawn(Total::default());
    server.get_mut::<Total>(total)?.run.set(run);
    let mut origin = Origin::begin(&mut server)?;
    let (mut links, mut carrier) = L::open(NodeId(run), Role::Origin, Some(address), &[])?;
    println!("ready");
    let (started, mut random) = (Instant::now(), Random::new(run));
    let mut values = vec![0_u32; GAUGES as usize];
    for tick in 0.. {
        let now = NetworkTime::of_tick(tick, RATE).time;
        std::thread::sleep(now.saturating_sub(started.elapsed()));
        links.receive(&mut carrier, now);
        for _ in 0..CHANGES {
            let number = random.below(GAUGES);
            let value = random.below(1_000_000);
            values[number as usize] = value;
            server
                .get_mut::<Gauge>(gauges[number as usize])?
                .value
                .set(value);
        }
        let mut all = server.get_mut::<Total>(total)?;
        all.sum.set(values.iter().copied().map(u64::from).sum());
        all.at.set(clock()?);
        drop(all);
        server.update(now);
        origin.pump(&mut server, &mut carrier, now);
        links.transmit(&mut carrier, now);
    }
    Ok(())
}

/// Runs a relay for spectators at an address.
pub(crate) fn relay<L: Links>(source: &str, address: &str) -> Fallible<()> {
    let (mut links, carrier) = L::open(NodeId(clock()?), Role::Relay, None, &[source])?;
    let mut spectators = Host::new(TransportOptions::default());
    spectators.listen_tcp(address)?;
    let mut relay = Relay::new(carrier, RelayConfig::default());
    println!("ready");
    let started = Instant::now();
    loop {
        let now = started.elapsed();
        links.receive(relay.carrier_mut(), now);
        spectators.receive(&mut relay, now);
        relay.update(now);
        spectators.transmit(&mut relay, now);
        links.transmit(relay.carrier_mut(), now);
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A spectator over TCP.
pub(crate) struct Spectator {
    client: NetworkClient,
    peer: Peer,
    started: Instant,
}

impl Spectator {
    pub(crate) fn join(address: &str, started: Instant) -> Fallible<Self> {
        let client = NetworkClient::new(prefabs());
        let options = TransportOptions {
            reconnect: Some(Reconnect {
                first_delay: Duration::from_millis(100),
                max_delay: Duration::from_millis(500),
                max_attempts: u32::MAX,
            }),
            ..TransportOptions::default()
        };
        let peer = Peer::tcp(address, &client, options)?;
        Ok(Self {
            client,
            peer,
            started,
        })
    }

    /// Moves packets. An error for objects of two origins in one replica.
    pub(crate) fn run(&mut self) -> Fallible<()> {
        let now = self.started.elapsed();
        // A lost link is dialled again.
        let _ = self.peer.receive(&mut self.client, now);
        self.client.update(now);
        self.peer.transmit(&mut self.client, now);
        while let Some(event) = self.client.poll_event() {
            if let ClientEvent::Tick { .. } = event {
                self.check_runs()?;
            }
        }
        Ok(())
    }

    fn check_runs(&self) -> Fallible<()> {
        let mut runs: Vec<_> = self.gauges().map(|gauge| *gauge.run).collect();
        runs.sort_unstable();
        runs.dedup();
        if runs.len() > 1 {
            return Err(format!("objects of {} origins", runs.len()).into());
        }
        Ok(())
    }

    fn gauges(&self) -> impl Iterator<Item = &Gauge> {
        { self.client.identities() }.filter_map(|it| self.client.get::<Gauge>(it.net_id()))
    }

    fn total(&self) -> Option<&Total> {
        { self.client.identities() }.find_map(|it| self.client.get::<Total>(it.net_id()))
    }

    /// Returns the number of gauges, whether they have the sum of the origin, and the age of the last tick in milliseconds.
    pub(crate) fn state(&self) -> (usize, bool, Option<u64>) {
        let at = self.total().map(|it| *it.at);
        let age = at.zip(clock().ok()).map(|(at, now)| now.saturating_sub(at));
        (self.gauges().count(), self.is_equal(), age)
    }

    /// Returns whether the sum of the origin is that of the objects here.
    pub(crate) fn is_equal(&self) -> bool {
        let gauges: Vec<_> = self.gauges().collect();
        let sum: u64 = gauges.iter().map(|gauge| u64::from(*gauge.value)).sum();
        gauges.len() == GAUGES as usize && self.total().is_some_and(|it| *it.sum == sum)
    }

    /// Returns whether the last tick is at most half a second old.
    pub(crate) fn is_present(&self) -> bool {
        let at = self.total().map(|it| *it.at);
        at.zip(clock().ok())
            .is_some_and(|(at, now)| now.saturating_sub(at) < 500)
    }
}
