//! Zones: a world partitioned over processes.
//!
//! ```text
//!            receive              program              update                    transmit
//! carrier ──> leases                                     objects that leave
//!         ──> offers ──> import    server_mut()  ──>     notes, journal    ──>   records, border records
//!         ──> commands ────────> poll_command()          excerpts                offers, answers
//!         ──> border records ──> ghosts
//!         ──> players, calls, inputs of gateways          records for gateways
//! ```
//!
//! The journal has an update before its messages leave: see [`Zone::transmit`].

mod borders;
mod command_queue;
mod command_sender;
mod conductor;
mod config;
pub(crate) mod copies;
mod event;
mod gateway_calls;
pub(crate) mod gateway_record;
mod gateways;
mod ghosts;
mod handovers;
mod ids;
mod lease;
mod mail;
pub(crate) mod membership;
pub(crate) mod message;
mod notes;
mod object_state;
mod partition;
mod program;
mod residents;

pub use command_sender::CommandSender;
pub use config::ZoneConfig;
pub use event::{Command, HandOverError, ZoneError, ZoneEvent};
pub use ids::{ClientId, VoterId, ZoneId};
pub use partition::{Home, Partition, Regions};
pub use program::ZoneProgram;

use std::collections::VecDeque;

use bytes::Bytes;
use syncvar_net::{NetworkServer, Save, SaveError, TickRecord};
use syncvar_runtime::{NetId, NetworkBehaviour, NetworkIdentity, Prefabs};

use crate::{Origin, Topic};
use borders::Borders;
use gateways::Gateways;
use ghosts::Ghosts;
use handovers::CommandPlace;
use mail::Mail;
use membership::Membership;
use residents::Residents;

/// Ids of a zone: `ZoneId` x this number, and the ids above.
const IDS: u32 = 1 << 24;

/// Progress of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ZoneStage {
    /// The zone has the lease at the earliest behind its start. Nothing was loaded.
    Empty,
    /// The objects of the server are those of the zone.
    Loaded,
}

/// A server with a part of the objects of a world. See the page "Zones" of the guide.
///
/// A zone is active while it holds its lease. Meanwhile its objects are real: the program changes them by
/// [`server_mut`](Self::server_mut). An object whose [`Partition`] names a different zone leaves, with its owner, its fields and the
/// state of the program. Objects of neighbour zones near the border are [ghosts](Self::ghost).
///
/// ```
/// use std::time::Duration;
/// use syncvar::{ServerConfig, prelude::*};
/// use syncvar_fleet::memory::MemoryFleet;
/// use syncvar_fleet::zone::{Regions, VoterId, Zone, ZoneConfig, ZoneId};
/// use syncvar_fleet::{Carrier, Role};
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Walker {
///     #[sync_var]
///     x: SyncVar<f32>,
///     #[sync_var(read = server)]
///     steps: SyncVar<u32>,
/// }
///
/// let fleet = MemoryFleet::new(1);
/// let mut nodes = Vec::new();
/// for number in 1..=2 {
///     let mut config = ZoneConfig::new(ZoneId(number));
///     config.server = ServerConfig { incarnation: number.into(), ..ServerConfig::default() }; // rand::random()
///     config.voter = Some(VoterId(number));
///     config.voters = vec![VoterId(1), VoterId(2)];
///     let regions = Regions::new(|server, object| Some([*server.get::<Walker>(object)?.x, 0.0]))
///         .region(ZoneId(1), [-100.0, -100.0], [0.0, 100.0])
///         .region(ZoneId(2), [0.0, -100.0], [100.0, 100.0])
///         .border(10.0);
///     let prefabs = || Prefabs::new().register::<Walker>("walker");
///     nodes.push((Zone::new(config, prefabs, regions)?, fleet.node(Role::Zone, "")));
/// }
/// fleet.connect(nodes[0].1.id(), nodes[1].1.id());
///
/// let mut walker = None;
/// for tick in 1..300 {
///     let now = Duration::from_millis(33 * tick);
///     fleet.update(now);
///     for (zone, carrier) in &mut nodes {
///         zone.receive(carrier, now, &mut ());
///         let is_west = zone.id() == ZoneId(1);
///         if let Some(server) = zone.server_mut().filter(|_| is_west) {
///             let walker = *walker.get_or_insert_with(|| server.spawn(Walker::default()));
///             if let Ok(mut walker) = server.get_mut::<Walker>(walker) {
///                 walker.x += 0.1; // until it has left to the east
///                 walker.steps += 1;
///             }
///         }
///         zone.update(now, &mut ());
///         zone.transmit(carrier, now);
///     }
/// }
/// let walker = walker.unwrap();
/// let (west, east) = (&nodes[0].0, &nodes[1].0);
/// assert!(west.server().get::<Walker>(walker).is_none());
/// assert!(*east.server().get::<Walker>(walker).unwrap().steps > 0);
/// assert!(west.ghost::<Walker>(walker).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Zone {
    config: ZoneConfig,
    server: NetworkServer,
    partition: PartitionBox,
    membership: Membership,
    residents: Residents,
    records: ZoneRecords,
    ghosts: Ghosts,
    mail: Mail,
    outgoing: Outgoing,
    events: VecDeque<ZoneEvent>,
    stage: ZoneStage,
}

