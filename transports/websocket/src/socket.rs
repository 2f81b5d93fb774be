//! Packets between a WebSocket and the queues of its connection.

use std::io;
use std::pin::pin;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use syncvar_runtime::PacketLimits;
use syncvar_tokio::TransportOptions;
use syncvar_tokio::tasks::{Closed, Delivery, Door, End, Outbox, Queues};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

use crate::messages::MessageKind;
use crate::meter::{Counts, Meter};

/// Buffer for input, in bytes: small, for many connections.
const READ_BUFFER: usize = 4 * 1024;

/// Bytes of output that are gathered for one call of the system.
const WRITE_BUFFER: usize = 64 * 1024;

/// Allowance for control frames and empty fragments between two packets, on top of `4 * max_packet`.
const MAX_OTHER_BYTES: usize = 64 * 1024;

/// Why reading stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadEnd {
    /// The peer has ended the connection.
    Ended,
    /// This end reads no further.
    Stopped,
}

/// Reading half of a connection.
struct Reader<'a, S> {
    read: &'a mut SplitStream<WebSocketStream<Meter<S>>>,
    messages: MessageKind,
    counts: &'a Counts,
    /// Most bytes between two packets.
    allowance: usize,
}

/// Writing half of a connection.
struct Writer<'a, S> {
    write: &'a mut SplitSink<WebSocketStream<Meter<S>>, Message>,
    messages: MessageKind,
    counts: &'a Counts,
    /// Longest time in which the peer accepts nothing.
    timeout: Duration,
}

/// Returns the limits of a WebSocket.
pub(crate) fn config(options: &TransportOptions, messages: MessageKind) -> WebSocketConfig {
    let longest = options.max_packet.saturating_add(messages.overhead());
    WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_message_size(Some(longest))
        .max_frame_size(Some(longest))
}

/// Registers the connection, then copies packets both ways until either end closes. The peer gets the queue of a connection
/// that this end closes.
pub(crate) async fn exchange<S>(
    stream: WebSocketStream<Meter<S>>,
    messages: MessageKind,
    door: Door,
) -> io::Result<End>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let options = door.options();
    let (timeout, linger) = (options.stall_timeout, options.max_linger_bytes);
    let allowance = options.max_packet.saturating_mul(4);
    let allowance = allowance.saturating_add(MAX_OTHER_BYTES);
    let limits = PacketLimits::frames(options.max_packet);
    let Queues { inbox, mut outbox } = door.open(limits);
    let counts = stream.get_ref().counts();
    let (mut write, mut read) = stream.split();
    let violation = OnceLock::new();
    {
        let reader = Reader {
            read: &mut read,
            messages,
            counts: &counts,
            allowance,
        };
        let mut writer = Writer {
            write: &mut write,
            messages,
            counts: &counts,
            timeout,
        };
        let mut reading = pin!(reader.run(&inbox, &violation));
        let writing = async {
            writer.run(&mut outbox).await?;
            let code = violation.get().copied().unwrap_or(CloseCode::Normal);
            writer.close(code).await
        };
        let mut writing = pin!(writing);
        tokio::select! {
            end = &mut reading => match end? {
                ReadEnd::Ended => {
                    inbox.leave();
                    return Ok(End::Closed);
                }
                // The endpoint closes the connection, with its reason.
                ReadEnd::Stopped => writing.await?,
            },
            result = &mut writing => result?,
        }
    }
    let stream = read.reunite(write);
    let stream = stream.map_err(|error| io::Error::other(error.to_string()))?;
    let mut stream = stream.into_inner().into_inner();
    stream.shutdown().await?;
    End::after(stream, linger).await
}

