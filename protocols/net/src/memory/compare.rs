//! Comparison of the replicas with the objects of the server.

use std::fmt;

use syncvar_runtime::behaviour::NetworkSide as _;
use syncvar_runtime::interest::ViewReason;
use syncvar_runtime::unstable::object::{FieldDifference, compare, compare_private};
use syncvar_runtime::unstable::world::Protocol as _;
use syncvar_runtime::{ConnectionId, NetId, NetworkIdentity, ObjectError};

use super::MemoryNetwork;
use crate::{NetworkClient, NetworkServer};

/// An object that differs between the server and a client. [`compare_replicas`] returns it.
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::testing::ReplicaDifference;
///
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     open: SyncVar<bool>,
/// # }
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let door = net.server.spawn(Door::default());
/// net.settle();
/// net.assert_replicas_equal();
///
/// net.server.get_mut::<Door>(door).unwrap().open.set(true);
/// let differences: Vec<ReplicaDifference> = net.replica_differences(); // not sent yet
/// assert_eq!(
///     differences[0].to_string(),
///     "client 0 (connection 1), object #1 (door): Door.open is true on the server, but false on the client",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplicaDifference {
    /// Index of the client in its [`MemoryNetwork`].
    pub client: Option<usize>,
    /// Connection of the client.
    pub connection: ConnectionId,
    /// The object.
    pub object: NetId,
    /// Name of its prefab; empty for an unknown object.
    pub prefab: String,
    /// The difference.
    pub kind: DifferenceKind,
}

/// Kind of a [`ReplicaDifference`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DifferenceKind {
    /// The client lacks a visible object.
    Missing(ViewReason),
    /// The client has an object that is hidden from it, or that the server lacks.
    Unexpected(Option<ViewReason>),
    /// The client has the object as another prefab.
    Prefab(String),
    /// The ends disagree whether the client owns the object.
    Owner {
        /// Owner on the server.
        server: Option<ConnectionId>,
        /// Set if the client takes itself for the owner.
        owned: bool,
    },
    /// The object has another parent.
    Parent {
        /// Parent on the server.
        server: Option<NetId>,
        /// Parent on the client.
        replica: Option<NetId>,
    },
    /// A field has another value.
    Field(FieldDifference),
    /// A field that the client may not read has another value than in the prefab.
    Unreadable(FieldDifference),
}

impl fmt::Display for ReplicaDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(client) = self.client {
            write!(f, "client {client} ({}), ", self.connection)?;
        } else {
            write!(f, "{}, ", self.connection)?;
        }
        write!(f, "object {} ({}): ", self.object, self.prefab)?;
        match &self.kind {
            DifferenceKind::Missing(reason) => write!(f, "missing on the client ({reason})"),
            DifferenceKind::Unexpected(Some(reason)) => {
                write!(f, "present on the client ({reason})")
            }
            DifferenceKind::Unexpected(None) => {
                f.write_str("present on the client, but not on the server")
            }
            DifferenceKind::Prefab(name) => write!(f, "it is a {name} on the client"),
            DifferenceKind::Owner { server, owned } => {
                let server = server.map_or_else(|| "the server".into(), |owner| owner.to_string());
                let holds = if *owned { "owns" } else { "does not own" };
                write!(f, "the owner is {server}, but the client {holds} it")
            }
            DifferenceKind::Parent { server, replica } => {
                let text = |parent: &Option<NetId>| {
                    parent.map_or_else(|| "none".into(), |parent| parent.to_string())
                };
                let (server, replica) = (text(server), text(replica));
                write!(
                    f,
                    "the parent is {server} on the server, but {replica} on the client"
                )
            }
            DifferenceKind::Field(field) => write!(
                f,
                "{}.{} is {} on the server, but {} on the client",
                field.behaviour, field.field, field.server, field.replica
            ),
            DifferenceKind::Unreadable(field) => write!(
                f,
                "the client may not read {}.{}, but has {} instead of {}",
                field.behaviour, field.field, field.replica, field.server
            ),
        }
    }
}

/// Returns the differences between a server and one client of it, for ends that both lie in the
/// process: over a real transport, or in a [`MemoryNetwork`].
///
/// Each visible object must be present with equal fields, and no other object. Fields with `read = owner` and
/// `read = group` must have the values of the prefab on a client that may not read them, except in objects of a
/// scene, which begin with values of their own. Fields with `read = others` on the owner are not compared, nor fields
/// with `initial_only`, nor changes that an interval or a threshold holds back. The order of a dictionary or hash set does not
/// count. A client that is not ready has no differences.
///
/// ```
/// use syncvar::testing::compare_replicas;
/// # use syncvar::prelude::*;
/// # let mut server = NetworkServer::new(Prefabs::new());
/// # let mut client = NetworkClient::new(Prefabs::new());
/// # let connection = server.handle_connect();
/// for difference in compare_replicas(&mut server, connection, &mut client) {
///     println!("{difference}");
/// }
/// ```
pub fn compare_replicas(
    server: &mut NetworkServer,
    connection: ConnectionId,
    client: &mut NetworkClient,
) -> Vec<ReplicaDifference> {
    if !server.is_ready(connection) || !client.is_connected() {
        return Vec::new();
    }
    let mut differences = Vec::new();
    let of_client = client.identities().map(NetworkIdentity::net_id);
    let mut ids: Vec<NetId> = server.objects.ids().chain(of_client).collect();
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        let prefab = server
            .objects
            .prefab_name(id)
            .or_else(|| client.prefab_name(id));
        let prefab = prefab.unwrap_or_default().to_owned();
        compare_object(server, connection, client, id, |kind| {
            differences.push(ReplicaDifference {
                client: None,
                connection,
                object: id,
                prefab: prefab.clone(),
                kind,
            });
        });
    }
    differences
}

