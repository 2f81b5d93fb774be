//! Reliable messages over datagrams: both directions, their acks and their windows.

use bytes::{Bytes, BytesMut};

use super::KcpError;
use super::datagrams::KcpDatagrams;
use super::receiver::Receiver;
use super::segment::{Segment, SegmentCommand, distance};
use super::sender::Sender;

/// Interval between two questions for the window of a full peer, in milliseconds: first and longest.
const FIRST_PROBE: u32 = 7000;
const MAX_PROBE: u32 = 120_000;

/// Reliable half of a connection. Times are milliseconds that wrap around.
#[derive(Debug)]
pub(super) struct Arq {
    sender: Sender,
    receiver: Receiver,
    probe: Option<Probe>,
    /// The window is due: the peer has asked for it, or it was 0 and has opened.
    tell_window: bool,
}

/// Schedule of the questions for the peer's window, with growing intervals.
#[derive(Debug)]
struct Probe {
    at: u32,
    wait: u32,
}

impl Arq {
    /// Makes both directions begin with the number `first`.
    pub(super) fn new(first: u32) -> Self {
        Self {
            sender: Sender::new(first),
            receiver: Receiver::new(first),
            probe: None,
            tell_window: false,
        }
    }

    /// Queues a message. Returns whether it fits.
    pub(super) fn send(&mut self, message: &Bytes) -> bool {
        self.sender.push(message)
    }

    /// Returns the bytes that are not sent or not acknowledged.
    pub(super) fn bytes(&self) -> usize {
        self.sender.bytes()
    }

    /// Returns the memory for them, estimated.
    pub(super) fn memory(&self) -> usize {
        self.sender.memory()
    }

    /// Returns the receiving half.
    pub(super) fn receiver(&self) -> &Receiver {
        &self.receiver
    }

    /// Lets the window follow losses.
    #[cfg(feature = "udp")]
    pub(super) fn avoid_congestion(&mut self) {
        self.sender.avoid_congestion();
    }

    /// Sets the most memory of received, unpolled messages. The window follows from it.
    pub(super) fn set_max_received(&mut self, max_bytes: usize) {
        self.receiver.set_max_bytes(max_bytes);
    }

    /// Returns whether all segments are acknowledged.
    pub(super) fn is_sent(&self) -> bool {
        self.sender.is_empty()
    }

    /// Returns the next received message.
    pub(super) fn receive(&mut self) -> Option<Bytes> {
        let shut = self.receiver.window() == 0;
        let message = self.receiver.pop();
        self.tell_window |= shut && message.is_some();
        message
    }

    /// Handles the segments of a datagram. Received data may take `room` more bytes of memory.
    ///
    /// # Errors
    ///
    /// For a malformed segment; the segments before it are handled.
    pub(super) fn input(&mut self, now: u32, mut body: &[u8], room: usize) -> Result<(), KcpError> {
        let most = self.receiver.bytes().saturating_add(room);
        let mut latest: Option<(u32, u32)> = None;
        while !body.is_empty() {
            let segment = Segment::read(&mut body)?;
            if segment.conversation != 0 {
                return Err(KcpError::Malformed);
            }
            self.sender.set_remote_window(segment.window);
            self.sender.acknowledge_before(segment.una);
            match segment.command {
                SegmentCommand::Push => {
                    let room = most.saturating_sub(self.receiver.bytes());
                    self.receiver.push(&segment, room)?;
                }
                SegmentCommand::Ack => {
                    let ack = (segment.number, segment.timestamp);
                    self.sender.acknowledge(ack.0, ack.1, now);
                    if latest.is_none_or(|(number, _)| distance(ack.0, number) > 0) {
                        latest = Some(ack);
                    }
                }
                SegmentCommand::AskWindow => self.tell_window = true,
                SegmentCommand::TellWindow => {}
            }
        }
        if let Some((number, timestamp)) = latest {
            self.sender.overtake(number, timestamp);
        }
        Ok(())
    }

    /// Writes the due acks, window messages and data.
    ///
    /// # Errors
    ///
    /// When a segment has been sent too often without an ack.
    pub(super) fn flush(&mut self, now: u32, out: &mut KcpDatagrams<'_>) -> Result<(), KcpError> {
        let head = Segment {
            conversation: 0,
            command: SegmentCommand::Ack,
            fragment: 0,
            window: self.receiver.window(),
            timestamp: 0,
            number: 0,
            una: self.receiver.una(),
            data: &[],
        };
        for (number, timestamp) in self.receiver.take_acks() {
            out.push(&Segment {
                timestamp,
                number,
                ..head
            });
        }
        if self.is_time_to_ask(now) {
            out.push(&Segment {
                command: SegmentCommand::AskWindow,
                ..head
            });
        }
        if std::mem::take(&mut self.tell_window) {
            out.push(&Segment {
                command: SegmentCommand::TellWindow,
                ..head
            });
        }
        self.sender.flush(now, |number, fragment| {
            out.push(&Segment {
                command: SegmentCommand::Push,
                fragment: fragment.following,
                timestamp: now,
                number,
                data: &fragment.data,
                ..head
            });
        })
    }

    fn is_time_to_ask(&mut self, now: u32) -> bool {
        if !self.sender.is_shut() {
            self.probe = None;
            return false;
        }
        let probe = self.probe.get_or_insert(Probe {
            at: now.wrapping_add(FIRST_PROBE),
            wait: FIRST_PROBE,
        });
        if distance(now, probe.at) < 0 {
            return false;
        }
        probe.wait = probe.wait.saturating_add(probe.wait / 2).min(MAX_PROBE);
        probe.at = now.wrapping_add(probe.wait);
        true
    }
}

/// Writes the answer to a first segment, without a connection: an ack of number 0, sent at
/// `timestamp`, and a message with the number 0.
pub(super) fn first_answer(timestamp: u32, now: u32, message: &[u8], out: &mut BytesMut) {
    let ack = Segment {
        conversation: 0,
        command: SegmentCommand::Ack,
        fragment: 0,
        window: super::WINDOW,
        timestamp,
        number: 0,
        una: 1,
        data: &[],
    };
    ack.write(out);
    let push = Segment {
        command: SegmentCommand::Push,
        timestamp: now,
        data: message,
        ..ack
    };
    push.write(out);
}
