//! `ClientRequests`: requests of one client that the server answers later.

use syncvar_runtime::NetId;
use syncvar_runtime::endpoint::Payload;
use syncvar_runtime::unstable::clock::Bucket;
use syncvar_runtime::unstable::ordered::Ids;

use crate::message::{ClientBuild, Return};
use crate::server::sessions::ping::Pings;

/// Requests of one client.
#[derive(Debug, Default)]
pub(crate) struct ClientRequests {
    /// Payload of the join request.
    pub(crate) join_payload: Payload,
    /// Build of the client, as its `Connect` says.
    pub(crate) build: ClientBuild,
    /// Session that the join request returns to.
    pub(crate) returning: Option<Return>,
    /// Objects whose snapshot the client requested.
    pub(crate) resyncs: Ids<NetId>,
    /// Bytes of requested snapshots.
    pub(crate) resync_bytes: Bucket,
    pub(crate) pings: Pings,
}
