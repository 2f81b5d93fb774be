//! TCP with frames, for this crate's own format and for Telepathy.

mod acceptor;
mod link;
mod pieces;
mod socket;

pub(crate) use acceptor::StreamPort;
#[cfg(feature = "tcp")]
pub(crate) use acceptor::{StreamAcceptor, configure_client, exchange};
pub(crate) use link::StreamLink;
#[cfg(feature = "tcp")]
pub(crate) use socket::Socket;

use std::io::Cursor;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use arrayvec::ArrayVec;
use bytes::Bytes;
use syncvar_runtime::PacketLimits;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::TcpStream;

use crate::TransportOptions;
use crate::frames::Frames;

/// Most bytes of a read.
const READ: usize = 8 * 1024;

/// Longest head of a frame: its length, the number of a channel, and the header of the packet.
const MAX_HEAD: usize = 5 + 24;

/// Least and greatest time in which the system must get the peer's answer.
const MIN_PROBED: Duration = Duration::from_secs(1);
const MAX_PROBED: Duration = Duration::from_mins(1);

/// Bytes that the system takes beyond those on their way: the rest waits in the queue, which shows a slow reader.
#[cfg(any(target_os = "android", target_os = "linux"))]
const MAX_UNSENT: u32 = 64 * 1024;

/// Head of a frame, as far as it is not sent.
type Head = Cursor<ArrayVec<u8, MAX_HEAD>>;

/// Format of the frames in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// `[length: u32][channel: u8][packet]`.
    #[cfg(feature = "tcp")]
    Numbered,
    /// `[length: u32][packet]`: Telepathy.
    #[cfg(feature = "telepathy")]
    Plain,
}

impl Framing {
    /// Returns the bytes of a frame besides the length and the packet.
    const fn overhead(self) -> usize {
        match self {
            #[cfg(feature = "tcp")]
            Self::Numbered => 1,
            #[cfg(feature = "telepathy")]
            Self::Plain => 0,
        }
    }

    /// Returns a reader of frames with packets of up to `max_packet` bytes.
    fn frames(self, max_packet: usize) -> Frames {
        let overhead = self.overhead();
        Frames::with_sizes(overhead + 1, max_packet.saturating_add(overhead))
    }

    /// Returns the number of the channel and the packet in a frame.
    fn split(self, frame: Bytes) -> (u8, Bytes) {
        match self {
            // `frames` yields no frame without a packet.
            #[cfg(feature = "tcp")]
            Self::Numbered => match frame.first() {
                Some(channel) => (*channel, frame.slice(1..)),
                None => (0, frame),
            },
            #[cfg(feature = "telepathy")]
            Self::Plain => (syncvar_runtime::Channel::Reliable.number(), frame),
        }
    }

    /// Returns the head of a frame, given the channel, length and header of its packet. `None` for a packet that is
    /// empty or too long.
    fn head(self, channel: u8, length: usize, header: &[u8], max_packet: usize) -> Option<Head> {
        if length == 0 || length > self.max_sent(max_packet) {
            return None;
        }
        let length = u32::try_from(length.checked_add(self.overhead())?).ok()?;
        let mut head = ArrayVec::new();
        head.try_extend_from_slice(&length.to_be_bytes()).ok()?;
        match self {
            #[cfg(feature = "tcp")]
            Self::Numbered => head.try_push(channel).ok()?,
            #[cfg(feature = "telepathy")]
            Self::Plain => {
                let _ = channel;
            }
        }
        head.try_extend_from_slice(header).ok()?;
        Some(Cursor::new(head))
    }

    /// Returns the longest packet to send, where `max_packet` is the longest to receive.
    const fn max_sent(self, max_packet: usize) -> usize {
        match self {
            #[cfg(feature = "tcp")]
            Self::Numbered => {
                let _ = max_packet;
                usize::MAX
            }
            #[cfg(feature = "telepathy")]
            Self::Plain => max_packet,
        }
    }

    /// Returns whether the protocol announces the end of a connection in words.
    const fn has_goodbye(self) -> bool {
        match self {
            #[cfg(feature = "tcp")]
            Self::Numbered => true,
            #[cfg(feature = "telepathy")]
            Self::Plain => false,
        }
    }
}

