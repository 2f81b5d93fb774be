//! `Builds`: the peers that an end plays with.

/// Builds of peers that an end plays with: [`ServerConfig::builds`](crate::ServerConfig::builds) and
/// [`ClientConfig::builds`](crate::ClientConfig::builds).
///
/// ```
/// use syncvar::join::Builds;
/// use syncvar::prelude::*;
///
/// // Each change of a struct locks earlier clients out.
/// let config = ServerConfig { builds: Builds::Exact, ..ServerConfig::default() };
/// let server = NetworkServer::with_config(Prefabs::new(), config);
/// # let _ = server;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Builds {
    /// Builds whose schemas the client can resolve: fields, calls and messages are found by their names.
    #[default]
    Compatible,
    /// Builds of equal schemas only. A client without compiled types has the schema of its server.
    Exact,
}
