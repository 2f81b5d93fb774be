//! Settings of a server.

use std::time::Duration;

use crate::link::header_bytes::MAX_HEADER;
use crate::link::settings::LossSettings;
use crate::{Builds, Framing};

/// Longest datagram in bytes: the smallest packet size of QUIC.
const MAX_DATAGRAM: usize = 1_200;

#[cfg(doc)]
use crate::server::{NetworkServer, ServerEvent};
use syncvar_runtime::time::send_interval;
use syncvar_runtime::unstable::object::{ChannelInfo, Nanos, nanos};
use syncvar_runtime::unstable::packet::Room;
use syncvar_runtime::{Callbacks, Channel, Limits};

/// Settings of a server. [`Default`] is UNet's behaviour with a comparison of schemas at connect.
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::{ServerConfig, limits::Limits};
///
/// let config = ServerConfig {
///     tick_rate: 60,
///     limits: Limits { command_rate: 20.0, ..Limits::default() },
///     ..ServerConfig::default()
/// };
/// let server = NetworkServer::with_config(Prefabs::new(), config);
/// assert_eq!(server.config().tick_rate, 60);
/// ```
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Ticks per second; 30 by default, at least 1. The one rate of the server:
    ///
    /// * The transports update the server at this rate (`TcpServer::run`, `Host::run`). A program with
    ///   a loop calls [`NetworkServer::update`] at this rate.
    /// * [`NetworkServer::network_time`] counts ticks of this rate. Clients receive it.
    /// * It is the base of [`send_interval`](Self::send_interval).
    pub tick_rate: u32,
    /// Send interval of behaviours without `#[network_behaviour(send_interval = ...)]`. The default is
    /// `None`, three ticks: 0.1 s at 30 ticks per second, as in UNet, and 0.05 s at 60. Zero sends
    /// changes with each update, as in Mirror.
    ///
    /// An interval ends with the first update after more than its time. A positive interval of a
    /// behaviour below one tick is logged as a warning, once for each server.
    pub send_interval: Option<Duration>,
    /// Maximum packet size in bytes for gathered messages; 1340 as in UNet. A larger message gets a
    /// packet alone, on a reliable channel.
    pub packet_size: usize,
    /// Maximum payload of one message in bytes, on a reliable channel in [`Framing::Compact`]; 16
    /// MiB by default. It limits the snapshot of an object and its delta of one update; a longer
    /// one is [`ServerEvent::SerializeFailed`]. Clients
    /// ([`ClientConfig::max_message_size`](crate::ClientConfig::max_message_size)) and the
    /// transport must accept as much.
    ///
    /// Values are clamped to 65 535 ([`MAX_BYTES`](syncvar_runtime::MAX_BYTES)) and `u32::MAX`. In
    /// [`Framing::Unet`] the limit is always 65 535. An object is sent to all observers or to none,
    /// so one observer with that framing limits the others.
    pub max_message_size: usize,
    /// Whether messages share a packet. Otherwise each gets a packet alone, as with UNet's
    /// `maxDelay` of 0.
    pub gather: bool,
    /// Kinds of the channels, at most 64. Behaviours on other channels are never sent. An empty
    /// list means one reliable channel.
    pub channels: Vec<Channel>,
    /// Whether clients have the server's schema, or resolve it, before they join. `false` is UNet, where
    /// a connection is accepted at once.
    pub compare_schemas: bool,
    /// Number of this run of the server, for clients and records to tell it from an earlier run: a random
    /// one at each start, such as `rand::random()`. 0 by default; the server has no random numbers.
    pub incarnation: u64,
    /// Whether the program decides about each connection; [`Admission::Open`] by default.
    pub admission: Admission,
    /// Builds of clients that may join; [`Builds::Compatible`] by default.
    pub builds: Builds,
    /// Whether the server describes its schema to clients that it has not accepted;
    /// [`SchemaRequests::Answer`] by default.
    pub schema_requests: SchemaRequests,
    /// Time for a client without a link to return to its connection and its objects; zero by default,
    /// which ends a connection with its link. It requires
    /// [`session_tokens`](Self::session_tokens) and [`compare_schemas`](Self::compare_schemas).
    pub reconnect_grace: Duration,
    /// Source of unpredictable bytes for session tokens, such as `rand::random`; none by default. The
    /// server has no random numbers. Each client that knows or guesses a token takes the session over,
    /// so a counter or a seeded generator serves for tests only. Each session and each return takes one.
    pub session_tokens: Option<fn() -> [u8; 16]>,
    /// Bytes of the last packets that the server keeps for each connection with a session; 256 KiB by
    /// default. A client that has missed at most these packets resumes; another one receives all
    /// visible objects.
    pub resume_bytes: usize,
    /// Best framing for clients that request it. [`Framing::Compact`] puts many objects into one
    /// message; [`Framing::Unet`] is the literal bytes of UNet. Clients without schema comparison
    /// always get the latter.
    pub framing: Framing,
    /// Limits of clients: elements, memory, work and depth of their input, rates, places and time to
    /// ready. A write or command beyond them is refused.
    pub limits: Limits,
    /// Limits and times of connections with datagrams.
    pub loss: LossSettings,
    /// Maximum number of requested snapshots per connection and update. Further requests wait.
    pub resyncs_per_update: usize,
    /// Runner of hooks, lifecycle callbacks and calls; the server by default. Hooks run on a host only.
    pub callbacks: Callbacks,
    /// Maximum number of events kept for [`NetworkServer::poll_event`]; the oldest are dropped.
    pub max_events: usize,
    /// Maximum number of records and keyframes that a [recording](crate::NetworkServer::start_recording) keeps for
    /// [`NetworkServer::records_after`]; 64 by default, at least 1. The oldest are dropped.
    pub max_records: usize,
    /// Longest delay of a connection in one direction that [`NetworkServer::rewind`] makes up for; 200 ms by default. A view
    /// is at most twice this time older than the present, beside the delay of the view itself: one or two send intervals
    /// and a tick. Zero rewinds by that delay only.
    pub max_rewind: Duration,
    /// Whether [`Stats::profile`](crate::Stats::profile) counts the bytes of each object and field; off by
    /// default. Each dirty field is then encoded twice more.
    pub profile: bool,
    /// Minimum number of successive dirty objects with equal prefab and observers for encoding on
    /// several threads; 16 384 by default, `usize::MAX` for never. Fewer objects pay off only if
    /// one takes long.
    ///
    /// The bytes do not depend on it. The thread that calls [`NetworkServer::update`] takes part.
    /// The others belong to its rayon pool, or to the global one.
    #[cfg(feature = "parallel")]
    pub parallel_from: usize,
}

