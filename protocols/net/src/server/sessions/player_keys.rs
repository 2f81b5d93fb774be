//! `PlayerKeys`: players by the key that the program gives them, and the objects that wait for a player.

use std::collections::BTreeMap;

use bytes::Bytes;
use syncvar_runtime::unstable::ordered::IdMap;
use syncvar_runtime::{ConnectionId, NetId};

/// Keys of the players of connections, and objects of players without a connection.
#[derive(Debug, Default)]
pub(crate) struct PlayerKeys {
    keys: IdMap<ConnectionId, Bytes>,
    connections: BTreeMap<Bytes, ConnectionId>,
    waiting: BTreeMap<Bytes, Vec<NetId>>,
}

impl PlayerKeys {
    /// Returns the key of the player of a connection.
    pub(crate) fn key(&self, connection: ConnectionId) -> Option<&Bytes> {
        self.keys.get(connection)
    }

    /// Returns the connection of a player.
    pub(crate) fn connection(&self, key: &[u8]) -> Option<ConnectionId> {
        self.connections.get(key).copied()
    }

    /// Names the player of a connection. A further connection with the key loses it.
    pub(crate) fn set(&mut self, connection: ConnectionId, key: Bytes) {
        self.remove(connection);
        if let Some(other) = self.connections.insert(key.clone(), connection) {
            self.keys.remove(other);
        }
        self.keys.insert(connection, key);
    }

    /// Removes the key of a connection, and returns it.
    fn remove(&mut self, connection: ConnectionId) -> Option<Bytes> {
        let key = self.keys.remove(connection)?;
        self.connections.remove(&key);
        Some(key)
    }

    /// Ends a connection: its objects wait for the player, if it has a key.
    pub(crate) fn close(&mut self, connection: ConnectionId, owned: &[NetId]) {
        if let Some(key) = self.remove(connection) {
            self.wait(key, owned);
        }
    }

    /// Adds objects that wait for a player.
    pub(crate) fn wait(&mut self, key: Bytes, objects: &[NetId]) {
        if !objects.is_empty() {
            self.waiting.entry(key).or_default().extend(objects);
        }
    }

    /// Takes the objects that wait for a player.
    pub(crate) fn take(&mut self, key: &[u8]) -> Vec<NetId> {
        self.waiting.remove(key).unwrap_or_default()
    }

    /// Forgets the objects that no longer wait.
    pub(crate) fn retain(&mut self, mut waits: impl FnMut(NetId) -> bool) {
        self.waiting.retain(|_, objects| {
            objects.retain(|id| waits(*id));
            !objects.is_empty()
        });
    }

    /// Returns the objects that wait for players, by key.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = (&Bytes, &[NetId])> {
        self.waiting.iter().map(|(key, objects)| (key, &**objects))
    }
}
