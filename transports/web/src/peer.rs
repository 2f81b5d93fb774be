//! `WebPeer`.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use syncvar_net::NetworkClient;
use syncvar_runtime::{Channel, ConnectionId, Endpoint, FrameTransport, ReadError};

use crate::js;
use crate::link::{Link, Transport};
use crate::links::LinkKey;
use crate::options::{Servers, WebOptions};

/// Longest step of the clock that counts as silence of the server: a longer one is a sleep of the tab.
const MAX_STEP: Duration = Duration::from_secs(1);

/// Connection of a page to a server, for a page with a loop.
///
/// It owns neither the client nor the loop. The page calls [`receive`](Self::receive) before its game and
/// [`transmit`](Self::transmit) after the client's update, in each frame; neither call waits. The
/// [crate](crate) has an example.
///
/// To leave, call the client's `disconnect`, and go on until [`is_over`](Self::is_over). Dropping a peer ends the
/// connection.
///
/// A peer is `Send`, as engines ask of their resources, but works on the thread that has made its connection alone.
pub struct WebPeer {
    servers: Servers,
    options: WebOptions,
    phase: Phase,
    /// Attempts since a server has accepted the client.
    attempts: u32,
    /// Silence of the server.
    silent: Duration,
    ticked: Option<Duration>,
}

enum Phase {
    /// Connects at this time.
    Waiting(Duration),
    Connecting(LinkKey),
    Open(LinkKey),
    Over,
}

/// Reason of a loss on a thread that does not have the connection.
const OTHER_THREAD: &str = "the connection belongs to a different thread";

/// End of a connection.
#[derive(Debug)]
#[non_exhaustive]
pub enum WebError {
    /// The server has ended the connection.
    Closed,
    /// No connection was made, or it was cut: the reason of the browser.
    Lost(String),
    /// The server was silent for the [`idle_timeout`](WebOptions::idle_timeout).
    Silent,
    /// A packet is malformed. The client decides about the connection.
    Malformed(ReadError),
}

impl fmt::Display for WebError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the server has ended the connection"),
            Self::Lost(reason) => write!(f, "no connection: {reason}"),
            Self::Silent => f.write_str("the server is silent"),
            Self::Malformed(error) => write!(f, "malformed packet: {error}"),
        }
    }
}

impl Error for WebError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Malformed(error) => Some(error),
            Self::Closed | Self::Lost(_) | Self::Silent => None,
        }
    }
}

impl WebPeer {
    /// Makes a peer, which connects at the first [`receive`](Self::receive).
    pub fn new(servers: Servers, options: WebOptions) -> Self {
        Self {
            servers,
            options,
            phase: Phase::Waiting(Duration::ZERO),
            attempts: 0,
            silent: Duration::ZERO,
            ticked: None,
        }
    }

    /// Returns the transport of the present connection.
    pub fn transport(&self) -> Option<Transport> {
        match &self.phase {
            Phase::Open(key) => Some(key.link()?.carrier()?.transport()),
            _ => None,
        }
    }