/// Writers of records, by reader.
#[derive(Debug, Default)]
struct ZoneRecords {
    origin: Origin,
    borders: Borders,
    gateways: Gateways,
}

/// Records for the neighbours that wait for the journal.
#[derive(Debug, Default)]
struct Outgoing {
    /// Number of the last record of the server that the borders have.
    seq: u64,
    published: Vec<(Topic, Bytes)>,
}

struct PartitionBox(Box<dyn Partition + Send>);

impl std::fmt::Debug for PartitionBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Partition")
    }
}

impl Zone {
    /// Creates a zone without objects and without its lease. `prefabs` returns the registry, which is the same in every zone; it runs for the zone, and for
    /// each process of a neighbour.
    ///
    /// # Errors
    ///
    /// For a server without an [incarnation](syncvar_net::ServerConfig::incarnation), and a number of the zone above 255.
    pub fn new(
        config: ZoneConfig,
        prefabs: impl Fn() -> Prefabs + Send + 'static,
        partition: impl Partition + Send + 'static,
    ) -> Result<Self, ZoneError> {
        if config.zone.0 > u32::MAX / IDS {
            return Err(ZoneError::Number(config.zone));
        }
        let mut server = NetworkServer::with_config(prefabs(), config.server.clone());
        server.set_next_id(NetId(config.zone.0 * IDS));
        if config.server.incarnation == 0 {
            return Err(ZoneError::NoIncarnation);
        }
        let mut records = ZoneRecords::default();
        if !config.awaits_state {
            // A recording is an observer, and a server with an observer loads no state.
            records.origin = Origin::begin(&mut server)?;
        }
        Ok(Self {
            server,
            partition: PartitionBox(Box::new(partition)),
            membership: Membership::new(&config),
            residents: Residents::default(),
            records,
            ghosts: Ghosts::new(config.zone, Box::new(prefabs)),
            mail: Mail::default(),
            outgoing: Outgoing::default(),
            events: VecDeque::new(),
            stage: if config.awaits_state {
                ZoneStage::Empty
            } else {
                ZoneStage::Loaded
            },
            config,
        })
    }

    /// Returns the number of the zone.
    pub fn id(&self) -> ZoneId {
        self.config.zone
    }

    /// Returns the server.
    pub fn server(&self) -> &NetworkServer {
        &self.server
    }

    /// Returns the server, while the zone is active: it holds its lease, as of the last [`receive`](Self::receive), and its objects
    /// are loaded. Otherwise its objects are frozen: nobody changes them.
    ///
    /// The program updates the server by [`update`](Self::update) alone. Behind each update it takes the records of the journal, and
    /// writes them.
    pub fn server_mut(&mut self) -> Option<&mut NetworkServer> {
        let is_active = self.is_active();
        is_active.then_some(&mut self.server)
    }

    /// Returns whether the zone is active.
    pub fn is_active(&self) -> bool {
        self.membership.is_active && self.stage == ZoneStage::Loaded
    }

    /// Returns whether the zone holds its lease and waits for [`load`](Self::load) or [`begin_empty`](Self::begin_empty):
    /// see [`ZoneConfig::awaits_state`].
    pub fn is_elected(&self) -> bool {
        self.membership.is_active && self.stage == ZoneStage::Empty
    }

    /// Returns whether a later process has the zone. This process ends.
    pub fn is_superseded(&self) -> bool {
        self.membership.lease.is_superseded()
    }

