//! The messages of Mirror's `BasicAuthenticator`: names and passwords. To the protocol they are messages
//! of a game.

use syncvar_runtime::{
    MemberSchema, NetworkReader, NetworkWriter, ReadError, SyncValue, TypeSchema,
};

use super::MirrorMessage;
use super::part::{read_text, write_text};

/// A client says who it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthRequestMessage {
    /// The name.
    pub username: String,
    /// The password, as it was typed: nothing is encrypted.
    pub password: String,
}

/// The server's answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthResponseMessage {
    /// [`ACCEPTED`](Self::ACCEPTED), or anything else.
    pub code: u8,
    /// What is to be said about it.
    pub message: String,
}

impl AuthResponseMessage {
    /// All is well.
    pub const ACCEPTED: u8 = 100;
    /// The name or the password is wrong.
    pub const REJECTED: u8 = 200;
}

impl MirrorMessage for AuthRequestMessage {
    const NAME: &'static str = "Mirror.Authenticators.BasicAuthenticator+AuthRequestMessage";
}

impl MirrorMessage for AuthResponseMessage {
    const NAME: &'static str = "Mirror.Authenticators.BasicAuthenticator+AuthResponseMessage";
}

impl SyncValue for AuthRequestMessage {
    const SCHEMA: TypeSchema = TypeSchema::Struct {
        name: "AuthRequestMessage",
        members: &[
            MemberSchema {
                name: "username",
                schema: String::SCHEMA,
            },
            MemberSchema {
                name: "password",
                schema: String::SCHEMA,
            },
        ],
    };

    fn write(&self, writer: &mut NetworkWriter) {
        write_text(writer, Some(&self.username));
        write_text(writer, Some(&self.password));
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            username: read_text(reader)?.unwrap_or_default().into(),
            password: read_text(reader)?.unwrap_or_default().into(),
        })
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

impl SyncValue for AuthResponseMessage {
    const SCHEMA: TypeSchema = TypeSchema::Struct {
        name: "AuthResponseMessage",
        members: &[
            MemberSchema {
                name: "code",
                schema: u8::SCHEMA,
            },
            MemberSchema {
                name: "message",
                schema: String::SCHEMA,
            },
        ],
    };

    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_u8(self.code);
        write_text(writer, Some(&self.message));
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            code: reader.read_u8()?,
            message: read_text(reader)?.unwrap_or_default().into(),
        })
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}
