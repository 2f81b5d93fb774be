//! The numbers of connections.

use crate::ConnectionId;

/// Numbers of a server's connections, ascending from 1. After 2^32 - 1 connections they begin anew.
#[derive(Clone, Debug)]
pub struct ConnectionIds(u32);

impl Default for ConnectionIds {
    fn default() -> Self {
        Self(1)
    }
}

impl ConnectionIds {
    /// Returns the numbers from one on.
    pub fn starting_at(next: u32) -> Self {
        Self(next.max(1))
    }

    /// Returns the next number, which a present connection may have.
    pub fn peek(&self) -> u32 {
        self.0
    }

    /// Returns the next number that no present connection has.
    #[inline]
    pub fn next(&mut self, is_taken: impl Fn(ConnectionId) -> bool) -> ConnectionId {
        while is_taken(ConnectionId(self.0)) {
            self.advance();
        }
        let id = ConnectionId(self.0);
        self.advance();
        id
    }

    fn advance(&mut self) {
        self.0 = self.0.checked_add(1).unwrap_or(1);
    }
}

#[cfg(test)]
mod tests {
    use super::ConnectionIds;
    use crate::ConnectionId;

    #[test]
    fn numbers_begin_anew_and_skip_present_connections() {
        let mut ids = ConnectionIds(u32::MAX - 1);
        let present = [1, 2, u32::MAX].map(ConnectionId);
        let next = [(); 3].map(|()| ids.next(|id| present.contains(&id)));
        assert_eq!(next, [u32::MAX - 1, 3, 4].map(ConnectionId));
    }
}
