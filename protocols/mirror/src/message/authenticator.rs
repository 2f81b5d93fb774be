//! Messages of Mirror's `BasicAuthenticator`: names and passwords. The protocol treats them as user
//! messages.

use syncvar_runtime::{
    MemberSchema, NetworkReader, NetworkWriter, ReadError, SyncValue, TypeSchema,
};

use super::MirrorMessage;
use super::part::MessageField;

/// Credentials of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthRequestMessage {
    /// The name.
    pub username: String,
    /// The password in clear text: the protocol is not encrypted.
    pub password: String,
}

/// Answer of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthResponseMessage {
    /// [`ACCEPTED`](Self::ACCEPTED), or a code of an error.
    pub code: u8,
    /// Text for the user.
    pub message: String,
}

impl AuthResponseMessage {
    /// Accepted.
    pub const ACCEPTED: u8 = 100;
    /// Wrong name or password.
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
            MemberSchema::new("username", String::SCHEMA),
            MemberSchema::new("password", String::SCHEMA),
        ],
    };

    fn write(&self, writer: &mut NetworkWriter) {
        Some(&*self.username).write(writer);
        Some(&*self.password).write(writer);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            username: read_text(reader)?,
            password: read_text(reader)?,
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
            MemberSchema::new("code", u8::SCHEMA),
            MemberSchema::new("message", String::SCHEMA),
        ],
    };

    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_u8(self.code);
        Some(&*self.message).write(writer);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            code: reader.read_u8()?,
            message: read_text(reader)?,
        })
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

/// Reads a text; a missing text is empty.
pub(super) fn read_text(reader: &mut NetworkReader<'_>) -> Result<String, ReadError> {
    let text: Option<&str> = MessageField::read(reader)?;
    Ok(text.unwrap_or_default().into())
}
