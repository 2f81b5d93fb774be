//! A client of the gateway that watches the walker.

use std::fmt;
use std::time::{Duration, Instant};

use syncvar::NetworkIdentity;
use syncvar::prelude::*;
use syncvar::transport::{Peer, TransportOptions};

use crate::process::Fallible;
use crate::world::{Hiker, LENGTH, STEP, prefabs};

/// Longest time of a walk.
const PATIENCE: Duration = Duration::from_mins(3);

/// Way of a walker, as a client sees it.
#[derive(Debug, Default)]
pub(crate) struct Sight {
    ticks: u32,
    /// Largest step in a tick of the gateway, in steps of the walker.
    pub(crate) largest_step: f32,
    /// Most ticks in which the walker stood still, one behind another.
    longest_rest: u32,
    rest: u32,
    /// Times at which the walker disappeared.
    pub(crate) ends: u32,
}

impl fmt::Display for Sight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ticks, largest step {:.2} of that of a tick, at most {} ticks at rest, {} times gone",
            self.ticks, self.largest_step, self.longest_rest, self.ends
        )
    }
}

impl Sight {
    /// Notes the step from a place to the next, in a number of ticks of the gateway.
    fn note(&mut self, from: f32, to: f32, ticks: u64) {
        self.ticks += 1;
        let ticks = u16::try_from(ticks).unwrap_or(u16::MAX).max(1);
        let step = ((to - from) / STEP).abs() / f32::from(ticks);
        self.largest_step = self.largest_step.max(step);
        self.rest = if step > 0.0 { 0 } else { self.rest + 1 };
        self.longest_rest = self.longest_rest.max(self.rest);
    }
}

/// Joins a gateway, and watches the walker to the end of its way. `begin` runs once the client has joined.
pub(crate) fn watch(address: &str, begin: impl FnOnce() -> Fallible<()>) -> Fallible<Sight> {
    let mut client = NetworkClient::new(prefabs());
    let mut peer = Peer::tcp(address, &client, TransportOptions::default())?;
    let (started, mut begin) = (Instant::now(), Some(begin));
    let (mut sight, mut last, mut last_tick) = (Sight::default(), None::<f32>, 0);
    while started.elapsed() < PATIENCE {
        let now = started.elapsed();
        peer.receive(&mut client, now)?;
        client.update(now);
        peer.transmit(&mut client, now);
        while let Some(event) = client.poll_event() {
            match event {
                ClientEvent::Ready => {
                    begin.take().map_or(Ok(()), |begin| begin())?;
                }
                ClientEvent::Tick { tick, .. } => {
                    let place = place(&client);
                    match (last, place) {
                        (Some(from), Some(to)) => sight.note(from, to, tick - last_tick),
                        (Some(_), None) => sight.ends += 1,
                        (None, _) => {}
                    }
                    (last, last_tick) = (place, tick);
                }
                _ => {}
            }
        }
        if last.is_some_and(|x| x >= LENGTH) {
            return Ok(sight);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Err(format!("the walker is at {last:?} after {PATIENCE:?}: {sight}").into())
}

fn place(client: &NetworkClient) -> Option<f32> {
    let mut ids = client.identities().map(NetworkIdentity::net_id);
    ids.find_map(|id| Some(*client.get::<Hiker>(id)?.x))
}