/// Decision about connections whose schema matches.
///
/// ```
/// use syncvar::join::{Admission, Payload, Refusal};
/// use syncvar::{ClientConfig, ServerConfig, prelude::*};
///
/// let config = ServerConfig {
///     admission: Admission::Decide,
///     ..ServerConfig::default()
/// };
/// let mut net = MemoryNetwork::with_config(Prefabs::new, config, Default::default());
/// let mut client = NetworkClient::new(Prefabs::new());
/// client.set_join_payload(Payload::of(&String::from("secret"))?);
/// net.connect_client(client);
/// net.step();
/// while let Some(event) = net.server.poll_event() {
///     if let ServerEvent::JoinRequested { connection, payload, .. } = event {
///         match payload.decode::<String>().as_deref() {
///             Ok("secret") => net.server.accept(connection)?,
///             _ => net.server.refuse(connection, "wrong password")?,
///         }
///     }
/// }
/// net.settle();
/// assert!(net.client(0).is_connected());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Admission {
    /// The server accepts each connection at once.
    #[default]
    Open,
    /// Each connection waits for [`accept`](crate::NetworkServer::accept) or
    /// [`refuse`](crate::NetworkServer::refuse), at most for
    /// [`Limits::join_timeout`](syncvar_runtime::Limits::join_timeout).
    Decide,
}

