//! `Connect`: the handshake's message.

use super::{Message, PROTOCOL_VERSION};
use crate::{Framing, MessageType};
use syncvar_runtime::unstable::object::Nanos;
use syncvar_runtime::{
    Channel, FixedString, NetworkReader, NetworkWriter, ReadError, ReadErrorKind,
};

/// Longest name of a build, in bytes.
pub(crate) const MAX_BUILD: usize = 64;

/// Most channels of a server.
const MAX_CHANNELS: u64 = 64;

/// Request of a client: packed protocol version, hash of the schema of the connection's bytes, requested framing in one
/// byte, hash of the client's own schema, name of its build.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Connect {
    pub(crate) version: u32,
    /// Hash of the schema that the bytes of the connection follow.
    pub(crate) schema_hash: u64,
    pub(crate) framing: Framing,
    pub(crate) build: ClientBuild,
}

/// Build of a client.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ClientBuild {
    /// Hash of the client's own schema; 0 without compiled types.
    pub(crate) schema_hash: u64,
    /// Name of the build; empty without a name.
    pub(crate) name: FixedString<MAX_BUILD>,
}

impl Message for Connect {
    const TYPE: MessageType = MessageType::Connect;

    fn write_payload(&self, writer: &mut NetworkWriter) {
        writer.write_packed_u32(self.version);
        writer.write_u64(self.schema_hash);
        writer.write_u8(self.framing.number());
        writer.write_u64(self.build.schema_hash);
        writer.write(&self.build.name);
    }

    /// Reads the version. Of another version, the rest is skipped.
    fn read_payload(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let version = reader.read_packed_u32()?;
        if version != PROTOCOL_VERSION {
            reader.read_bytes(reader.remaining())?;
            let (schema_hash, framing) = (0, Framing::Unet);
            return Ok(Self {
                version,
                schema_hash,
                framing,
                build: ClientBuild::default(),
            });
        }
        Ok(Self {
            version,
            schema_hash: reader.read_u64()?,
            framing: read_framing(reader)?,
            build: ClientBuild {
                schema_hash: reader.read_u64()?,
                name: reader.read()?,
            },
        })
    }
}

/// Answer of the server, with the number of [`Connect`]: packed protocol version, 8 bytes of 0, its choice of the framing,
/// the [`Start`] and [`ServerPace`] of a connection with [`Framing::Compact`], and the kinds of the channels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Accepted {
    pub(crate) version: u32,
    /// `None` for [`Framing::Unet`].
    pub(crate) start: Option<(Start, ServerPace)>,
    /// Kinds of the channels; empty in an answer of another version.
    pub(crate) channels: Vec<Channel>,
}

/// Begin of the ticks of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    /// Number of this run of the server.
    pub(crate) incarnation: u64,
    /// Tick 1 of the headers, as a tick of the server's [`NetworkTime`](syncvar_runtime::NetworkTime).
    pub(crate) first_tick: u64,
}

/// Times of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ServerPace {
    /// Ticks per second, at least 1.
    pub(crate) tick_rate: u32,
    /// Send interval of behaviours without one, in whole microseconds.
    pub(crate) send_interval: Nanos,
}

impl Accepted {
    /// Returns the framing of the connection.
    pub(crate) fn framing(&self) -> Framing {
        self.start.map_or(Framing::Unet, |_| Framing::Compact)
    }
}

impl Message for Accepted {
    const TYPE: MessageType = MessageType::Connect;

    fn write_payload(&self, writer: &mut NetworkWriter) {
        writer.write_packed_u32(self.version);
        writer.write_u64(0);
        writer.write_u8(self.framing().number());
        if let Some((start, pace)) = self.start {
            writer.write_u64(start.incarnation);
            writer.write_packed_u64(start.first_tick);
            writer.write_packed_u32(pace.tick_rate);
            writer.write_packed_u64(pace.send_interval / 1_000);
        }
        writer.write_packed_u64(self.channels.len() as u64);
        for kind in &self.channels {
            writer.write_bool(*kind == Channel::Unreliable);
        }
    }

    /// Reads the version. Of another version, the rest is skipped.
    fn read_payload(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let version = reader.read_packed_u32()?;
        if version != PROTOCOL_VERSION {
            reader.read_bytes(reader.remaining())?;
            let (start, channels) = (None, Vec::new());
            return Ok(Self {
                version,
                start,
                channels,
            });
        }
        reader.read_u64()?;
        let start = match read_framing(reader)? {
            Framing::Unet => None,
            Framing::Compact => Some((
                Start {
                    incarnation: reader.read_u64()?,
                    first_tick: reader.read_packed_u64()?,
                },
                read_pace(reader)?,
            )),
        };
        let channels = read_channels(reader)?;
        Ok(Self {
            version,
            start,
            channels,
        })
    }
}

fn read_pace(reader: &mut NetworkReader<'_>) -> Result<ServerPace, ReadError> {
    let tick_rate = reader.read_packed_u32()?;
    if tick_rate == 0 {
        let (what, value) = ("ticks in a second", 0);
        return Err(reader.error(ReadErrorKind::InvalidValue { what, value }));
    }
    let send_interval = reader.read_packed_u64()?.saturating_mul(1_000);
    Ok(ServerPace {
        tick_rate,
        send_interval,
    })
}

fn read_channels(reader: &mut NetworkReader<'_>) -> Result<Vec<Channel>, ReadError> {
    let count = reader.read_packed_u64()?;
    if count == 0 || count > MAX_CHANNELS {
        let (what, value) = ("number of channels", count);
        return Err(reader.error(ReadErrorKind::InvalidValue { what, value }));
    }
    let mut channels = Vec::new();
    for _ in 0..count {
        channels.push(if reader.read_bool()? {
            Channel::Unreliable
        } else {
            Channel::Reliable
        });
    }
    Ok(channels)
}

fn read_framing(reader: &mut NetworkReader<'_>) -> Result<Framing, ReadError> {
    match reader.read_u8()? {
        0 => Ok(Framing::Unet),
        1 => Ok(Framing::Compact),
        other => {
            let (what, value) = ("framing", other.into());
            Err(reader.error(ReadErrorKind::InvalidValue { what, value }))
        }
    }
}
