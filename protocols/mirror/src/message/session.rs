//! Readiness, players and scenes.

use syncvar_runtime::{NetworkReader, NetworkWriter, ReadError};

use super::part::{MessageField, messages};

/// A client is ready for objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadyMessage;

/// The server stops sending objects until the client is ready again. The client keeps its objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotReadyMessage;

/// A client asks for a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddPlayerMessage;

/// A load or unload of a scene. The client handles no messages until it is done, and is ready again
/// then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SceneMessage<'a> {
    /// The name or path of the scene.
    pub scene_name: Option<&'a str>,
    /// The operation.
    pub operation: SceneOperation,
    /// The game loads the scene by custom code.
    pub custom_handling: bool,
}

/// Operation with a scene. Mirror's `SceneOperation`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum SceneOperation {
    /// Load it in place of the present scenes.
    #[default]
    Normal = 0,
    /// Load it beside the present scenes.
    LoadAdditive = 1,
    /// Unload it.
    UnloadAdditive = 2,
}

messages! {
    ReadyMessage = "Mirror.ReadyMessage";
    NotReadyMessage = "Mirror.NotReadyMessage";
    AddPlayerMessage = "Mirror.AddPlayerMessage";
}

messages! {
    'a;
    SceneMessage<'a> = "Mirror.SceneMessage" { scene_name, operation, custom_handling }
}

impl MessageField<'_> for SceneOperation {
    fn write(self, writer: &mut NetworkWriter) {
        writer.write_u8(match self {
            Self::Normal => 0,
            Self::LoadAdditive => 1,
            Self::UnloadAdditive => 2,
        });
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
