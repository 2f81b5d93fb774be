//! `Session`: the join request of a client, and the session that a server grants.

use syncvar_runtime::endpoint::Payload;
use syncvar_runtime::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

use super::Message;
use crate::{MessageType, SessionToken};

/// Flag of a join request: the token of a session follows.
const TOKEN: u8 = 1;

/// Flag of a join request: the counts of the session's packets follow the token.
const COUNTS: u8 = 2;

/// Join request, before `Connect`: flags in one byte; the return to a session; payload of the program,
/// to the end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JoinRequest {
    pub(crate) returning: Option<Return>,
    pub(crate) payload: Payload,
}

/// Return to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Return {
    pub(crate) token: SessionToken,
    /// None for a client without the objects of the session.
    pub(crate) counts: Option<Counts>,
}

/// Packets of a session on reliable channels, as the client counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) received: u64,
    /// Sent packets that the client can send again no more.
    pub(crate) gone: u64,
    pub(crate) sent: u64,
}

/// Longest return: flags, token, three packed numbers.
pub(crate) const MAX_RETURN: usize = 1 + 16 + 3 * 9;

impl Message for JoinRequest {
    const TYPE: MessageType = MessageType::Session;

    fn write_payload(&self, writer: &mut NetworkWriter) {
        let counts = self.returning.and_then(|returning| returning.counts);
        let token = self.returning.map_or(0, |_| TOKEN);
        writer.write_u8(token | counts.map_or(0, |_| COUNTS));
        if let Some(returning) = self.returning {
            writer.write_bytes(&returning.token.as_bytes());
        }
        if let Some(counts) = counts {
            writer.write_packed_u64(counts.received);
            writer.write_packed_u64(counts.gone);
            writer.write_packed_u64(counts.sent);
        }
        writer.write_bytes(self.payload.as_bytes());
    }

    fn read_payload(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let flags = reader.read_u8()?;
        if !matches!(flags, 0 | TOKEN | 3) {
            let (what, value) = ("flags of a join request", flags.into());
            return Err(reader.error(ReadErrorKind::InvalidValue { what, value }));
        }
        let returning = if flags & TOKEN != 0 {
            let token = read_token(reader)?;
            let counts = if flags & COUNTS != 0 {
                Some(Counts {
                    received: reader.read_packed_u64()?,
                    gone: reader.read_packed_u64()?,
                    sent: reader.read_packed_u64()?,
                })
            } else {
                None
            };
            Some(Return { token, counts })
        } else {
            None
        };
        let payload = reader.read_bytes(reader.remaining())?.to_vec().into();
        Ok(Self { returning, payload })
    }
}

/// Session of an accepted connection, before the server's `Connect`: kind in one byte, token, count of the
/// server's packets, count of the client's packets.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grant {
    pub(crate) kind: GrantKind,
    pub(crate) token: SessionToken,
    /// Packets of the server on reliable channels before the next one.
    pub(crate) sent: u64,
    /// Packets of the client that the server has received on reliable channels.
    pub(crate) received: u64,
}

/// Contents of a granted session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GrantKind {
    /// The session begins.
    New,
    /// Both sides agree: the packets continue.
    Resumed,
    /// The connection is the earlier one; the objects follow as for a new client.
    Restarted,
}

impl Message for Grant {
    const TYPE: MessageType = MessageType::Session;

    fn write_payload(&self, writer: &mut NetworkWriter) {
        writer.write_u8(match self.kind {
            GrantKind::New => 0,
            GrantKind::Resumed => 1,
            GrantKind::Restarted => 2,
        });
        writer.write_bytes(&self.token.as_bytes());
        writer.write_packed_u64(self.sent);
        writer.write_packed_u64(self.received);
    }

    fn read_payload(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let kind = match reader.read_u8()? {
            0 => GrantKind::New,
            1 => GrantKind::Resumed,
            2 => GrantKind::Restarted,
            other => {
                let (what, value) = ("kind of a session", other.into());
                return Err(reader.error(ReadErrorKind::InvalidValue { what, value }));
            }
        };
        Ok(Self {
            kind,
            token: read_token(reader)?,
            sent: reader.read_packed_u64()?,
            received: reader.read_packed_u64()?,
        })
    }
}

fn read_token(reader: &mut NetworkReader<'_>) -> Result<SessionToken, ReadError> {
    let mut token = [0; 16];
    token.copy_from_slice(reader.read_bytes(16)?);
    Ok(SessionToken::new(token))
}
