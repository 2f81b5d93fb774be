//! Two servers that are told the same, one of which writes on several threads.

use std::fmt::Debug;
use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
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

use syncvar_testing::{Door, client};

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

/// The servers, and clients who talk to both as if they were one.
pub(crate) struct Twins {
    one_thread: NetworkServer,
    several: NetworkServer,
    clients: Vec<(ConnectionId, NetworkClient)>,
    now: Duration,
}

impl Twins {
    pub(crate) fn new(packet_size: usize, parallel_from: usize) -> Self {
        let server = |parallel_from| {
            let config = ServerConfig {
                packet_size,
                max_message_size: 100_000,
                parallel_from,
                ..ServerConfig::default()
            };
            NetworkServer::with_interest(prefabs(), config, SpatialGrid::xz(10.0, 30.0))
        };
        Self {
            one_thread: server(usize::MAX),
            several: server(parallel_from),
            clients: Vec::new(),
            now: Duration::ZERO,
        }
    }

    /// Tells both servers the same.
    pub(crate) fn both<R: PartialEq + Debug>(
        &mut self,
        command: impl Fn(&mut NetworkServer) -> R,
    ) -> R {
        let result = command(&mut self.one_thread);
        assert_eq!(command(&mut self.several), result);
        result
    }

    pub(crate) fn grids(&mut self, command: impl Fn(&mut SpatialGrid)) {
        self.both(|server| command(server.interest_mut().expect("a grid")));
    }

    pub(crate) fn connection(&self, choice: usize) -> ConnectionId {
        let place = choice % self.clients.len().max(1);
        self.clients
            .get(place)
            .map_or(ConnectionId(999), |(id, _)| *id)
    }

    /// One more client, who shakes hands, is ready, and looks at the origin, where all objects are
    /// unless they are moved.
    pub(crate) fn join(&mut self, dialect: Framing) {
        let mut client = client(prefabs(), dialect);
        client.handle_connect();
        let connection = self.both(NetworkServer::handle_connect);
        self.clients.push((connection, client));
        self.grids(|grid| {
            grid.watch(connection, Vector3::default())
                .unwrap_or_default();
        });
        for _ in 0..3 {
            self.exchange();
        }
    }

    pub(crate) fn leave(&mut self, choice: usize) {
        let connection = self.connection(choice);
        self.clients.retain(|(id, _)| *id != connection);
        self.both(|server| server.handle_disconnect(connection));
    }

    /// Both servers update, and all that comes of it is the same.
    pub(crate) fn tick(&mut self, passed: Duration) {
        self.now += passed;
        let (now, several) = (self.now, &mut self.several);
        self.one_thread.update(now);
        on_three_threads(|| several.update(now));
        self.exchange();
    }

    /// Hands over what the servers and the clients have to say.
    fn exchange(&mut self) {
        let packets = packets(&mut self.one_thread);
        assert_eq!(packets, self::packets(&mut self.several));
        assert_eq!(self.one_thread.stats(), self.several.stats());
        self.both(|server| std::iter::from_fn(|| server.poll_event()).collect::<Vec<_>>());
        self.both(|server| server.is_idle());
        for (connection, channel, segments) in packets {
            let client = self.clients.iter_mut().find(|(id, _)| *id == connection);
            if let Some((_, client)) = client {
                let handled = client.handle_packet(channel, &segments.concat());
                handled.expect("the servers' packets make sense");
            }
        }
        for (connection, client) in &mut self.clients {
            while let Some(packet) = client.poll_transmit() {
                for server in [&mut self.one_thread, &mut self.several] {
                    let handled = server.handle_packet(*connection, packet.channel, &packet.bytes);
                    handled.expect("the clients' packets make sense");
                }
            }
        }
    }
}

/// Everything that a server has to send, piece by piece.
fn packets(server: &mut NetworkServer) -> Vec<(ConnectionId, u8, Vec<Bytes>)> {
    let mut packets = Vec::new();
    while let Some(transmit) = server.poll_transmit() {
        let header = Bytes::copy_from_slice(transmit.header);
        let segments = [&[header], transmit.chunks].concat();
        packets.push((transmit.connection, transmit.channel, segments));
    }
    packets
}
