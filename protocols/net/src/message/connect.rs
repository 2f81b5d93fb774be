//! `Connect`: the handshake's message.

use super::{Message, PROTOCOL_VERSION};
use crate::{Framing, MessageType};
use syncvar_runtime::unstable::object::Nanos;
use syncvar_runtime::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

/// Request of a client: packed protocol version, schema hash in 8 bytes, requested framing in one byte.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Connect {
    pub(crate) version: u32,
    pub(crate) schema_hash: u64,
    pub(crate) framing: Framing,
}

impl Message for Connect {
    const TYPE: MessageType = MessageType::Connect;

    fn write_payload(&self, writer: &mut NetworkWriter) {
        writer.write_packed_u32(self.version);
        writer.write_u64(self.schema_hash);
        writer.write_u8(self.framing.number());
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
            });
        }
        Ok(Self {
            version,
            schema_hash: reader.read_u64()?,
            framing: read_framing(reader)?,
        })
    }
}

/// Answer of the server, with the number of [`Connect`]: packed protocol version, 8 bytes of 0, its choice of the framing, and
/// the [`Start`] and [`ServerPace`] of a connection with [`Framing::Compact`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Accepted {
    pub(crate) version: u32,
    /// `None` for [`Framing::Unet`].
    pub(crate) start: Option<(Start, ServerPace)>,
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
    }

    /// Reads the version. Of another version, the rest is skipped.
    fn read_payload(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let version = reader.read_packed_u32()?;
        if version != PROTOCOL_VERSION {
            reader.read_bytes(reader.remaining())?;
            let start = None;
            return Ok(Self { version, start });
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
        Ok(Self { version, start })
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
