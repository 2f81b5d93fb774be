//! `NetworkClient`: replicas of a server's objects. No socket, no clock, no thread.
//!
//! A client is a list of parts and the order in which they act. A part owns its state and its methods. A method
//! takes its part, the [`Context`] and the lower parts that it touches, so that its signature names them. A part
//! never calls a part above it: it returns effects, and the conductor hands them upwards.
//!
//! ```text
//! conductor     client.rs, api/   the public methods, the steps of `update` and of `handle_packet`, all callbacks
//!    |
//! inbound       deltas, snapshots and early messages, read into the objects
//! prediction    objects ahead of the server, replayed after a difference
//! inputs        one input for each tick, on a clock ahead of the server's
//! writes        owner writes: permission, encoding, due fields
//! session       one connection from its begin to its end: the server's build and the commands in its types; the link
//!               when it is lost; players; records in place of a server
//! outbound      messages and datagrams for the server, cut into packets
//! arrivals      packets of the server by tick, until each tick is complete
//! motion        the view between two samples, behind the server's time
//! objects       the world: objects, dormant scene objects, references, received fields
//!    |
//! context       settings, events, counters and clocks: lent to every part
//! ```
//!
//! A hook with a context, a lifecycle callback and a call borrow the whole client. So the conductor runs them, and
//! no part is borrowed meanwhile. A callback may end the connection, begin the next connection or remove any object: a
//! step behind a callback compares `session.number` and looks its object up again.

mod api;
mod arrivals;
mod clock;
mod config;
mod context;
mod event;
mod inbound;
mod inputs;
mod link_quality;
mod motion;
mod objects;
mod outbound;
mod prediction;
mod session;
mod state_message;
mod translation;
mod writes;

pub(crate) use api::loading::LoadedObject;
pub use config::ClientConfig;
pub use event::{ClientEvent, RefusedCommand, SpawnFailure};
pub use link_quality::LinkQuality;
pub use objects::Replica;
pub use outbound::ClientPacket;
pub(crate) use outbound::PendingWork;
pub use prediction::{PredictedTicks, PredictionStats};
pub use session::ClientState;
pub use writes::{ReplicaMut, ReplicaSink};

use std::time::Duration;

use crate::stats::Stats;
use arrivals::Arrivals;
use context::Context;
pub(crate) use inbound::ReceivedSnapshot;
use inbound::{Inbound, Reading};
use inputs::OwnInputs;
use objects::Objects;
use outbound::Outbound;
use prediction::{Predicting, Predictions};
use session::Session;
use syncvar_runtime::events::EventReader;
use syncvar_runtime::{Changed, Endpoint, NetworkBehaviour, Prefabs};
use writes::PendingWrites;

/// Replicas of the objects of a [`NetworkServer`](crate::NetworkServer).
///
/// The methods fall into the same families as on the server:
///
/// - getters: [`get`](Self::get), [`identities`](Self::identities), ...
/// - commands: [`ready`](Self::ready), [`disconnect`](Self::disconnect)
/// - input from the transport: [`handle_connect`](Self::handle_connect),
///   [`handle_packet`](Self::handle_packet), [`handle_disconnect`](Self::handle_disconnect)
/// - time: [`update`](Self::update)
/// - output, polled until empty: [`poll_transmit`](Self::poll_transmit),
///   [`poll_event`](Self::poll_event)
///
/// An update is applied to all fields of all behaviours of its object first. Then the hooks run in
/// declaration order, each with the previous value of its field. Initial values and equal values run
/// no hook.
///
/// An unreadable update poisons its object only: the object keeps its values, later updates are
/// ignored, and the server is asked for a snapshot.
///
/// A message that arrives before its object is kept and handled right after the object's spawn, in
/// order of arrival: see [`ClientConfig::early_message_timeout`]. A message for a despawned object is dropped.
///
/// ```
/// use std::time::Duration;
/// use syncvar::prelude::*;
///
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     open: SyncVar<bool>,
/// # }
/// let mut client = NetworkClient::new(Prefabs::new().register::<Door>("door"));
/// client.handle_connect();
/// client.update(Duration::from_millis(50));
/// while let Some(packet) = client.poll_transmit() {
///     println!("{} bytes for the server", packet.bytes.len());
/// }
/// while let Some(event) = client.poll_event() {
///     println!("{event:?}");
/// }
/// assert!(!client.is_connected()); // no answer yet
/// ```
#[derive(Debug)]
pub struct NetworkClient {
    context: Context,
    objects: Objects,
    session: Session,
    /// Packets of an incomplete tick; `None` without headers.
    arrivals: Option<Arrivals>,
    outbound: Outbound,
    /// Local writes not yet sent.
    writes: PendingWrites,
    inputs: OwnInputs,
    predictions: Predictions,
    /// Decoding state of the message in progress, and messages that arrived before their objects.
    inbound: Inbound,
}

