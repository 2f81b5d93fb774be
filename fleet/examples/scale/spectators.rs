//! Processes of spectators.

use std::time::{Duration, Instant};

use syncvar::NetworkIdentity;
use syncvar::prelude::*;
use syncvar::transport::{Peer, TransportOptions};

use crate::Result;
use crate::origin::{Stamp, prefabs};
use crate::process::{at, input};

/// Pause between two frames of many spectators, which do not measure times.
const CROWD_PAUSE: Duration = Duration::from_millis(25);

/// Pause between two frames of a probe: an error of its times.
const PROBE_PAUSE: Duration = Duration::from_micros(100);

/// A spectator over TCP.
struct Spectator {
    client: NetworkClient,
    peer: Peer,
    /// Packets and bytes at the last report.
    reported: (u64, u64),
}

impl Spectator {
    fn join(address: &str) -> Result<Self> {
        let client = NetworkClient::new(prefabs());
        let peer = Peer::tcp(address, &client, TransportOptions::default())?;
        Ok(Self {
            client,
            peer,
            reported: (0, 0),
        })
    }

    fn run(&mut self, now: Duration) -> Result<()> {
        let received = self.peer.receive(&mut self.client, now);
        self.client.update(now);
        self.peer.transmit(&mut self.client, now);
        while let Some(event) = self.client.poll_event() {
            if let ClientEvent::Disconnected { reason, .. } = event {
                return Err(
                    format!("a spectator has lost its relay: {reason:?}, {received:?}").into(),
                );
            }
        }
        Ok(received?)
    }

    fn is_ready(&self) -> bool {
        self.client.object_count() > 0
    }

    /// Returns the bytes of a packet since the last report.
    fn packet_size(&mut self) -> u64 {
        let received = self.client.stats().received;
        let now = (received.messages, received.bytes);
        let (packets, bytes) = (now.0 - self.reported.0, now.1 - self.reported.1);
        self.reported = now;
        bytes / packets.max(1)
    }
}

/// Runs many spectators. A wave of them begins once all before it see the world.
pub(crate) fn run_crowd(address: &str, count: usize, wave: usize) -> Result<()> {
    let mut spectators = Vec::new();
    let (requests, mut is_ready) = (input(), false);
    let started = Instant::now();
    loop {
        if spectators.iter().all(Spectator::is_ready) {
            if !is_ready && spectators.len() == count {
                is_ready = true;
                println!("ready: {count}");
            }
            for _ in 0..wave.min(count - spectators.len()) {
                spectators.push(Spectator::join(address)?);
            }
        }
        for spectator in &mut spectators {
            spectator.run(started.elapsed())?;
        }
        if requests.try_recv().is_ok() {
            let ticks = spectators.iter().filter_map(|it| it.client.tick());
            let (oldest, newest) = (ticks.clone().min(), ticks.max());
            let ready = spectators.iter().filter(|it| it.is_ready()).count();
            println!("report: {ready} of {count} see the world, ticks {oldest:?} to {newest:?}");
        }
        std::thread::sleep(CROWD_PAUSE);
    }
}

/// Runs a spectator that measures the age of ticks.
pub(crate) fn run_probe(address: &str) -> Result<()> {
    let mut spectator = Spectator::join(address)?;
    let (requests, mut is_ready) = (input(), false);
    let started = Instant::now();
    loop {
        spectator.run(started.elapsed())?;
        if !is_ready && spectator.is_ready() {
            is_ready = true;
            println!("ready: 1");
        }
        if requests.try_recv().is_ok() {
            let ages = spectator.take_ages();
            println!(
                "report: {} ticks of {} B, age p50 {:?}, p99 {:?}, most {:?}",
                ages.len(),
                spectator.packet_size(),
                at(&ages, 50),
                at(&ages, 99),
                at(&ages, 100)
            );
        }
        std::thread::sleep(PROBE_PAUSE);
    }
}

impl Spectator {
    /// Returns the ages of the ticks since the last report, sorted.
    fn take_ages(&mut self) -> Vec<Duration> {
        let ids: Vec<_> = { self.client.identities() }
            .map(NetworkIdentity::net_id)
            .collect();
        let mut ages = Vec::new();
        for id in ids {
            if let Ok(mut stamp) = self.client.get_mut::<Stamp>(id) {
                ages.append(&mut stamp.ages);
            }
        }
        ages.sort_unstable();
        ages
    }
}
