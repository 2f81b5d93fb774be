//! A client without prefabs, which learns the schema of its server in the handshake.

use syncvar_runtime::schema::{Schema, SchemaReport};
use syncvar_runtime::{Channel, Prefabs, ReadError};

use crate::client::inputs::OwnInputs;
use crate::client::objects::Objects;
use crate::client::{ClientConfig, NetworkClient};
use crate::message::Connect;
use crate::stats::Stats;

/// Progress of a client that learns the schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::client) enum Learning {
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
    pub(in crate::client) fn is_on(self) -> bool {
        self != Self::Off
    }

    /// Changes the request to join: a client that learns has no schema of its own.
    pub(super) fn adapt(self, connect: &mut Connect) {
        if self.is_on() {
            connect.build.schema_hash = 0;
        }
        if self == Self::Begun {
            connect.schema_hash = 0;
        }
    }
}

impl NetworkClient {
    /// Creates a client without prefabs. It learns the schema of its server in the handshake, and its prefabs are those of
    /// [`Prefabs::from_schema`]: objects of values, for an inspector, a relay, a bot or a viewer. After the handshake,
    /// [`prefabs`](Self::prefabs) has the learned prefabs, and their [`schema`](Prefabs::schema) is that of the server. The
    /// channels of the server take the place of [`ClientConfig::channels`].
    ///
    /// The next connection begins with the learned schema. A server with a different schema is learned anew: the objects of the
    /// last server leave.
    ///
    /// ```
    /// use syncvar::{prelude::*, untyped::Value};
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Door {
    ///     #[sync_var]
    ///     open: SyncVar<bool>,
    /// }
    ///
    /// let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Door>("door"));
    /// let viewer = net.connect_client(NetworkClient::learning());
    /// net.server.spawn(Door { open: true.into() });
    /// net.settle();
    /// let client = net.client(viewer);
    /// for object in client.identities() {
    ///     for behaviour in client.untyped_behaviours(object.net_id()) {
    ///         for (field, value) in behaviour.fields() {
    ///             println!("{} {}.{field} = {value}", object.prefab(), behaviour.name());
    ///             assert_eq!((field, value), ("open", &Value::Bool(true)));
    ///         }
    ///     }
    /// }
    /// assert_eq!(client.object_count(), 1);
    /// ```
    ///
    /// A server that does not describe its schema (`ServerConfig::schema_requests`) refuses the client. A schema with a type
    /// of an unknown layout ends the connection, as [`Prefabs::from_schema`] fails:
    /// [`DisconnectReason::SchemaMismatch`](syncvar_runtime::DisconnectReason::SchemaMismatch) names the type.
    pub fn learning() -> Self {
        Self::learning_with_config(ClientConfig::default())
    }

    /// Like [`learning`](Self::learning), with a configuration. Its
    /// [`compare_schemas`](ClientConfig::compare_schemas) has no effect: the handshake describes the schema.
    pub fn learning_with_config(config: ClientConfig) -> Self {
        let config = ClientConfig {
            compare_schemas: true,
            ..config
        };
        let mut client = Self::with_config(Prefabs::new(), config);
        client.learning = Learning::Begun;
        client
    }

    /// Takes a part of the schema of a server; the last part completes the prefabs.
    pub(super) fn learn_part(&mut self, payload: &[u8]) -> Result<(), ReadError> {
        match self.session.build.schema.take(payload) {
            Ok(false) => Ok(()),
            Ok(true) => {
                match self.learned() {
                    Ok(prefabs) => self.learn(prefabs),
                    Err(reason) => self.leave_for_schema(Box::new(SchemaReport::new(reason))),
                }
                Ok(())
            }
            Err(error) => {
                let reason = format!("the schema of the server cannot be read: {error}");
                self.leave_for_schema(Box::new(SchemaReport::new(reason)));
                Err(error)
            }
        }
    }

    /// Returns the prefabs of the schema that the server has described.
    fn learned(&self) -> Result<Prefabs, String> {
        let text = self.session.build.schema.text().unwrap_or_default();
        let schema = Schema::parse(text);
        let schema =
            schema.map_err(|error| format!("the schema of the server cannot be read: {error}"))?;
        Prefabs::from_schema(&schema).map_err(|error| error.to_string())
    }

    /// Replaces the prefabs, and with them all objects, and asks the server again.
    fn learn(&mut self, prefabs: Prefabs) {
        let number = self.session.number;
        self.forget_all();
        if self.session.number != number {
            return;
        }
        prefabs.warn_of_intervals(self.context.config.tick_rate);
        self.inbound.set_prefabs(&prefabs);
        self.context.stats.behaviours = Stats::for_prefabs(&prefabs, false).behaviours;
        self.objects = Objects::new(prefabs, &self.context.config);
        self.inputs = OwnInputs::default();
        self.learning = Learning::Done;
        self.send_connect();
    }

    /// Takes the kinds of the server's channels.
    pub(super) fn learn_channels(&mut self, channels: &[Channel]) {
        channels.clone_into(&mut self.context.config.channels);
    }
}
