//! Process of the origin.

use std::time::{Duration, Instant};

use bytes::Bytes;
use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar::{NetworkTime, ServerConfig};
use syncvar_fleet::link::LinkCarrier;
use syncvar_fleet::sockets::FleetSockets;
use syncvar_fleet::{
    Carrier, CarrierEvent, Node, NodeId, Origin, Question, QuestionId, Role, Topic,
};

use crate::Result;
use crate::process::{at, input};

/// Ticks per second.
pub(crate) const RATE: u32 = 10;

/// Objects, and those of them that change in a tick: 440 bytes for a spectator.
const OBJECTS: u32 = 100;
const CHANGES: u32 = 47;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Wanderer {
    #[sync_var]
    x: SyncVar<f32>,
    #[sync_var]
    y: SyncVar<f32>,
    #[sync_var]
    steps: SyncVar<u32>,
}

/// Time of the tick.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Stamp {
    /// Microseconds of the clock of the machine.
    #[sync_var(hook = on_stamp)]
    pub(crate) at: SyncVar<u64>,
    /// Ages of the ticks at their arrival.
    pub(crate) ages: Vec<Duration>,
}

impl Stamp {
    fn on_stamp(&mut self, _previous: u64) {
        let age = clock().saturating_sub(*self.at);
        self.ages.push(Duration::from_micros(age));
    }
}

pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Wanderer>("wanderer")
        .register::<Stamp>("stamp")
}

fn clock() -> u64 {
    let elapsed = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    u64::try_from(elapsed.as_micros()).unwrap_or_default()
}

/// Figures of an origin since the report before.
pub(crate) struct OriginReport {
    pub(crate) ticks: u64,
    bytes: u64,
    pub(crate) questions: u64,
    pub(crate) median: Duration,
    pub(crate) p99: Duration,
    pub(crate) longest: Duration,
}

impl OriginReport {
    /// Reads a report of the process.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let numbers = text.split_whitespace().map(str::parse);
        let numbers = numbers.collect::<Result<Vec<u64>, _>>()?;
        let [ticks, bytes, questions, median, p99, longest] = numbers[..] else {
            return Err(format!("no report: {text}").into());
        };
        Ok(Self {
            ticks,
            bytes,
            questions,
            median: Duration::from_nanos(median),
            p99: Duration::from_nanos(p99),
            longest: Duration::from_nanos(longest),
        })
    }

    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub(crate) fn bytes_per_tick(&self) -> f64 {
        self.bytes as f64 / self.ticks.max(1) as f64
    }
}

/// Runs an origin for a number of ticks; 0 for as long as the parent lives.
pub(crate) fn run(ticks: u64) -> Result<()> {
    let start = clock();
    let config = ServerConfig {
        tick_rate: RATE,
        incarnation: start,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs(), config);
    let ids: Vec<_> = { 0..OBJECTS }
        .map(|_| server.spawn(Wanderer::default()))
        .collect();
    let stamp = server.spawn(Stamp::default());
    let mut origin = Origin::begin(&mut server)?;
    let carrier = LinkCarrier::new(NodeId(start), Role::Origin, "");
    let mut carrier = CountingCarrier {
        carrier,
        bytes: 0,
        questions: 0,
    };
    let mut sockets = FleetSockets::new();
    println!("relays: {}", sockets.listen_tcp("127.0.0.1:0")?);
    let (requests, mut random) = (input(), Random::new(1));
    let mut times = Vec::new();
    let started = Instant::now();
    for tick in 0.. {
        let now = NetworkTime::of_tick(tick, RATE).time;
        std::thread::sleep(now.saturating_sub(started.elapsed()));
        if ticks > 0 && tick == ticks {
            break;
        }
        sockets.receive(&mut carrier.carrier, now);
        for _ in 0..CHANGES {
            let id = random.pick(&ids).copied().unwrap_or_default();
            let mut wanderer = server.get_mut::<Wanderer>(id)?;
            wanderer.x.set(random.between(0.0, 100.0));
            wanderer.y.set(random.between(0.0, 100.0));
            wanderer.steps += 1;
        }
        server.get_mut::<Stamp>(stamp)?.at.set(clock());
        server.update(now);
        let updated = Instant::now();
        origin.pump(&mut server, &mut carrier, now);
        sockets.transmit(&mut carrier.carrier, now);
        times.push(updated.elapsed());
        if requests.try_recv().is_ok() {
            times.sort_unstable();
            println!(
                "report: {} {} {} {} {} {}",
                times.len(),
                std::mem::take(&mut carrier.bytes),
                std::mem::take(&mut carrier.questions),
                at(&times, 50).as_nanos(),
                at(&times, 99).as_nanos(),
                at(&times, 100).as_nanos()
            );
            times.clear();
        }
    }
    Ok(())
}

/// A carrier that counts the bytes for nodes, and their questions.
struct CountingCarrier {
    carrier: LinkCarrier,
    bytes: u64,
    questions: u64,
}

impl Carrier for CountingCarrier {
    fn id(&self) -> NodeId {
        self.carrier.id()
    }

    fn update(&mut self, now: Duration) {
        self.carrier.update(now);
    }

    fn nodes(&self) -> Vec<Node> {
        self.carrier.nodes()
    }

    fn sources(&self) -> Vec<NodeId> {
        self.carrier.sources()
    }

    fn subscribe(&mut self, publisher: NodeId, topic: Topic) {
        self.carrier.subscribe(publisher, topic);
    }

    fn unsubscribe(&mut self, publisher: NodeId, topic: Topic) {
        self.carrier.unsubscribe(publisher, topic);
    }

    fn publish(&mut self, topic: Topic, record: Bytes) {
        self.bytes += record.len() as u64;
        self.carrier.publish(topic, record);
    }

    fn ask(&mut self, to: NodeId, question: Question) -> QuestionId {
        self.carrier.ask(to, question)
    }

    fn answer(&mut self, to: NodeId, id: QuestionId, answer: Bytes) {
        self.bytes += answer.len() as u64;
        self.carrier.answer(to, id, answer);
    }

    fn poll(&mut self) -> Option<CarrierEvent> {
        let event = self.carrier.poll()?;
        if matches!(event, CarrierEvent::Asked { .. }) {
            self.questions += 1;
        }
        Some(event)
    }
}
