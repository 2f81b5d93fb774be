//! `Lobby`: connections before their first ready, and the places of admitted connections.

use std::time::Duration;

use crate::ordered::{IdMap, Ids};
use crate::{ConnectionId, Limits, ObjectError};

/// Connections before their first ready, and the places of admitted connections.
#[derive(Debug, Default)]
pub struct Lobby {
    /// Connections that have not been ready, by number, which is the order of their begin.
    waiting: IdMap<ConnectionId, WaitingRequest>,
    /// Connections since the last update.
    new: Vec<ConnectionId>,
    /// Connections with a place.
    placed: Ids<ConnectionId>,
}

#[derive(Debug, Default)]
struct WaitingRequest {
    /// Time of the first update.
    since: Option<Duration>,
    /// Whether it may take a reserved place.
    returning: bool,
}

impl Lobby {
    /// Adds a new connection.
    pub fn enter(&mut self, connection: ConnectionId) {
        self.waiting.insert(connection, WaitingRequest::default());
        self.new.push(connection);
    }

    /// Removes a connection, and frees its place.
    pub fn leave(&mut self, connection: ConnectionId) {
        self.waiting.remove(connection);
        self.placed.remove(connection);
    }

    /// Lets a connection take a reserved place.
    ///
    /// # Errors
    ///
    /// When the connection is not connected.
    pub fn set_returning(&mut self, connection: ConnectionId) -> Result<(), ObjectError> {
        let waiting = self.waiting.get_mut(connection);
        let known = waiting.map(|waiting| waiting.returning = true);
        if known.is_some() || self.placed.contains(connection) {
            Ok(())
        } else {
            Err(ObjectError::NotConnected(connection))
        }
    }

    /// Returns whether a connection has a place: it has been ready.
    pub fn has_place(&self, connection: ConnectionId) -> bool {
        self.placed.contains(connection)
    }

    /// Gives a connection a place, if one is free for it. Returns whether it has one.
    pub fn admit(&mut self, connection: ConnectionId, limits: &Limits) -> bool {
        if self.placed.contains(connection) {
            return true;
        }
        let waiting = self.waiting.get(connection);
        let reserved = if waiting.is_some_and(|waiting| waiting.returning) {
            0
        } else {
            limits.reserved_places
        };
        let free = self.placed.len() < limits.max_ready.saturating_sub(reserved);
        if free {
            self.place(connection);
        }
        free
    }

    /// Gives a connection a place, beyond the limit if necessary: the program decides so.
    pub fn place(&mut self, connection: ConnectionId) {
        self.waiting.remove(connection);
        self.placed.insert(connection);
    }

    /// Starts the time of the new connections, and returns the connections that have waited too long.
    pub fn expire(&mut self, now: Duration, timeout: Duration) -> Vec<ConnectionId> {
        for connection in self.new.drain(..) {
            if let Some(waiting) = self.waiting.get_mut(connection) {
                waiting.since = Some(now);
            }
        }
        let late = self.waiting.iter().take_while(|(_, waiting)| {
            let since = waiting.since.unwrap_or(now);
            now.saturating_sub(since) >= timeout
        });
        late.map(|(connection, _)| connection).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Lobby;
    use crate::{ConnectionId, Limits};

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn time_to_ready_begins_with_the_first_update() {
        let mut lobby = Lobby::default();
        let ids = [1, 2, 3].map(ConnectionId);
        let late = |lobby: &mut Lobby, now: u32| lobby.expire(now * SECOND, 5 * SECOND);
        lobby.enter(ids[0]);
        assert_eq!(late(&mut lobby, 100), []);
        lobby.enter(ids[1]);
        lobby.enter(ids[2]);
        lobby.place(ids[1]);
        assert_eq!(late(&mut lobby, 104), []);
        assert_eq!(late(&mut lobby, 105), [ids[0]]);
        assert_eq!(lobby.expire(SECOND * 1000, Duration::MAX), []);
        lobby.leave(ids[0]);
        assert_eq!(late(&mut lobby, 109), [ids[2]]);
    }

    #[test]
    fn reserved_places_are_for_returning_connections() {
        let mut limits = Limits::default();
        (limits.max_ready, limits.reserved_places) = (3, 1);
        let mut lobby = Lobby::default();
        let ids = [1, 2, 3, 4, 5].map(ConnectionId);
        for id in ids {
            lobby.enter(id);
        }
        let mut admitted = ids.map(|id| lobby.admit(id, &limits));
        assert_eq!(admitted, [true, true, false, false, false]);
        assert!(
            lobby.set_returning(ids[2]).is_ok() && lobby.set_returning(ConnectionId(9)).is_err()
        );
        admitted = ids.map(|id| lobby.admit(id, &limits));
        assert_eq!(admitted, [true, true, true, false, false]);
        lobby.leave(ids[0]);
        assert!(!lobby.admit(ids[3], &limits), "the free place is reserved");
        lobby.leave(ids[1]);
        assert!(lobby.admit(ids[3], &limits));
        lobby.place(ids[4]);
        assert!(lobby.admit(ids[4], &limits), "placed by the program");
    }
}
