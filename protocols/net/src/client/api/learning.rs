//! A client without prefabs, which learns the schema of its server in the handshake.

use syncvar_runtime::Prefabs;

use crate::client::session::Learning;
use crate::client::{ClientConfig, NetworkClient};

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
        client.session.build.learning = Learning::Begun;
        client
    }
}
