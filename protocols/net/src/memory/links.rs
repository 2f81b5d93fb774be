//! Links of the clients: conditions of both directions, cuts and returns.

use syncvar_runtime::Endpoint;
use syncvar_runtime::conditions::Conditions;

use super::MemoryNetwork;

impl MemoryNetwork {
    /// Returns the conditions of a client's link towards the server.
    ///
    /// # Panics
    ///
    /// When the index is out of range.
    pub fn uplink(&self, index: usize) -> &Conditions {
        self.clients[index].up.conditions()
    }

    /// Returns the conditions of a client's link from the server.
    ///
    /// # Panics
    ///
    /// When the index is out of range.
    pub fn downlink(&self, index: usize) -> &Conditions {
        self.clients[index].down.conditions()
    }

    /// Changes both directions of a client's link, for the packets to come: those in flight arrive as before. The
    /// random numbers go on; the new seed has no effect.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::{prelude::*, testing::Conditions};
    ///
    /// let mut net = MemoryNetwork::pair(Prefabs::new);
    /// net.settle();
    /// let bandwidth = Some(20_000);
    /// net.set_link(0, Conditions { bandwidth, ..Conditions::default() }); // the phone is in a tunnel
    /// net.settle();
    /// net.set_link(0, Conditions::default());
    /// assert_eq!(net.downlink(0).bandwidth, None);
    /// ```
    ///
    /// # Panics
    ///
    /// When the index is out of range.
    pub fn set_link(&mut self, index: usize, link: Conditions) {
        self.set_downlink(index, link.clone());
        self.set_uplink(index, link);
    }

    /// Changes the direction from a client to the server, as [`set_link`](Self::set_link) both.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::{prelude::*, testing::Conditions};
    ///
    /// let mut net = MemoryNetwork::pair(Prefabs::new);
    /// net.settle();
    /// let delay = Duration::from_millis(100);
    /// net.set_uplink(0, Conditions { delay, ..Conditions::default() });
    /// assert_eq!((net.uplink(0).delay, net.downlink(0).delay), (delay, Duration::ZERO));
    /// ```
    ///
    /// # Panics
    ///
    /// When the index is out of range.
    pub fn set_uplink(&mut self, index: usize, link: Conditions) {
        self.clients[index].up.set_conditions(link);
    }

    /// Changes the direction from the server to a client, as [`set_link`](Self::set_link) both.
    ///
    /// # Panics
    ///
    /// When the index is out of range.
    pub fn set_downlink(&mut self, index: usize, link: Conditions) {
        self.clients[index].down.set_conditions(link);
    }

    /// Cuts the link of a client. Packets in flight are lost, and both sides are notified.
    ///
    /// # Panics
    ///
    /// When the index is out of range.
    pub fn cut(&mut self, index: usize) {
        let end = &mut self.clients[index];
        if end.connected {
            end.hang_up(&mut self.server);
        }
    }

    /// Connects a client again, with a new connection and the same link. Cuts its link first if that is up.
    ///
    /// ```
    /// # use syncvar::prelude::*;
    /// let mut net = MemoryNetwork::pair(Prefabs::new);
    /// net.settle();
    /// let before = net.connection(0);
    /// net.cut(0);
    /// net.reconnect(0);
    /// net.settle();
    /// assert!(net.is_connected(0) && net.connection(0) != before);
    /// ```
    ///
    /// # Panics
    ///
    /// When the index is out of range.
    pub fn reconnect(&mut self, index: usize) {
        self.cut(index);
        let limits = self.limits();
        let end = &mut self.clients[index];
        Endpoint::handle_connect(&mut end.client, limits);
        end.connection = Endpoint::handle_connect(&mut self.server, limits);
        end.connected = true;
        end.down.clear();
        end.up.clear();
    }
}
