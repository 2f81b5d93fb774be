//! `World`: the server of a relay, while it follows one origin.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use syncvar_net::{Framing, NetworkServer, RecordError, ServerConfig, TickRecord};
use syncvar_runtime::schema::{Schema, SchemaError};
use syncvar_runtime::untyped::UntypedError;
use syncvar_runtime::{Channel, Endpoint, Prefabs};

use super::clock::OriginClock;
use crate::{RelayConfig, WorldState};

/// Maker of the server of a world.
pub(crate) type MakeServer = Box<dyn FnMut(Prefabs, ServerConfig) -> NetworkServer + Send>;

/// The objects of an origin, and the facts of its server.
#[derive(Debug)]
pub(super) struct World {
    pub(super) server: NetworkServer,
    /// Time of the origin at the play of its records.
    clock: OriginClock,
    origin: u32,
    facts: WorldFacts,
    /// Number of the last record before the last keyframe that was written, and the keyframe with the facts.
    written: Option<(u64, Bytes)>,
}

/// Facts of the server of the origin.
#[derive(Debug)]
struct WorldFacts {
    tick_rate: u32,
    send_interval: Duration,
    channels: Vec<Channel>,
    schema: Arc<str>,
}

/// Reason why a relay cannot follow an origin.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WorldError {
    /// The schema of the origin cannot be read.
    Schema(SchemaError),
    /// The schema of the origin has a type without a known layout.
    Untyped(UntypedError),
    /// The first keyframe cannot be read.
    Keyframe(RecordError),
}

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schema(error) => write!(f, "the schema of the origin: {error}"),
            Self::Untyped(error) => write!(f, "the schema of the origin: {error}"),
            Self::Keyframe(error) => write!(f, "the first keyframe of the origin: {error}"),
        }
    }
}

impl std::error::Error for WorldError {}

/// Makes a server without objects that follows records, with the facts of their server.
pub(crate) fn follower(
    state: &WorldState,
    config: &ServerConfig,
    alternates: &[String],
    make: &mut MakeServer,
) -> Result<NetworkServer, WorldError> {
    let schema = Schema::parse(&state.schema).map_err(WorldError::Schema)?;
    let prefabs = Prefabs::from_schema(&schema).map_err(WorldError::Untyped)?;
    let config = ServerConfig {
        tick_rate: state.tick_rate,
        send_interval: Some(state.send_interval),
        channels: state.channels.clone(),
        framing: Framing::Compact,
        compare_schemas: true,
        ..config.clone()
    };
    let mut server = make(prefabs, config);
    server.set_alternates(alternates.iter().cloned());
    server.hold_clock(true);
    Ok(server)
}

impl World {
    /// Begins with the state of an origin.
    pub(super) fn begin(
        state: &WorldState,
        relay: &RelayConfig,
        make: &mut MakeServer,
        now: Duration,
    ) -> Result<Self, WorldError> {
        let mut server = follower(state, &relay.server, &relay.alternates, make)?;
        match server.handle_record(&state.keyframe) {
            // The next keyframe has the unreadable object.
            Ok(()) | Err(RecordError::Malformed(_)) => {}
            Err(error) => return Err(WorldError::Keyframe(error)),
        }
        let mut clock = OriginClock::default();
        clock.sample(now, state.keyframe.time());
        Ok(Self {
            server,
            clock,
            origin: state.keyframe.origin(),
            facts: WorldFacts {
                tick_rate: state.tick_rate,
                send_interval: state.send_interval,
                channels: state.channels.clone(),
                schema: Arc::clone(&state.schema),
            },
            written: None,
        })
    }

    /// Returns the checksum of the origin.
    pub(super) fn origin(&self) -> u32 {
        self.origin
    }

    /// Plays a record. The next update sends its changes, in its tick.
    pub(super) fn play(&mut self, record: &TickRecord, now: Duration) {
        self.clock.sample(now, record.time());
        match self.server.handle_record(record) {
            // A record behind a missing record waits.
            Ok(()) | Err(RecordError::Missing { .. }) => {}
            Err(error) => {
                tracing::warn!(seq = record.seq(), %error, "a relay cannot play a record");
            }
        }
    }

    /// Updates the spectators at the estimated time of the origin.
    pub(super) fn update(&mut self, now: Duration) {
        let estimate = self.clock.estimate(now);
        Endpoint::update(&mut self.server, estimate);
    }

    /// Returns the state of the world behind the last record. Questions between two records share the bytes.
    pub(super) fn state(&mut self) -> Option<Bytes> {
        let seq = self.server.followed_seq()?;
        if let Some((written, bytes)) = &self.written
            && *written == seq
        {
            return Some(bytes.clone());
        }
        let state = WorldState {
            tick_rate: self.facts.tick_rate,
            send_interval: self.facts.send_interval,
            channels: self.facts.channels.clone(),
            schema: Arc::clone(&self.facts.schema),
            keyframe: self.server.followed_keyframe()?,
        };
        let bytes = state.to_bytes();
        self.written = Some((seq, bytes.clone()));
        Some(bytes)
    }
}