    /// Returns whether no connection follows.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over)
    }

    /// Passes the packets of the server to the client. `now` is the time of the client's update.
    ///
    /// # Errors
    ///
    /// When the connection is lost, once; the peer then connects again, if the options say so. Also
    /// for a malformed packet, which the client may survive.
    pub fn receive(&mut self, client: &mut NetworkClient, now: Duration) -> Result<(), WebError> {
        let step = now.saturating_sub(self.ticked.replace(now).unwrap_or(now));
        match &self.phase {
            Phase::Over => Ok(()),
            Phase::Waiting(begin) => {
                if now >= *begin {
                    let link = Link::connect(self.servers.clone(), self.options);
                    self.phase = Phase::Connecting(LinkKey::new(link));
                }
                Ok(())
            }
            Phase::Connecting(key) => {
                let link = key.link();
                let link = link.ok_or_else(|| WebError::Lost(OTHER_THREAD.into()))?;
                if let Some(reason) = link.inbox.reason() {
                    self.wait(now);
                    return Err(WebError::Lost(reason));
                }
                if let Some(carrier) = link.carrier() {
                    Endpoint::handle_connect(client, carrier.limits(&self.options));
                    self.silent = Duration::ZERO;
                    self.open();
                }
                Ok(())
            }
            Phase::Open(key) => {
                let link = key.link();
                let link = link.ok_or_else(|| WebError::Lost(OTHER_THREAD.into()))?;
                self.receive_from(&link, client, now, step)
            }
        }
    }

    /// Ends the time of connecting.
    fn open(&mut self) {
        self.phase = match std::mem::replace(&mut self.phase, Phase::Over) {
            Phase::Connecting(key) => Phase::Open(key),
            phase => phase,
        };
    }

    fn receive_from(
        &mut self,
        link: &Link,
        client: &mut NetworkClient,
        now: Duration,
        step: Duration,
    ) -> Result<(), WebError> {
        self.silent = self.silent.saturating_add(step.min(MAX_STEP));
        let mut result = Ok(());
        let arrivals = link.inbox.take();
        if !arrivals.is_empty() {
            self.silent = Duration::ZERO;
            // Answers to pings are measured against the time of now.
            Endpoint::update(client, now);
        }
        for arrival in arrivals {
            let handled = match arrival.carrier {
                Channel::Reliable => client.handle_packet(arrival.channel, &arrival.packet),
                Channel::Unreliable => client.handle_datagram(arrival.channel, &arrival.packet),
            };
            if let Err(error) = handled {
                result = Err(WebError::Malformed(error));
            }
            // A server that has restarted refuses the former session: the next attempt begins another.
            if Endpoint::poll_close(client).is_some() {
                let _ = send(link, client);
                link.close("");
                self.wait(now);
                return result.and(Err(WebError::Closed));
            }
        }
        if client.is_connected() {
            self.attempts = 0;
        }
        if let Some(reason) = link.inbox.reason() {
            link.close("");
            client.handle_disconnect();
            self.wait(now);
            return Err(if reason.is_empty() {
                WebError::Closed
            } else {
                WebError::Lost(reason)
            });
        }
        let expects = Endpoint::expects_packets(client, ConnectionId::SERVER);
        if self.silent >= self.options.idle_timeout && expects {
            link.close("silence");
            client.handle_disconnect();
            self.wait(now);
            return Err(WebError::Silent);
        }
        result
    }

    /// Sends the packets of the client. `now` is the time of its update.
    pub fn transmit(&mut self, client: &mut NetworkClient, now: Duration) {
        let Phase::Open(key) = &self.phase else {
            if Endpoint::poll_close(client).is_some() {
                self.phase = Phase::Over;
            }
            return;
        };
        client.expect_update(now);
        let Some(link) = key.link() else {
            return;
        };
        if let Err(reason) = send(&link, client) {
            link.close(&reason);
            client.handle_disconnect();
            self.wait(now);
            return;
        }
        if Endpoint::poll_close(client).is_some() {
            self.leave(&link, client);
        }
    }

    /// Ends the connection behind the client's packets.
    fn leave(&mut self, link: &Link, client: &mut NetworkClient) {
        let _ = send(link, client);
        link.close("");
        self.phase = Phase::Over;
    }

    /// Waits for the next attempt.
    fn wait(&mut self, now: Duration) {
        let reconnect = self.options.reconnect;
        let Some(reconnect) = reconnect.filter(|it| self.attempts < it.max_attempts) else {
            self.phase = Phase::Over;
            return;
        };
        let delay = reconnect.delay(self.attempts);
        self.attempts = self.attempts.saturating_add(1);
        self.phase = Phase::Waiting(now.saturating_add(delay));
    }
}

impl FrameTransport<NetworkClient> for WebPeer {
    fn receive(
        &mut self,
        end: &mut NetworkClient,
        now: Duration,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.receive(end, now).map_err(Into::into)
    }

    fn transmit(&mut self, end: &mut NetworkClient, now: Duration) {
        self.transmit(end, now);
    }

    fn is_over(&self) -> bool {
        self.is_over()
    }
}

impl fmt::Debug for WebPeer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebPeer")
            .field("servers", &self.servers)
            .field("transport", &self.transport())
            .finish_non_exhaustive()
    }
}

/// Sends the client's packets until the browser's queue is full.
fn send(link: &Link, client: &mut NetworkClient) -> Result<(), String> {
    let Some(carrier) = link.carrier() else {
        return Ok(());
    };
    while !carrier.is_full()
        && let Some(packet) = client.poll_transmit()
    {
        let sent = carrier.send(packet.delivery, packet.channel, &packet.bytes);
        sent.map_err(|error| js::text(&error))?;
    }
    Ok(())
}
