//! `Request`: a message of a client, decoded and permitted by the state of its connection.
//!
//! ```text
//! Connecting   Session -> Join; Connect
//! Requested    without schemas: program messages, Ready
//! Connected    program messages, players, Ready, Ping, Echo, View, OwnerWrite, Inputs, commands
//! Ready        the same, and Resync
//! Closing      nothing
//! ```

use syncvar_runtime::unstable::prefab::message::FIRST_MESSAGE;
use syncvar_runtime::{DisconnectReason, NetId, ReadError};

use crate::MessageType;
use crate::message::{
    Connect, Disconnect, Echo, Frame, Message, Ping, Ready, Resync, View, unknown,
};
use crate::server::sessions::connection::ConnectionState;

/// Message of a client that its connection may send now.
pub(crate) enum Request<'a> {
    /// Payload of a join request, until `Connect`.
    Join(&'a [u8]),
    Connect(Connect),
    /// The client leaves.
    Leave(DisconnectReason),
    /// A message of the program.
    Program(Frame<'a>),
    /// The client asks for the objects before its acceptance.
    ReadyEarly,
    /// The client asks for the objects.
    Ready,
    AddPlayer(&'a [u8]),
    RemovePlayer(&'a [u8]),
    /// The client could not decode an object.
    Resync(NetId),
    Ping(Ping),
    Echo(Echo),
    View(View),
    OwnerWrite(&'a [u8]),
    Inputs(Frame<'a>),
    Command(MessageType, &'a [u8]),
}

impl<'a> Request<'a> {
    /// Decodes a message of a connection in a state. `has_schemas`: both ends compare their schemas.
    pub(crate) fn decode(
        state: ConnectionState,
        has_schemas: bool,
        frame: Frame<'a>,
    ) -> Result<Self, ReadError> {
        // Clients never need long messages.
        if frame.long {
            let message_type = MessageType::Long.number();
            return Err(unknown(Frame {
                message_type,
                ..frame
            }));
        }
        let message_type = MessageType::from_number(frame.message_type);
        match (state, message_type) {
            (ConnectionState::Connecting { .. }, Some(MessageType::Session)) => {
                Ok(Self::Join(frame.payload))
            }
            (ConnectionState::Connecting { .. }, Some(MessageType::Connect)) => {
                Ok(Self::Connect(Connect::decode(frame.payload)?))
            }
            (_, Some(MessageType::Disconnect)) => {
                let reason = Disconnect::decode(frame.payload)?.into_reason();
                Ok(Self::Leave(reason))
            }
            (ConnectionState::Requested { .. }, None)
                if !has_schemas && frame.message_type >= FIRST_MESSAGE =>
            {
                Ok(Self::Program(frame))
            }
            (ConnectionState::Requested { .. }, Some(MessageType::Ready)) if !has_schemas => {
                Ready::decode(frame.payload)?;
                Ok(Self::ReadyEarly)
            }
            (ConnectionState::Connecting { .. } | ConnectionState::Requested { .. }, _) => {
                Err(unknown(frame))
            }
            (_, Some(message_type)) => Self::decode_accepted(message_type, has_schemas, frame),
            (_, None) if frame.message_type >= FIRST_MESSAGE => Ok(Self::Program(frame)),
            (_, None) => Err(unknown(frame)),
        }
    }

    /// Decodes a message of an accepted connection.
    fn decode_accepted(
        message_type: MessageType,
        has_schemas: bool,
        frame: Frame<'a>,
    ) -> Result<Self, ReadError> {
        let payload = frame.payload;
        Ok(match message_type {
            MessageType::Ready => {
                Ready::decode(payload)?;
                Self::Ready
            }
            MessageType::AddPlayer => Self::AddPlayer(payload),
            MessageType::RemovePlayer => Self::RemovePlayer(payload),
            MessageType::Resync => Self::Resync(Resync::decode(payload)?.net_id),
            MessageType::Ping if has_schemas => Self::Ping(Ping::decode(payload)?),
            MessageType::Echo if has_schemas => Self::Echo(Echo::decode(payload)?),
            MessageType::View if has_schemas => Self::View(View::decode(payload)?),
            MessageType::OwnerWrite if has_schemas => Self::OwnerWrite(payload),
            MessageType::Inputs if has_schemas => Self::Inputs(frame),
            MessageType::Command | MessageType::Call => Self::Command(message_type, payload),
            _ => return Err(unknown(frame)),
        })
    }
}