/// Answer to clients that do not have the server's schema.
///
/// ```
/// use syncvar::join::SchemaRequests;
/// use syncvar::prelude::*;
/// use syncvar::ServerConfig;
///
/// // A game whose clients are all compiled tells nobody the names of its fields and calls.
/// let schema_requests = SchemaRequests::Refuse;
/// let config = ServerConfig { schema_requests, ..ServerConfig::default() };
/// let server = NetworkServer::with_config(Prefabs::new(), config);
/// # let _ = server;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SchemaRequests {
    /// A client without compiled types, such as a page of a browser, learns the schema before its join request. A
    /// client of another build resolves the schema, or names the [reasons](syncvar_runtime::DisconnectReason::SchemaMismatch)
    /// why it cannot. A schema whose text is above
    /// [`MAX_SCHEMA_TEXT`](syncvar_runtime::schema::MAX_SCHEMA_TEXT) is sent to nobody.
    #[default]
    Answer,
    /// A client without compiled types is refused ([`DisconnectReason::Denied`](syncvar_runtime::DisconnectReason::Denied)).
    /// A client of another build learns that the schemas differ: only equal builds join.
    Refuse,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            tick_rate: 30,
            send_interval: None,
            packet_size: 1340,
            max_message_size: 16 * 1024 * 1024,
            gather: true,
            channels: vec![Channel::Reliable, Channel::Unreliable],
            compare_schemas: true,
            incarnation: 0,
            admission: Admission::Open,
            builds: Builds::Compatible,
            schema_requests: SchemaRequests::Answer,
            reconnect_grace: Duration::ZERO,
            session_tokens: None,
            resume_bytes: 256 * 1024,
            framing: Framing::Compact,
            limits: Limits::default(),
            loss: LossSettings::default(),
            resyncs_per_update: 64,
            callbacks: Callbacks::Run,
            max_events: 100_000,
            max_records: 64,
            max_rewind: Duration::from_millis(200),
            profile: false,
            #[cfg(feature = "parallel")]
            parallel_from: 16_384,
        }
    }
}

impl ServerConfig {
    /// Returns the send interval of behaviours without one.
    pub(super) fn default_interval(&self) -> Nanos {
        nanos(send_interval(self.send_interval, self.tick_rate))
    }

    /// Returns the packet size for gathered messages.
    pub(super) fn gathered_size(&self) -> usize {
        if self.gather { self.packet_size } else { 0 }
    }

    /// Returns the maximum size of a datagram.
    pub(super) fn datagram_size(&self) -> usize {
        self.packet_size.min(MAX_DATAGRAM)
    }

    /// Returns whether a channel is unreliable.
    pub(super) fn is_lossy(&self, channel: u8) -> bool {
        self.channels.get(usize::from(channel)) == Some(&Channel::Unreliable)
    }

    /// Returns the first unreliable channel, for datagrams without messages.
    pub(super) fn lossy_channel(&self) -> u8 {
        let lossy = |kind: &Channel| *kind == Channel::Unreliable;
        let channel = self.channels.iter().position(lossy).unwrap_or_default();
        u8::try_from(channel).unwrap_or_default()
    }

    /// Returns the facts about a channel, for state. A missing channel counts as reliable.
    pub(super) fn state_info(&self, channel: u8) -> ChannelInfo {
        let info = self.channel_info(channel);
        let room = if info.lossy {
            self.lossy_state_room()
        } else {
            info.room
        };
        ChannelInfo { room, ..info }
    }

    /// Returns the facts about a channel. A missing channel counts as reliable.
    pub(super) fn channel_info(&self, channel: u8) -> ChannelInfo {
        let kind = self.channels.get(usize::from(channel)).copied();
        let kind = kind.unwrap_or(Channel::Reliable);
        ChannelInfo {
            channel,
            room: self.room(kind),
            lossy: kind == Channel::Unreliable,
        }
    }

    /// Returns whether packets may have headers with ticks.
    pub(super) fn has_ticks(&self) -> bool {
        self.framing == Framing::Compact && self.compare_schemas
    }

    /// Returns the longest header of a packet.
    fn header_size(&self) -> usize {
        if self.has_ticks() {
            MAX_HEADER.min(self.packet_size)
        } else {
            0
        }
    }

    /// Returns the maximum length of a message with state on an unreliable channel.
    pub(super) fn lossy_state_room(&self) -> Room {
        if self.header_size() == 0 {
            return self.room(Channel::Unreliable);
        }
        Room::state(self.packet_size - self.header_size(), self.max_message_size)
    }

    /// Returns the maximum length of a message.
    pub(super) fn room(&self, channel: Channel) -> Room {
        match channel {
            Channel::Reliable => Room::reliable(self.max_message_size),
            Channel::Unreliable => Room::unreliable(self.packet_size - self.header_size()),
        }
    }
}
