//! Two servers that are told the same, one of which writes on several threads.

use std::fmt::Debug;
use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use rayon::{ThreadPool, ThreadPoolBuilder};
use syncvar::prelude::*;
use syncvar::{BehaviourSchema, FieldSchema, NetworkReader, NetworkWriter, ReadError};
use syncvar::{ClientConfig, Framing, ServerConfig, SpatialGrid, Vector3};

use syncvar_testing::Door;

/// The threads, however many processors there are.
static THREADS: LazyLock<ThreadPool> =
    LazyLock::new(|| ThreadPoolBuilder::new().num_threads(3).build().unwrap());

/// Runs something where there are three threads.
pub(crate) fn on_three_threads<R: Send>(action: impl FnOnce() -> R + Send) -> R {
    THREADS.install(action)
}

/// Collects shots and sends them three at a time.
#[derive(Default)]
pub(crate) struct Volley {
    shots: Vec<u32>,
    waiting: Vec<u32>,
    dirty_bits: u64,
}

impl Volley {
    pub(crate) fn fire(&mut self, shot: u32) {
        self.waiting.push(shot);
        self.set_dirty_bit(1);
    }
}

impl NetworkBehaviour for Volley {
    type Previous = ();
    const SEND_INTERVAL: Duration = Duration::ZERO;
    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "Volley",
        base: None,
        fields: &[FieldSchema {
            name: "shots",
            schema: <Vec<u32> as SyncValue>::SCHEMA,
        }],
    };

    fn sync_var_dirty_bits(&self) -> u64 {
        self.dirty_bits
    }
    fn set_dirty_bit(&mut self, dirty_bits: u64) {
        self.dirty_bits |= dirty_bits & 1;
    }
    fn clear_all_dirty_bits(&mut self) {
        self.dirty_bits = 0;
        self.shots.append(&mut self.waiting);
    }
    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        if initial_state {
            writer.write(&self.shots);
            return true;
        }
        let ready = self.waiting.len() >= 3;
        writer.write_dirty_bits(if ready { self.dirty_bits } else { 0 });
        if ready {
            writer.write(&self.waiting);
        }
        ready
    }
    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError> {
        if initial_state {
            self.shots = reader.read()?;
        } else if reader.read_dirty_bits_of::<Self>()? != 0 {
            self.shots.extend(reader.read::<Vec<u32>>()?);
        }
        Ok(())
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
            let mut config = ServerConfig::default();
            config.packet_size = packet_size;
            config.max_message_size = 100_000;
            config.parallel_from = parallel_from;
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
        let mut config = ClientConfig::default();
        config.framing = dialect;
        let mut client = NetworkClient::with_config(prefabs(), config);
        client.handle_connect();
        let connection = self.both(NetworkServer::handle_connect);
        self.clients.push((connection, client));
        self.grids(|grid| grid.watch(connection, Vector3::default()));
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
                    let handled = server.handle_packet(*connection, &packet.bytes);
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
        let segments = transmit.segments.to_vec();
        packets.push((transmit.connection, transmit.channel, segments));
    }
    packets
}
