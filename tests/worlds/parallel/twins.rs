//! Two servers that are told the same, one of which writes on several threads.

use std::sync::LazyLock;
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};
use syncvar::NetworkBehaviour;
use syncvar::SyncValue;
use syncvar::prelude::*;
use syncvar::{Framing, ServerConfig, interest::SpatialGrid, values::Vector3};
use syncvar::{
    SyncField,
    behaviour::{BehaviourInfo, FieldVisitor},
    schema::{BehaviourSchema, FieldSchema, TypeSchema},
    wire::{NetworkReader, NetworkWriter, ReadError},
};

use syncvar_testing::{Door, Twins, client, server_events};

/// The threads, however many processors there are.
static THREADS: LazyLock<ThreadPool> =
    LazyLock::new(|| ThreadPoolBuilder::new().num_threads(3).build().unwrap());

/// Runs something where there are three threads.
pub(crate) fn on_three_threads<R: Send>(action: impl FnOnce() -> R + Send) -> R {
    THREADS.install(action)
}

/// Shots in their order: those that every observer has, and those that the next delta sends.
#[derive(Default)]
pub(crate) struct Shots {
    sent: Vec<u32>,
    pending: Vec<u32>,
    forced: bool,
}

impl SyncField for Shots {
    const SCHEMA: TypeSchema = <Vec<u32> as SyncValue>::SCHEMA;

    fn is_dirty(&self) -> bool {
        self.forced || !self.pending.is_empty()
    }
    fn set_dirty(&mut self) {
        self.forced = true;
    }
    fn clear_dirty(&mut self) {
        self.forced = false;
        self.sent.append(&mut self.pending);
    }
    fn write_full(&self, writer: &mut NetworkWriter) {
        // Without the pending shots: a delta will send them to every observer.
        writer.write(&self.sent);
    }
    fn write_delta(&self, writer: &mut NetworkWriter) {
        writer.write(&self.pending);
    }
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.sent = reader.read()?;
        Ok(())
    }
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.sent.extend(reader.read::<Vec<u32>>()?);
        Ok(())
    }
}

/// Sends its shots three at a time.
#[derive(Default)]
pub(crate) struct Volley {
    shots: Shots,
}

impl Volley {
    pub(crate) fn fire(&mut self, shot: u32) {
        self.shots.pending.push(shot);
    }
}

impl NetworkBehaviour for Volley {
    type Previous = ();
    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "Volley",
        base: None,
        fields: &[FieldSchema::of::<Shots>("shots")],
    };
    const INFO: BehaviourInfo = BehaviourInfo::DEFAULT.send_interval(Duration::ZERO);

    fn sync_var_dirty_bits(&self) -> u64 {
        self.shots.is_dirty().into()
    }
    fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
        visitor.field(1, "Volley.shots", &mut self.shots);
    }
    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        if initial_state {
            self.shots.write_full(writer);
            return true;
        }
        let ready = self.shots.pending.len() >= 3;
        writer.write_dirty_bits(ready.into());
        if ready {
            self.shots.write_delta(writer);
        }
        ready
    }
    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError> {
        if initial_state {
            self.shots.read_full(reader)
        } else if reader.read_dirty_bits_of::<Self>()? != 0 {
            self.shots.read_delta(reader)
        } else {
            Ok(())
        }
    }
}

/// A text on the unreliable channel, which may be too long for it.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = 1)]
pub(crate) struct Chatter {
    #[sync_var]
    pub(crate) text: SyncVar<String>,
}

/// More than the short form of a message can hold, if it is full.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Hoard {
    #[sync_var]
    pub(crate) gold: SyncVar<Vec<u8>>,
    #[sync_var]
    pub(crate) silver: SyncVar<Vec<u8>>,
}

fn prefabs() -> Prefabs {
    syncvar_testing::prefabs_with_scoreboard()
        .register::<(Volley, Chatter, Door)>("everything")
        .register::<Hoard>("hoard")
}

/// Returns servers that write with one thread and with three.
pub(crate) fn twins(packet_size: usize, parallel_from: usize) -> Twins {
    let server = |parallel_from| {
        let config = ServerConfig {
            packet_size,
            max_message_size: 100_000,
            parallel_from,
            ..ServerConfig::default()
        };
        NetworkServer::with_interest(prefabs(), config, SpatialGrid::xz(10.0, 30.0))
    };
    Twins::new([usize::MAX, parallel_from].map(server))
}

/// Connects a client at the origin, where all objects are until they move.
pub(crate) fn join(twins: &mut Twins, framing: Framing) {
    let connection = twins.connect(client(prefabs(), framing));
    twins.both(|server| {
        let grid = server.interest_mut::<SpatialGrid>().expect("a grid");
        grid.watch(connection, Vector3::default())
            .unwrap_or_default();
    });
    (0..3).for_each(|_| exchange(twins));
}

/// Updates both servers, and delivers all packets.
pub(crate) fn tick(twins: &mut Twins, passed: Duration) {
    twins.now += passed;
    let (now, [one, several]) = (twins.now, &mut twins.servers);
    one.update(now);
    on_three_threads(|| several.update(now));
    exchange(twins);
}

/// Delivers all packets. Packets, statistics, events and the rest of both servers are equal.
fn exchange(twins: &mut Twins) {
    twins.exchange();
    twins.both(server_events);
    twins.both(|server| server.is_idle());
}
