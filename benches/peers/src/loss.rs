//! The case of packets that get lost: unreliable state that converges, with acknowledgements as work of the
//! server.
//!
//! A tick of the server is the time from the last change to the finished packets of all clients, and the time
//! to take the acknowledgements of all clients. Packets arrive within their tick or never. Replicas are
//! compared after some ticks without changes and losses.

mod floor;
mod lightyear;
mod replicon;
mod syncvar;

pub(crate) use floor::Floor;
pub(crate) use lightyear::LossyLightyear;
pub(crate) use syncvar::Syncvar;

use std::time::{Duration, Instant};

use crate::grid::Size;
use crate::peer::Sent;
use crate::rows::{LossRow, Row};
use crate::support::random::Random;
use crate::support::workload::{Changes, Fields, Server, Values};

const SIZE: Size = Size {
    objects: 10_000,
    clients: 100,
};

/// Objects that change in a tick.
const PERCENT: u32 = 10;

/// Lost packets per thousand, in both directions.
const LOSSES: [u32; 2] = [0, 10];

const WARM_UP_TICKS: usize = 20;
const TICKS: usize = 100;

/// Ticks without changes and losses, after which the replicas are equal.
const QUIET_TICKS: usize = 40;

/// A server, its clients, and links that lose packets.
pub(crate) trait Lossy: Server {
    const NAME: &str;

    /// Set if only the first client is real. The memory of a connection is then the difference between servers
    /// with 1 and with 100 connections.
    const HAS_COPIES: bool = false;

    /// Creates a server with objects of random values, which all clients have.
    fn new(size: Size, random: &mut Random) -> Self;

    /// Brings the packets of the last tick to the clients, except the lost ones, and the answers of the
    /// clients to the server's door. Returns the packets to one client, lost ones too.
    fn carry(&mut self, losses: &mut Losses) -> Sent;

    /// Hands the answers of the clients to the server.
    fn acknowledge(&mut self);

    /// Returns each object on the server and on the real client.
    fn replicas(&mut self) -> Vec<(Values, Option<Values>)>;

    /// Returns the memory that the server holds, if it was counted.
    fn memory(&self) -> Option<Memory> {
        None
    }
}

/// Memory of a server in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    /// With all objects and without a connection, if it was counted.
    objects: Option<i64>,
    /// Beyond it, with all connections.
    connections: i64,
}

/// Decides which packets are lost.
pub(crate) struct Losses {
    random: Random,
    per_thousand: u32,
}

impl Losses {
    fn new(per_thousand: u32) -> Self {
        let random = Random::new(3);
        Self {
            random,
            per_thousand,
        }
    }

    fn loses(&mut self) -> bool {
        self.per_thousand > 0 && self.random.below(1_000) < self.per_thousand
    }
}

/// Measures a peer at each loss.
pub(crate) fn run<L: Lossy>() {
    for per_thousand in LOSSES {
        eprintln!("{}: loss {per_thousand} per thousand", L::NAME);
        let mut peer = L::new(SIZE, &mut Random::new(1));
        let mut row = measure_one(&mut peer, per_thousand);
        drop(peer);
        if L::HAS_COPIES {
            let [many, one] = [SIZE.clients, 1].map(|clients| held::<L>(clients, per_thousand));
            row.bytes_per_connection = Some((many - one) / (SIZE.clients as i64 - 1));
        }
        Row::Loss(row).print();
    }
}

/// Returns the memory of a server and its real client after some ticks.
fn held<L: Lossy>(clients: usize, per_thousand: u32) -> i64 {
    let (mut changes, mut losses) = (Changes::new(SIZE.objects), Losses::new(per_thousand));
    let mut peer = None;
    let info = allocation_counter::measure(|| {
        let mut made = L::new(Size { clients, ..SIZE }, &mut Random::new(1));
        for _ in 0..WARM_UP_TICKS {
            changes.make(&mut made, PERCENT, Fields::One);
            tick(&mut made, &mut losses);
        }
        peer = Some(made);
    });
    drop(peer);
    info.bytes_current
}

fn measure_one<L: Lossy>(peer: &mut L, per_thousand: u32) -> LossRow {
    let mut changes = Changes::new(SIZE.objects);
    let mut losses = Losses::new(per_thousand);
    let mut ticks = Vec::with_capacity(TICKS);
    let mut sent = Sent::default();
    for number in 0..WARM_UP_TICKS + TICKS {
        changes.make(peer, PERCENT, Fields::One);
        let (send, packets, acknowledge) = tick(peer, &mut losses);
        if number >= WARM_UP_TICKS {
            ticks.push((send + acknowledge, send, acknowledge));
            sent.bytes += packets.bytes;
            sent.packets += packets.packets;
        }
    }
    let memory = peer.memory();
    losses.per_thousand = 0;
    for _ in 0..QUIET_TICKS {
        tick(peer, &mut losses);
    }
    for (object, (original, replica)) in peer.replicas().into_iter().enumerate() {
        let name = L::NAME;
        assert_eq!(replica.as_ref(), Some(&original), "{name}: object {object}");
    }
    let median = |time: fn(&(Duration, Duration, Duration)) -> Duration| {
        let mut times: Vec<_> = ticks.iter().map(time).collect();
        times.sort_unstable();
        u64::try_from(times[times.len() / 2].as_nanos()).expect("no tick takes 500 years")
    };
    LossRow {
        peer: L::NAME.into(),
        loss_per_thousand: per_thousand,
        server_nanoseconds: median(|tick| tick.0),
        send_nanoseconds: median(|tick| tick.1),
        acknowledge_nanoseconds: median(|tick| tick.2),
        bytes: sent.bytes as f64 / TICKS as f64,
        packets: sent.packets as f64 / TICKS as f64,
        bytes_per_object: memory.and_then(|memory| Some(memory.objects? / i64::from(SIZE.objects))),
        bytes_per_connection: memory.map(|memory| memory.connections / SIZE.clients as i64),
    }
}

/// Runs a tick. Returns the times of its two parts, and the packets to a client.
fn tick(peer: &mut impl Lossy, losses: &mut Losses) -> (Duration, Sent, Duration) {
    let start = Instant::now();
    peer.tick();
    let send = start.elapsed();
    let sent = peer.carry(losses);
    let start = Instant::now();
    peer.acknowledge();
    (send, sent, start.elapsed())
}
