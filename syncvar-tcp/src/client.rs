//! `TcpClient`: a `NetworkClient` and its connection.

use std::io;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::{Sink, SinkExt, StreamExt};
use syncvar_net::{ClientEvent, ClientState, NetworkClient};
use syncvar_runtime::{NetworkReader, ReadError};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpStream, ToSocketAddrs};
use tokio::time::{Instant, Interval, MissedTickBehavior};
use tokio_util::codec::{Framed, LengthDelimitedCodec};

use crate::frame;

/// The largest packet that a server can make a client hold, unless the client takes longer messages.
const MAX_PACKET: usize = 8 * 1024 * 1024;

/// The bytes before the payload of a long message.
const MESSAGE_HEAD: usize = 10;

/// How often the client is told the time.
const TICK: Duration = Duration::from_millis(25);

/// How long saying goodbye may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// A [`NetworkClient`] that is connected by TCP.
///
/// Nothing happens behind the scenes: packets are read and written while
/// [`next_event`](Self::next_event) or [`receive`](Self::receive) is awaited, so one of them should
/// be awaited most of the time; the client is [updated](NetworkClient::update) then, 40 times a
/// second and with every packet, by the time since it was connected. Both are cancel-safe: as a branch of `tokio::select!`, neither loses
/// anything. Dropping a client cuts its connection; [`disconnect`](Self::disconnect) says goodbye.
///
/// ```no_run
/// # async fn play(client: syncvar_net::NetworkClient) -> std::io::Result<()> {
/// use syncvar_net::ClientEvent;
/// use syncvar_tcp::TcpClient;
///
/// let mut tcp = TcpClient::connect("127.0.0.1:7777", client).await?;
/// while let Some(event) = tcp.next_event().await {
///     match event {
///         ClientEvent::Spawned { object } => println!("{object} is there"),
///         ClientEvent::Changed { object, fields, .. } => println!("{object}: {fields:?}"),
///         ClientEvent::Disconnected { reason } => println!("{reason}"),
///         _ => {}
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct TcpClient {
    client: NetworkClient,
    /// Closed as soon as the connection is over.
    frames: Option<Framed<TcpStream, LengthDelimitedCodec>>,
    started: Instant,
    ticks: Interval,
}

/// What a [`TcpClient`] has waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Received {
    Packet,
    /// The client has been updated.
    Tick,
}

