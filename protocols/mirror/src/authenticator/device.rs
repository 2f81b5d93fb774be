//! Identification by the device.

use std::collections::BTreeMap;

use syncvar_runtime::{ConnectionId, ReceivedMessage};

use super::{ClientAuthenticator, Decision, ServerAuthenticator};
use crate::message::{DeviceAuthRequestMessage, DeviceAuthResponseMessage};
use crate::{MirrorClient, MirrorServer};

/// The id of the client's device, which is always accepted. Mirror, `DeviceAuthenticator`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceAuthenticator {
    own: DeviceAuthRequestMessage,
    devices: BTreeMap<ConnectionId, String>,
}

impl DeviceAuthenticator {
    /// Returns one with the id of this device; a server needs none.
    pub fn new(device: &str) -> Self {
        Self {
            own: DeviceAuthRequestMessage {
                device: device.into(),
            },
            devices: BTreeMap::new(),
        }
    }

    /// Returns the device of a connection. Mirror, `authenticationData`.
    pub fn device(&self, connection: ConnectionId) -> Option<&str> {
        self.devices.get(&connection).map(String::as_str)
    }
}

impl ServerAuthenticator for DeviceAuthenticator {
    fn start(&mut self, server: &mut MirrorServer) {
        server.allow_unauthenticated::<DeviceAuthRequestMessage>();
    }

    fn handle_message(
        &mut self,
        server: &mut MirrorServer,
        connection: ConnectionId,
        message: &ReceivedMessage,
    ) -> Decision {
        let Some(request) = message.get::<DeviceAuthRequestMessage>() else {
            return Decision::Pending;
        };
        self.devices.insert(connection, request.device.clone());
        // The connection exists.
        let _ = server.send(connection, &DeviceAuthResponseMessage);
        Decision::Accept
    }

    fn handle_disconnect(&mut self, connection: ConnectionId) {
        self.devices.remove(&connection);
    }
}

impl ClientAuthenticator for DeviceAuthenticator {
    fn handle_connect(&mut self, client: &mut MirrorClient) {
        if let Err(error) = client.send(&self.own) {
            tracing::error!(%error, "cannot send the device");
        }
    }

    fn handle_message(&mut self, _: &mut MirrorClient, message: &ReceivedMessage) -> Decision {
        match message.get::<DeviceAuthResponseMessage>() {
            None => Decision::Pending,
            Some(_) => Decision::Accept,
        }
    }
}