/// Compares one object that an end has.
fn compare_object(
    server: &mut NetworkServer,
    connection: ConnectionId,
    client: &mut NetworkClient,
    id: NetId,
    mut report: impl FnMut(DifferenceKind),
) {
    let reason = match server.why_visible(id, connection) {
        Ok(reason) => Some(reason),
        Err(ObjectError::NotConnected(_)) => return,
        Err(_) => None,
    };
    let is_visible = reason.is_some_and(ViewReason::is_visible);
    let is_here = client.identity(id).is_some();
    match reason {
        Some(reason) if is_visible && !is_here => return report(DifferenceKind::Missing(reason)),
        _ if !is_visible && is_here => return report(DifferenceKind::Unexpected(reason)),
        _ if !is_visible => return,
        _ => {}
    }
    if let Some(name) = client
        .prefab_name(id)
        .filter(|name| Some(*name) != server.objects.prefab_name(id))
    {
        return report(DifferenceKind::Prefab(name.to_owned()));
    }
    let (holder, owned) = (server.owner(id), client.is_owner(id));
    if owned != (holder == Some(connection)) {
        report(DifferenceKind::Owner {
            server: holder,
            owned,
        });
    }
    let parent = |identity: Option<NetworkIdentity<'_>>| identity?.parent();
    let parents = (parent(server.identity(id)), parent(client.identity(id)));
    if server.config().compare_schemas && parents.0 != parents.1 {
        report(DifferenceKind::Parent {
            server: parents.0,
            replica: parents.1,
        });
    }
    compare_fields(server, connection, client, id).for_each(report);
}

/// Compares the fields of an object that both ends have.
fn compare_fields(
    server: &mut NetworkServer,
    connection: ConnectionId,
    client: &mut NetworkClient,
    id: NetId,
) -> impl Iterator<Item = DifferenceKind> {
    let (mut fields, mut private) = (Vec::new(), Vec::new());
    let role = server
        .visibility
        .groups
        .role(&server.objects, id, connection);
    let scene_id = server.identity(id).and_then(NetworkIdentity::scene_id);
    let made = server.objects.make_like(id);
    let ours = server.objects.world.slots_mut(id);
    let theirs = client.world_mut().slots_mut(id);
    if let (Some(mut made), Some(ours), Some(theirs)) = (made, ours, theirs) {
        if scene_id.is_none() {
            private = compare_private(theirs, made.slots_mut(), role);
        }
        fields = compare(ours, theirs, made.slots_mut(), role);
    }
    let fields = fields.into_iter().map(DifferenceKind::Field);
    fields.chain(private.into_iter().map(DifferenceKind::Unreadable))
}

impl MemoryNetwork {
    /// Returns the differences between the server and its connected, ready clients, by client and
    /// object: see [`compare_replicas`].
    ///
    /// [`settle`](Self::settle) first: values that are on their way are differences.
    pub fn replica_differences(&mut self) -> Vec<ReplicaDifference> {
        let mut all = Vec::new();
        for (index, end) in self.clients.iter_mut().enumerate() {
            let connection = self.server.connection_of(end.connection);
            if let Some(connection) = connection.filter(|_| end.connected) {
                let found = compare_replicas(&mut self.server, connection, &mut end.client);
                all.extend(found.into_iter().map(|difference| ReplicaDifference {
                    client: Some(index),
                    ..difference
                }));
            }
        }
        all
    }

    /// Checks that each connected, ready client has exactly the objects that it may see, with the
    /// values that it may read.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Chest {
    ///     #[sync_var]
    ///     open: SyncVar<bool>,
    ///     #[sync_var(read = owner)]
    ///     gold: SyncVar<u32>,
    /// }
    ///
    /// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Chest>("chest"));
    /// let chest = net.server.spawn(Chest::default());
    /// net.server.get_mut::<Chest>(chest).unwrap().gold.set(50);
    /// net.settle();
    /// net.assert_replicas_equal(); // the client may not read the gold
    /// ```
    ///
    /// # Panics
    ///
    /// With the first ten [differences](Self::replica_differences): object, field and both values.
    #[track_caller]
    pub fn assert_replicas_equal(&mut self) {
        let differences = self.replica_differences();
        let texts = differences.iter().map(ToString::to_string);
        let texts: Vec<_> = texts.take(10).collect();
        assert!(
            texts.is_empty(),
            "{} difference(s) between the server and its clients:\n{}",
            differences.len(),
            texts.join("\n")
        );
    }
}