/// Why a [`TcpClient`] has received nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TcpError {
    /// The connection is over: the server has closed it.
    #[error("the server has closed the connection")]
    Closed,
    /// The connection is over: it has failed.
    #[error("the connection to the server has failed")]
    Io(#[from] io::Error),
    /// A packet made no sense, in whole or in part. The connection stands.
    #[error("malformed packet from the server")]
    Malformed(#[from] ReadError),
}

impl TcpClient {
    /// Connects to a server.
    ///
    /// Whether the server lets the client in is told by its first event,
    /// [`ClientEvent::Connected`] or [`ClientEvent::Refused`].
    ///
    /// The server can send packets of up to 8 MiB, or of one message of the client's
    /// [`max_message_size`](syncvar_net::ClientConfig::max_message_size) if that is more; a longer
    /// one ends the connection.
    ///
    /// # Errors
    ///
    /// When there is no connection to be had.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    pub async fn connect(addr: impl ToSocketAddrs, mut client: NetworkClient) -> io::Result<Self> {
        let stream = TcpStream::connect(addr).await?;
        frame::configure(&stream)?;
        client.handle_connect();
        let longest = client.config().max_message_size;
        let max_packet = MAX_PACKET.max(longest.saturating_add(MESSAGE_HEAD));
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        Ok(Self {
            client,
            frames: Some(Framed::new(stream, frame::codec(max_packet))),
            started: Instant::now(),
            ticks,
        })
    }

    /// The client.
    pub fn client(&self) -> &NetworkClient {
        &self.client
    }

    /// The client, for commands and events. What it wants to send is sent by the next
    /// [`receive`](Self::receive).
    pub fn client_mut(&mut self) -> &mut NetworkClient {
        &mut self.client
    }

    /// Something that has happened, oldest first; does not wait.
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.client.poll_event()
    }

    /// Sends what the client wants to send, waits for a packet, and hands it to the client.
    ///
    /// Cancel-safe.
    ///
    /// # Errors
    ///
    /// When the connection is over, this time and every time after. The client has been told: its
    /// last event says why. [`TcpError::Malformed`] alone leaves the connection as it is.
    pub async fn receive(&mut self) -> Result<(), TcpError> {
        loop {
            if self.packet_or_tick().await? == Received::Packet {
                return Ok(());
            }
        }
    }

    async fn packet_or_tick(&mut self) -> Result<Received, TcpError> {
        std::future::poll_fn(|cx| self.poll_receive(cx)).await
    }

    /// Waits for something to happen. `None` when the connection is over and all events have been
    /// given out.
    ///
    /// Cancel-safe. A malformed packet is passed over.
    pub async fn next_event(&mut self) -> Option<ClientEvent> {
        loop {
            if let Some(event) = self.poll_event() {
                return Some(event);
            }
            match self.packet_or_tick().await {
                Ok(_) => {}
                Err(TcpError::Malformed(error)) => tracing::warn!(%error, "malformed packet"),
                Err(TcpError::Closed) => return self.poll_event(),
                Err(TcpError::Io(error)) => {
                    tracing::debug!(%error, "the connection has failed");
                    return self.poll_event();
                }
            }
        }
    }

    /// Ends the connection; the server is told why. Returns the client with its objects as they
    /// are: it can be looked at, or connected again.
    pub async fn disconnect(mut self, text: &str) -> NetworkClient {
        self.client.disconnect(text);
        match tokio::time::timeout(CLOSE_TIMEOUT, self.say_goodbye()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "the server may not have heard the goodbye"),
            Err(_) => tracing::debug!("the server did not take the goodbye in time"),
        }
        self.client
    }

    async fn say_goodbye(&mut self) -> io::Result<()> {
        std::future::poll_fn(|cx| self.poll_send(cx)).await?;
        if let Some(frames) = &mut self.frames {
            frames.get_mut().shutdown().await?;
            // To close while something is unread resets the connection, and the server might not
            // hear the last words.
            tokio::io::copy(frames.get_mut(), &mut tokio::io::sink()).await?;
        }
        Ok(())
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<Result<Received, TcpError>> {
        let Some(frames) = &mut self.frames else {
            return Poll::Ready(Err(TcpError::Closed));
        };
        let updated = self.ticks.poll_tick(cx).is_ready();
        if updated {
            self.client.update(self.started.elapsed());
        }
        let sent = poll_send(&mut self.client, frames, cx);
        match frames.poll_next_unpin(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                let handled = self.handle(&frame);
                // As far as the socket takes it now; the rest, and any error, comes up next time.
                let _ = self.poll_send(cx);
                let handled = handled.map(|()| Received::Packet);
                Poll::Ready(handled.map_err(TcpError::Malformed))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Err(self.end(TcpError::Io(error)))),
            Poll::Ready(None) => Poll::Ready(Err(self.end(TcpError::Closed))),
            // Only now: the server's last words can be read after it has stopped listening.
            Poll::Pending => match sent {
                Poll::Ready(Err(error)) => Poll::Ready(Err(self.end(TcpError::Io(error)))),
                _ if updated => Poll::Ready(Ok(Received::Tick)),
                _ => Poll::Pending,
            },
        }
    }

    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.frames {
            Some(frames) => poll_send(&mut self.client, frames, cx),
            None => Poll::Ready(Ok(())),
        }
    }

    fn handle(&mut self, frame: &[u8]) -> Result<(), ReadError> {
        let mut reader = NetworkReader::new(frame);
        let channel = reader.read_u8()?;
        let packet = reader.read_bytes(reader.remaining())?;
        self.client.update(self.started.elapsed());
        let handled = self.client.handle_packet(channel, packet);
        if self.client.state() == ClientState::Disconnected {
            // Those were the server's last words. It waits for this side to close, which must not
            // depend on whether the application still receives.
            self.frames = None;
        }
        handled
    }

    fn end(&mut self, error: TcpError) -> TcpError {
        self.frames = None;
        self.client.handle_disconnect();
        error
    }
}

/// Sends what the client wants to send, as far as the socket takes it.
fn poll_send(
    client: &mut NetworkClient,
    frames: &mut (impl Sink<Bytes, Error = io::Error> + Unpin),
    cx: &mut Context<'_>,
) -> Poll<io::Result<()>> {
    loop {
        ready!(frames.poll_ready_unpin(cx))?;
        let Some(packet) = client.poll_transmit() else {
            return frames.poll_flush_unpin(cx);
        };
        let mut frame = BytesMut::with_capacity(1 + packet.bytes.len());
        frame.put_u8(packet.channel);
        frame.put(packet.bytes);
        frames.start_send_unpin(frame.freeze())?;
    }
}