    /// Takes over the state of the process that was the zone before, from its [journal](Self::start_journal). The zone
    /// is [elected](Self::is_elected), so that process has stopped, and its journal does not grow.
    ///
    /// # Errors
    ///
    /// For a state that the server cannot [load](NetworkServer::load), and malformed notes. The zone stays empty then.
    pub fn load(&mut self, save: &Save) -> Result<(), ZoneError> {
        self.server.load(save)?;
        self.residents.handovers = notes::read(&self.server).map_err(SaveError::Malformed)?;
        self.residents.unplaced = self
            .server
            .identities()
            .map(NetworkIdentity::net_id)
            .collect();
        // The voters may have forgotten the term in the journal.
        self.membership
            .lease
            .raise(notes::read_term(&self.server) + 1);
        self.begin_empty()
    }

    /// Begins without a state, in place of [`load`](Self::load).
    ///
    /// # Errors
    ///
    /// For a server without an incarnation.
    pub fn begin_empty(&mut self) -> Result<(), ZoneError> {
        self.records.origin = Origin::begin(&mut self.server)?;
        self.stage = ZoneStage::Loaded;
        // A journal may begin before the first update.
        self.write_notes();
        Ok(())
    }

    /// Begins the journal, as [`NetworkServer::start_journal`]; `syncvar::log::Journal` does so by
    /// [`server_mut`](Self::server_mut). Without a journal an end of the process loses the objects of the zone, and the objects that are
    /// on their way to it.
    ///
    /// # Errors
    ///
    /// As [`NetworkServer::save`].
    pub fn start_journal(&mut self) -> Result<Save, SaveError> {
        self.server.start_journal()
    }

    /// Returns the oldest record of the journal that was not returned before. Messages leave when it has returned none: behind
    /// each update the program takes all records, writes them, and then calls [`transmit`](Self::transmit).
    pub fn poll_journal(&mut self) -> Option<TickRecord> {
        self.server.poll_journal()
    }

    /// Returns a behaviour of an object of a neighbour zone near the border, as of the last record of this neighbour. An object that is
    /// real here is not a ghost.
    pub fn ghost<B: NetworkBehaviour>(&self, object: NetId) -> Option<&B> {
        let is_real = self.server.identity(object).is_some();
        self.ghosts.get(object).filter(|_| !is_real)
    }

    /// Returns the ghosts with their zones, by ascending id.
    pub fn ghosts(&self) -> impl Iterator<Item = (NetId, ZoneId)> {
        let ghosts = self.ghosts.all().into_iter();
        ghosts
            .filter(|(object, _)| self.server.identity(*object).is_none())
            .map(|(object, (zone, _))| (object, zone))
    }

    /// Returns the epoch of an object that is real here: each handover raises it.
    pub fn epoch(&self, object: NetId) -> Option<u64> {
        self.server.identity(object)?;
        Some(self.residents.epoch(object))
    }

    /// Hands an object over to a zone with the next update, with its descendants. The [`Partition`] decides about its later
    /// handovers.
    ///
    /// # Errors
    ///
    /// When the object is not real here, or the zone is this one or unknown.
    pub fn hand_over(&mut self, object: NetId, to: ZoneId) -> Result<(), HandOverError> {
        if self.server.identity(object).is_none() {
            return Err(HandOverError::NotHere(object));
        }
        if to == self.config.zone || self.membership.directory.node(to).is_none() {
            return Err(HandOverError::NoSuchZone(to));
        }
        self.residents.ordered.insert(object, to);
        Ok(())
    }

    /// Forgets the numbers of the commands of a client whose session has ended in the whole fleet, in every zone. A later command of the
    /// client would begin at number 1.
    pub fn forget_client(&mut self, client: ClientId) {
        self.residents.forget_client(client);
    }

    /// Returns the oldest event that was not returned before.
    pub fn poll_event(&mut self) -> Option<ZoneEvent> {
        self.events.pop_front()
    }

    /// Returns the next command of a [`CommandSender`]. The program applies it at once: the next update writes it to the journal as
    /// applied, with its effects.
    pub fn poll_command(&mut self) -> Option<Command> {
        if !self.is_active() {
            return None;
        }
        while let Some(command) = self.mail.next_command() {
            let (object, client, number) = (command.object, command.client, command.number);
            if self.server.identity(object).is_none() {
                continue;
            }
            self.residents.handovers.spawn(object);
            let handovers = &mut self.residents.handovers;
            if handovers.place(object, client, number) == CommandPlace::Next {
                handovers.note_applied(object, client, number);
                self.residents.changed.insert(object);
                return Some(Command {
                    client,
                    object,
                    command: command.command,
                });
            }
        }
        None
    }
}
