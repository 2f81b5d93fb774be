//! `Learning`: progress of a client without prefabs, which learns the schema of its server.

use super::Session;
use crate::client::ClientConfig;
use crate::message::Connect;
use syncvar_runtime::Channel;

/// Progress of a client that learns the schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Learning {
    /// The client has prefabs of its program.
    #[default]
    Off,
    /// No server has described its schema yet.
    Begun,
    /// The prefabs are those of the last server.
    Done,
}

impl Learning {
    /// Returns whether the client learns the schema.
    pub(crate) fn is_on(self) -> bool {
        self != Self::Off
    }

    /// Changes the request to join: a client that learns describes no schema.
    pub(super) fn adapt(self, connect: &mut Connect) {
        if self.is_on() {
            connect.build.schema_hash = 0;
        }
        if self == Self::Begun {
            connect.schema_hash = 0;
        }
    }
}

impl Session {
    /// Takes the kinds of the server's channels: a client that learns has those of the server.
    pub(crate) fn take_channels(&self, channels: Vec<Channel>, config: &mut ClientConfig) {
        if self.build.learning.is_on() {
            config.channels = channels;
        } else if channels != config.channels {
            tracing::warn!(
                server = ?channels,
                client = ?config.channels,
                "`ClientConfig::channels` differs from the server's setting"
            );
        }
    }
}
