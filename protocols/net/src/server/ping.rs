//! Clients ask what time it is.

use std::time::Duration;

use super::NetworkServer;
use crate::ConnectionId;
use crate::message::Pong;
use crate::time::micros;

/// How long after an answer a connection is not given another: no more than 20 in a second.
const PAUSE: Duration = Duration::from_millis(50);

/// What a connection has asked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pings {
    /// The client's time in the last ping, until it is answered.
    waiting: Option<u64>,
    /// When a ping was last answered.
    answered: Option<Duration>,
}

impl NetworkServer {
    /// A client asks what time it is. It is answered by the next update, whose time is exact then. Of
    /// several questions until then the last one counts.
    pub(super) fn handle_ping(&mut self, from: ConnectionId, time: u64) {
        let Some(connection) = self.connections.get_mut(from.0) else {
            return;
        };
        match connection.ping.waiting.replace(time) {
            None => self.pinging.push(from),
            Some(_) => self.stats.ignored_pings += 1,
        }
    }

    /// Says what time it is to those who have asked, unless they ask too often.
    pub(super) fn answer_pings(&mut self) {
        if self.pinging.is_empty() {
            return;
        }
        let (now, tick_rate) = (self.now, self.config.tick_rate);
        for id in std::mem::take(&mut self.pinging) {
            let connection = self.connections.get_mut(id.0);
            let Some(connection) = connection.filter(|connection| connection.is_connected()) else {
                continue;
            };
            let pings = &mut connection.ping;
            let Some(time) = pings.waiting.take() else {
                continue;
            };
            if pings
                .answered
                .is_some_and(|last| now.saturating_sub(last) < PAUSE)
            {
                self.stats.ignored_pings += 1;
                continue;
            }
            pings.answered = Some(now);
            let server_time = micros(now);
            let pong = Pong {
                time,
                server_time,
                tick_rate,
            };
            self.send_own(id, &pong);
        }
    }
}
