//! How far a connection has come: ready, with a player, in a scene.

use syncvar_runtime::{NetworkReader, NetworkWriter, ReadError};

use super::NetworkMessage;
use super::part::{read_text, write_text};

/// A client is ready to be sent objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadyMessage;

/// The server sends a client no more objects until that is ready again. It keeps what it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotReadyMessage;

/// A client asks for a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddPlayerMessage;

/// A client is to load or unload a scene. It is ready again when it has, and handles no message until then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SceneMessage<'a> {
    /// The name or path of the scene, if there is one.
    pub scene_name: Option<&'a str>,
    /// What is to be done.
    pub operation: SceneOperation,
    /// Whether the game does it itself.
    pub custom_handling: bool,
}

/// What a client is to do with a scene. Mirror's `SceneOperation`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum SceneOperation {
    /// To load it in place of all others.
    #[default]
    Normal = 0,
    /// To load it beside the others.
    LoadAdditive = 1,
    /// To unload it.
    UnloadAdditive = 2,
}

/// A message without fields.
macro_rules! empty {
    ($($message:ident = $name:literal;)*) => {$(
        impl NetworkMessage<'_> for $message {
            const NAME: &'static str = $name;

            fn write(&self, _: &mut NetworkWriter) {}

            fn read(_: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
                Ok(Self)
            }
        }
    )*};
}

pub(super) use empty;

empty! {
    ReadyMessage = "Mirror.ReadyMessage";
    NotReadyMessage = "Mirror.NotReadyMessage";
    AddPlayerMessage = "Mirror.AddPlayerMessage";
}

impl<'a> NetworkMessage<'a> for SceneMessage<'a> {
    const NAME: &'static str = "Mirror.SceneMessage";

    fn write(&self, writer: &mut NetworkWriter) {
        write_text(writer, self.scene_name);
        writer.write_u8(self.operation.number());
        writer.write_u8(self.custom_handling.into());
    }

    fn read(reader: &mut NetworkReader<'a>) -> Result<Self, ReadError> {
        Ok(Self {
            scene_name: read_text(reader)?,
            operation: SceneOperation::read(reader)?,
            custom_handling: reader.read_u8()? != 0,
        })
    }
}

impl SceneOperation {
    const fn number(self) -> u8 {
        match self {
            Self::Normal => 0,
            Self::LoadAdditive => 1,
            Self::UnloadAdditive => 2,
        }
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        match reader.read_u8()? {
            0 => Ok(Self::Normal),
            1 => Ok(Self::LoadAdditive),
            2 => Ok(Self::UnloadAdditive),
            other => Err(reader.unknown_variant("SceneOperation", other)),
        }
    }
}
