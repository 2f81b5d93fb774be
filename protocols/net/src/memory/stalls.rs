//! Stalls: loops that do not run and directions that carry nothing for a time.

use std::time::Duration;

use super::MemoryNetwork;

impl MemoryNetwork {
    /// Stalls the server's loop: [`step`](Self::step) does not update it for a time. Packets to it wait, and are handled
    /// together before the first update after the stall, as those in the buffers of a socket.
    ///
    /// A shorter stall does not end a longer one. A program that steps its own world skips the server's part while
    /// [`is_server_stalled`](Self::is_server_stalled).
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::prelude::*;
    ///
    /// let mut net = MemoryNetwork::pair(Prefabs::new);
    /// net.settle();
    /// let before = net.server.network_time();
    /// net.stall_server(Duration::from_secs(1));
    /// while net.is_server_stalled() {
    ///     net.step(); // the client's loop runs
    ///     assert_eq!(net.server.network_time(), before);
    /// }
    /// net.step();
    /// assert_eq!(net.server.network_time().time - before.time, Duration::from_secs(1));
    /// ```
    pub fn stall_server(&mut self, duration: Duration) {
        self.stalled_until = self.stalled_until.max(self.now.saturating_add(duration));
    }

    /// Returns whether the next [`step`](Self::step) leaves out the server's update.
    pub fn is_server_stalled(&self) -> bool {
        self.now + self.tick < self.stalled_until
    }

    /// Stalls the loop of a client, as [`stall_server`](Self::stall_server) does that of the server.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::prelude::*;
    ///
    /// let mut net = MemoryNetwork::pair(Prefabs::new);
    /// net.settle();
    /// net.stall_client(0, Duration::from_millis(300)); // a frame that loads a level
    /// assert!(net.is_client_stalled(0) && !net.is_server_stalled());
    /// net.settle();
    /// assert!(!net.is_client_stalled(0) && net.is_connected(0));
    /// ```
    ///
    /// # Panics
    ///
    /// When the index is out of range.
    pub fn stall_client(&mut self, index: usize, duration: Duration) {
        let until = self.now.saturating_add(duration);
        let end = &mut self.clients[index];
        end.stalled_until = end.stalled_until.max(until);
    }

    /// Returns whether the next [`step`](Self::step) leaves out the update of a client.
    ///
    /// # Panics
    ///
    /// When the index is out of range.
    pub fn is_client_stalled(&self, index: usize) -> bool {
        self.now + self.tick < self.clients[index].stalled_until
    }

    /// Stalls the direction from a client to the server: packets in flight and those to come arrive after the stall at
    /// the earliest, in their order. A delay by [`set_uplink`](Self::set_uplink) concerns the packets to come only, and
    /// the datagrams behind it overtake them when it ends.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::prelude::*;
    ///
    /// let mut net = MemoryNetwork::pair(|| Prefabs::new().message::<u32>("number"));
    /// net.settle();
    /// net.stall_uplink(0, Duration::from_millis(200));
    /// for number in 0..3_u32 {
    ///     net.client_mut(0).send(&number)?;
    ///     net.step();
    /// }
    /// let messages = |net: &mut MemoryNetwork| -> usize {
    ///     let events = std::iter::from_fn(|| net.server.poll_event());
    ///     events.filter(|event| matches!(event, ServerEvent::Message { .. })).count()
    /// };
    /// assert_eq!(messages(&mut net), 0);
    /// net.settle();
    /// assert_eq!(messages(&mut net), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// When the index is out of range.
    pub fn stall_uplink(&mut self, index: usize, duration: Duration) {
        let until = self.now.saturating_add(duration);
        self.clients[index].up.hold(until);
    }

    /// Stalls the direction from the server to a client, as [`stall_uplink`](Self::stall_uplink) the other one.
    ///
    /// # Panics
    ///
    /// When the index is out of range.
    pub fn stall_downlink(&mut self, index: usize, duration: Duration) {
        let until = self.now.saturating_add(duration);
        self.clients[index].down.hold(until);
    }
}