impl<S: AsyncRead + AsyncWrite + Unpin> Reader<'_, S> {
    /// Moves messages into the inbox until the peer ends the connection, a message is malformed, or the inbox is closed.
    /// A malformed message sets the code of the violation.
    async fn run(
        mut self,
        inbox: &Delivery,
        violation: &OnceLock<CloseCode>,
    ) -> io::Result<ReadEnd> {
        loop {
            self.counts.allow(self.allowance);
            let (code, fault) = match self.next_message().await {
                Some(Ok(Message::Binary(bytes))) => match self.messages.split(bytes) {
                    Some(packet) => {
                        if inbox.send(packet).await == Err(Closed) {
                            return Ok(ReadEnd::Stopped);
                        }
                        continue;
                    }
                    None => (CloseCode::Protocol, "no packet in a message".to_owned()),
                },
                Some(Ok(_)) => (CloseCode::Unsupported, "a text message".to_owned()),
                Some(Err(Error::Io(error))) if error.kind() != io::ErrorKind::InvalidData => {
                    return Err(error);
                }
                Some(Err(error)) if is_end(&error) => return Ok(ReadEnd::Ended),
                Some(Err(error)) => (code_of(&error), error.to_string()),
                None => return Ok(ReadEnd::Ended),
            };
            // The writer closes after the endpoint's last packets.
            let _ = violation.set(code);
            inbox.fail(fault).await;
            return Ok(ReadEnd::Stopped);
        }
    }

    /// Returns the next message, without control messages.
    async fn next_message(&mut self) -> Option<Result<Message, Error>> {
        loop {
            match self.read.next().await? {
                Ok(Message::Ping(_) | Message::Pong(_) | Message::Close(_) | Message::Frame(_)) => {
                }
                message => return Some(message),
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Writer<'_, S> {
    /// Moves packets from the outbox to the peer until the connection is closed.
    async fn run(&mut self, outbox: &mut Outbox) -> io::Result<()> {
        while let Some(packet) = outbox.recv().await {
            let mut packet = Some(packet);
            let mut bytes = 0_usize;
            while let Some(next) = packet {
                bytes = bytes.saturating_add(next.length());
                let message = Message::Binary(self.messages.join(&next));
                let write = self.write.feed(message);
                progressing(self.counts, self.timeout, write).await?;
                packet = if bytes < WRITE_BUFFER {
                    outbox.try_recv()
                } else {
                    None
                };
            }
            progressing(self.counts, self.timeout, self.write.flush()).await?;
            outbox.sent(bytes);
        }
        Ok(())
    }

    /// Begins the closing handshake. Mirror's client demands a code in the closing frame.
    async fn close(&mut self, code: CloseCode) -> io::Result<()> {
        let reason = Utf8Bytes::default();
        let close = Message::Close(Some(CloseFrame { code, reason }));
        let write = self.write.send(close);
        match progressing(self.counts, self.timeout, write).await {
            // The peer closed first.
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
            result => result,
        }
    }
}

/// Returns the code of a violation.
fn code_of(error: &Error) -> CloseCode {
    match error {
        Error::Capacity(_) => CloseCode::Size,
        Error::Utf8(_) => CloseCode::Unsupported,
        // The limit of the meter.
        Error::Io(_) => CloseCode::Policy,
        _ => CloseCode::Protocol,
    }
}

/// Returns whether the peer has ended the connection, with a closing handshake or without.
fn is_end(error: &Error) -> bool {
    use tokio_tungstenite::tungstenite::error::ProtocolError;
    matches!(
        error,
        Error::ConnectionClosed
            | Error::AlreadyClosed
            | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)
    )
}

/// Awaits a write. Fails when the peer accepts nothing for the time.
async fn progressing(
    counts: &Counts,
    timeout: Duration,
    write: impl Future<Output = Result<(), Error>>,
) -> io::Result<()> {
    let mut write = pin!(write);
    loop {
        let before = counts.written.load(Ordering::Relaxed);
        match tokio::time::timeout(timeout, &mut write).await {
            Ok(Err(error)) if is_end(&error) => return Err(io::ErrorKind::NotConnected.into()),
            Ok(result) => return result.map_err(io_error),
            Err(stalled) if counts.written.load(Ordering::Relaxed) == before => {
                return Err(stalled.into());
            }
            Err(_) => {}
        }
    }
}

/// Converts to an `io::Error`.
pub(crate) fn io_error(error: Error) -> io::Error {
    match error {
        Error::Io(error) => error,
        error => io::Error::new(io::ErrorKind::InvalidData, error),
    }
}
