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

use crate::messages::Messages;
use crate::meter::{Counts, Meter};

/// Buffer for input, in bytes: small, for many connections.
const READ_BUFFER: usize = 4 * 1024;

/// Bytes of output that are gathered for one call of the system.
const WRITE_BUFFER: usize = 64 * 1024;

/// Bytes between two packets besides four times the largest packet: control frames, empty fragments.
const MAX_OTHER_BYTES: usize = 64 * 1024;

/// End of the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    /// The peer has ended the connection.
    Ended,
    /// This end reads no further.
    Stopped,
}

/// Returns the limits of a WebSocket.
pub(crate) fn config(options: &TransportOptions, messages: Messages) -> WebSocketConfig {
    let longest = options.max_frame.saturating_add(messages.overhead());
    WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_message_size(Some(longest))
        .max_frame_size(Some(longest))
}

/// Opens the door, and runs until the peer closes, or until the connection is closed and the peer has
/// taken the queue.
pub(crate) async fn exchange<S>(
    stream: WebSocketStream<Meter<S>>,
    messages: Messages,
    door: Door,
) -> io::Result<End>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let options = door.options();
    let (timeout, linger) = (options.send_timeout, options.max_linger_bytes);
    let other = options.max_frame.saturating_mul(4);
    let other = other.saturating_add(MAX_OTHER_BYTES);
    let limits = PacketLimits::frames(options.max_frame);
    let Queues { inbox, mut outbox } = door.open(limits);
    let counts = stream.get_ref().counts();
    let (mut write, mut read) = stream.split();
    let violation = OnceLock::new();
    {
        let read = (&mut read, messages);
        let mut reading = pin!(read_messages(read, &inbox, (&counts, other), &violation));
        let writing = async {
            write_messages((&mut write, messages), &mut outbox, &counts, timeout).await?;
            let code = violation.get().copied().unwrap_or(CloseCode::Normal);
            close((&mut write, code), &counts, timeout).await
        };
        let mut writing = pin!(writing);
        tokio::select! {
            input = &mut reading => match input? {
                Input::Ended => {
                    inbox.leave();
                    return Ok(End::Closed);
                }
                // The endpoint closes the connection, with its reason.
                Input::Stopped => writing.await?,
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

/// Moves messages into the inbox until the peer ends the connection, or a message is malformed, or the
/// inbox is closed. A malformed message sets the code of the violation.
async fn read_messages<S>(
    (read, messages): (&mut SplitStream<WebSocketStream<Meter<S>>>, Messages),
    inbox: &Delivery,
    (counts, other): (&Counts, usize),
    violation: &OnceLock<CloseCode>,
) -> io::Result<Input>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        counts.allow(other);
        let (code, fault) = match next_message(read).await {
            Some(Ok(Message::Binary(bytes))) => match messages.split(bytes) {
                Some(packet) => {
                    if inbox.send(packet).await == Err(Closed) {
                        return Ok(Input::Stopped);
                    }
                    continue;
                }
                None => (CloseCode::Protocol, "no packet in a message".to_owned()),
            },
            Some(Ok(_)) => (CloseCode::Unsupported, "a text message".to_owned()),
            Some(Err(Error::Io(error))) if error.kind() != io::ErrorKind::InvalidData => {
                return Err(error);
            }
            Some(Err(error)) if is_end(&error) => return Ok(Input::Ended),
            Some(Err(error)) => (code_of(&error), error.to_string()),
            None => return Ok(Input::Ended),
        };
        // The writer closes after the endpoint's last packets.
        let _ = violation.set(code);
        inbox.fail(fault).await;
        return Ok(Input::Stopped);
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

/// Returns the next message that is no control message.
async fn next_message<S>(
    read: &mut SplitStream<WebSocketStream<Meter<S>>>,
) -> Option<Result<Message, Error>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        match read.next().await? {
            Ok(Message::Ping(_) | Message::Pong(_) | Message::Close(_) | Message::Frame(_)) => {}
            message => return Some(message),
        }
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

/// Moves packets from the outbox to the peer until the connection is closed.
async fn write_messages<S>(
    (write, messages): (&mut SplitSink<WebSocketStream<Meter<S>>, Message>, Messages),
    outbox: &mut Outbox,
    counts: &Counts,
    timeout: Duration,
) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(packet) = outbox.recv().await {
        let mut packet = Some(packet);
        let mut bytes = 0_usize;
        while let Some(next) = packet {
            bytes = bytes.saturating_add(next.length());
            let message = Message::Binary(messages.join(&next));
            progressing(counts, timeout, write.feed(message)).await?;
            packet = if bytes < WRITE_BUFFER {
                outbox.try_recv()
            } else {
                None
            };
        }
        progressing(counts, timeout, write.flush()).await?;
        outbox.sent(bytes);
    }
    Ok(())
}

/// Begins the closing handshake. Mirror's client takes no closing frame without a code.
async fn close<S>(
    (write, code): (
        &mut SplitSink<WebSocketStream<Meter<S>>, Message>,
        CloseCode,
    ),
    counts: &Counts,
    timeout: Duration,
) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let reason = Utf8Bytes::default();
    let close = Message::Close(Some(CloseFrame { code, reason }));
    match progressing(counts, timeout, write.send(close)).await {
        // The peer was faster.
        Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
        result => result,
    }
}

/// Awaits a write. Fails when the peer takes no byte for the time.
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

/// Returns the I/O error of a WebSocket's.
pub(crate) fn io_error(error: Error) -> io::Error {
    match error {
        Error::Io(error) => error,
        error => io::Error::new(io::ErrorKind::InvalidData, error),
    }
}
