//! Messages of Mirror's `DeviceAuthenticator` and `UniqueNameAuthenticator`. The protocol treats them as user
//! messages.

use syncvar_runtime::{
    MemberSchema, NetworkReader, NetworkWriter, ReadError, SyncValue, TypeSchema,
};

use super::MirrorMessage;
use super::authenticator::read_text;
use super::part::MessageField;

/// Device of a client, for Mirror's `DeviceAuthenticator`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceAuthRequestMessage {
    /// Identifier of the device. The client chooses it.
    pub device: String,
}

/// Answer to a [`DeviceAuthRequestMessage`]: every device is accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceAuthResponseMessage;

/// Name of a client, for Mirror's `UniqueNameAuthenticator`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameAuthRequestMessage {
    /// The name.
    pub name: String,
}

/// Answer to a [`NameAuthRequestMessage`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameAuthResponseMessage {
    /// Set if the name was free.
    pub success: bool,
    /// Text for the user.
    pub message: String,
}

impl MirrorMessage for DeviceAuthRequestMessage {
    const NAME: &'static str = "Mirror.Authenticators.DeviceAuthenticator+AuthRequestMessage";
}

impl MirrorMessage for DeviceAuthResponseMessage {
    const NAME: &'static str = "Mirror.Authenticators.DeviceAuthenticator+AuthResponseMessage";
}

impl MirrorMessage for NameAuthRequestMessage {
    const NAME: &'static str = "Mirror.Authenticators.UniqueNameAuthenticator+AuthRequestMessage";
}

impl MirrorMessage for NameAuthResponseMessage {
    const NAME: &'static str = "Mirror.Authenticators.UniqueNameAuthenticator+AuthResponseMessage";
}

impl SyncValue for DeviceAuthRequestMessage {
    const SCHEMA: TypeSchema = TypeSchema::Struct {
        name: "DeviceAuthRequestMessage",
        members: &[MemberSchema::new("device", String::SCHEMA)],
    };

    fn write(&self, writer: &mut NetworkWriter) {
        Some(&*self.device).write(writer);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let device = read_text(reader)?;
        Ok(Self { device })
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

impl SyncValue for DeviceAuthResponseMessage {
    const SCHEMA: TypeSchema = TypeSchema::Struct {
        name: "DeviceAuthResponseMessage",
        members: &[],
    };

    fn write(&self, _: &mut NetworkWriter) {}

    fn read(_: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        Ok(Self)
    }

    fn same(&self, _: &Self) -> bool {
        true
    }
}

impl SyncValue for NameAuthRequestMessage {
    const SCHEMA: TypeSchema = TypeSchema::Struct {
        name: "NameAuthRequestMessage",
        members: &[MemberSchema::new("name", String::SCHEMA)],
    };

    fn write(&self, writer: &mut NetworkWriter) {
        Some(&*self.name).write(writer);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let name = read_text(reader)?;
        Ok(Self { name })
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

impl SyncValue for NameAuthResponseMessage {
    const SCHEMA: TypeSchema = TypeSchema::Struct {
        name: "NameAuthResponseMessage",
        members: &[
            MemberSchema::new("success", bool::SCHEMA),
            MemberSchema::new("message", String::SCHEMA),
        ],
    };

    fn write(&self, writer: &mut NetworkWriter) {
        SyncValue::write(&self.success, writer);
        Some(&*self.message).write(writer);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            success: <bool as SyncValue>::read(reader)?,
            message: read_text(reader)?,
        })
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}