impl NetworkClient {
    /// Creates a disconnected client without objects.
    pub fn new(prefabs: Prefabs) -> Self {
        Self::with_config(prefabs, ClientConfig::default())
    }

    /// Creates a client with the given settings.
    pub fn with_config(prefabs: Prefabs, mut config: ClientConfig) -> Self {
        config.tick_rate = config.tick_rate.max(1);
        config.warn_of_intervals();
        prefabs.warn_of_intervals(config.tick_rate);
        let context = Context::new(config, &prefabs);
        Self {
            session: Session::default(),
            arrivals: None,
            outbound: Outbound::new(context.config.packet_size),
            writes: PendingWrites::default(),
            inputs: OwnInputs::default(),
            predictions: Predictions::default(),
            inbound: Inbound::new(&prefabs),
            objects: Objects::new(prefabs, &context.config),
            context,
        }
    }

    /// Returns the client's settings.
    pub fn config(&self) -> &ClientConfig {
        &self.context.config
    }

    /// Returns the counters of sent and received messages.
    pub fn stats(&self) -> &Stats {
        &self.context.stats
    }

    /// Returns the client's own time: the time of the last update. It never goes back.
    pub fn now(&self) -> Duration {
        self.context.now()
    }

    /// Advances the client to `now`, the time since any fixed moment.
    ///
    /// If `now` goes back, the client's own time stands still for this update and continues from there.
    /// The same holds for a leap of more than 100 years ([`ClientEvent::ClockLeap`]).
    ///
    /// An update sends due owner writes, inputs and pings, advances [`network_time`](Self::network_time) and the
    /// [view](Self::view), and drops early messages after [`ClientConfig::early_message_timeout`]. A game without these things does without updates.
    ///
    /// A transport that updates the end by its own clock (`TcpServer`, `TcpClient`, `MirrorHost`,
    /// `MirrorPeer`) disables this call: it does nothing then, with one warning.
    pub fn update(&mut self, now: Duration) {
        if self.context.clock.own.admits_program() {
            Endpoint::update(self, now);
        }
    }

    /// Returns the oldest event: for a program with a single consumer.
    #[inline]
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.context.events.pop()
    }

    /// Creates a reader of the events, for a program with several consumers: see [`EventReader`].
    pub fn event_reader(&mut self) -> EventReader {
        self.context.events.reader()
    }

    /// Returns the events that a reader has not read, oldest first.
    ///
    /// # Panics
    ///
    /// In debug builds, if a different end created the reader.
    pub fn read_events<'a>(
        &'a self,
        reader: &'a mut EventReader,
    ) -> impl Iterator<Item = &'a ClientEvent> {
        self.context.events.read(reader)
    }

    /// Returns the changed fields of the behaviours of a type in the events that a reader has not read. Reads the rest of the events too.
    ///
    /// # Panics
    ///
    /// In debug builds, if a different end created the reader.
    pub fn changes_of<'a, B: NetworkBehaviour>(
        &'a self,
        reader: &'a mut EventReader,
    ) -> impl Iterator<Item = Changed<B>> {
        self.read_events(reader)
            .filter_map(ClientEvent::changed::<B>)
    }

    /// Returns the number of dropped events: the oldest events go when [`ClientConfig::max_events`] are
    /// unpolled.
    pub fn missed_events(&self) -> u64 {
        self.context.events.missed()
    }

    /// Lends the parts below `inbound`, for a message.
    #[inline]
    fn lend(&mut self) -> (&mut Inbound, Reading<'_>) {
        let lent = Reading {
            context: &mut self.context,
            objects: &mut self.objects,
            arrivals: self.arrivals.as_mut(),
            outbound: &mut self.outbound,
            session: &mut self.session,
            writes: &mut self.writes,
            predictions: &self.predictions,
        };
        (&mut self.inbound, lent)
    }

    /// Lends the lower parts to the predictions.
    fn lend_predictions(&mut self) -> (&mut Predictions, Predicting<'_>) {
        let lent = Predicting {
            context: &mut self.context,
            objects: &mut self.objects,
            arrivals: self.arrivals.as_ref(),
            session: &self.session,
            inputs: &mut self.inputs,
            outbound: &mut self.outbound,
        };
        (&mut self.predictions, lent)
    }
}