/// Sends small packets at once, and lets the system look for a vanished peer.
pub(crate) fn configure(stream: &TcpStream, options: &TransportOptions) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let limit = options.idle_timeout.clamp(MIN_PROBED, MAX_PROBED);
    let socket = socket2::SockRef::from(stream);
    let probes = socket2::TcpKeepalive::new()
        .with_time((limit / 3).max(MIN_PROBED))
        .with_interval((limit / 6).max(MIN_PROBED));
    socket.set_tcp_keepalive(&probes)?;
    // Probes wait for the acknowledgement of sent bytes, and a game always sends.
    #[cfg(any(target_os = "android", target_os = "linux"))]
    {
        socket.set_tcp_user_timeout(Some(limit))?;
        socket.set_tcp_notsent_lowat(MAX_UNSENT)?;
    }
    Ok(())
}

/// Reads from a stream once. Ready with the number of bytes, 0 at its end.
///
/// They come by way of the stack: a stream without input has no buffer.
fn poll_read(
    frames: &mut Frames,
    cx: &mut Context<'_>,
    read: &mut (impl AsyncRead + Unpin),
) -> Poll<std::io::Result<usize>> {
    let mut room = [MaybeUninit::uninit(); READ];
    let mut input = ReadBuf::uninit(&mut room);
    ready!(Pin::new(read).poll_read(cx, &mut input))?;
    frames.extend(input.filled());
    Poll::Ready(Ok(input.filled().len()))
}

/// Returns the packet sizes of a stream.
fn limits(options: &TransportOptions) -> PacketLimits {
    PacketLimits::frames(options.max_packet)
}

#[cfg(test)]
mod tests {
    use bytes::Buf;

    use crate::frames::FrameError;

    use super::*;

    #[cfg(feature = "tcp")]
    #[test]
    fn numbered_frames_are_read_as_written() {
        let head = Framing::Numbered.head(2, 3, &[], 0).unwrap();
        assert_eq!(head.chunk(), [0, 0, 0, 4, 2]);
        let mut frames = Framing::Numbered.frames(3);
        frames.buffer().extend_from_slice(head.chunk());
        frames.buffer().extend_from_slice(b"abc");
        let frame = frames.next_frame().unwrap().unwrap();
        assert_eq!(Framing::Numbered.split(frame), (2, "abc".into()));
        assert_eq!(frames.next_frame(), Ok(None));
    }

    #[cfg(feature = "tcp")]
    #[test]
    fn frames_of_wrong_sizes_fail_at_the_head() {
        for (head, error) in [
            ([0, 0, 0, 5, 0], FrameError::TooLong(5)),
            ([0, 0, 0, 1, 0], FrameError::Empty),
            ([0, 0, 0, 0, 0], FrameError::Empty),
        ] {
            let mut frames = Framing::Numbered.frames(3);
            frames.buffer().extend_from_slice(&head);
            assert_eq!(frames.next_frame(), Err(error));
        }
    }

    #[cfg(feature = "tcp")]
    #[test]
    fn no_frame_is_longer_than_its_length_can_say() {
        let longest = usize::try_from(u32::MAX - 1).unwrap();
        let head = Framing::Numbered.head(7, longest, &[], 0);
        assert_eq!(head.unwrap().into_inner()[..], [255, 255, 255, 255, 7]);
        assert_eq!(Framing::Numbered.head(7, longest + 1, &[], 0), None);
        assert_eq!(Framing::Numbered.head(7, usize::MAX, &[], 0), None);
    }

    #[cfg(feature = "telepathy")]
    #[test]
    fn plain_frames_are_telepathys() {
        let head = Framing::Plain.head(1, 14, &[], 16).unwrap();
        assert_eq!(head.chunk(), [0, 0, 0, 14]);
        assert_eq!(Framing::Plain.head(1, 17, &[], 16), None);
        assert_eq!(Framing::Plain.head(1, 0, &[], 16), None);
        assert_eq!(Framing::Plain.split("ab".into()), (0, "ab".into()));
    }
}
