//! Messages in order over datagrams: the two directions, and what they say to each other.

use bytes::{Bytes, BytesMut};

use super::KcpError;
use super::datagrams::Datagrams;
use super::receiver::Receiver;
use super::segment::{Command, Segment, distance};
use super::sender::Sender;

/// How long a sender waits before it asks a peer that could take nothing whether it can now, in
/// milliseconds; at first, and at most.
const FIRST_PROBE: u32 = 7000;
const MAX_PROBE: u32 = 120_000;

/// The reliable half of a connection. Times are milliseconds that start over after the largest.
#[derive(Debug)]
pub(super) struct Arq {
    sender: Sender,
    receiver: Receiver,
    probe: Option<Probe>,
    /// Whether the peer is to be told the window: it has asked, or it was 0 and is no more.
    tell_window: bool,
}

/// Asks for the peer's window, less and less often.
#[derive(Debug)]
struct Probe {
    at: u32,
    wait: u32,
}

impl Arq {
    /// Both directions begin with the number `first`.
    pub(super) fn new(first: u32) -> Self {
        Self {
            sender: Sender::new(first),
            receiver: Receiver::new(first),
            probe: None,
            tell_window: false,
        }
    }

    /// Queues a message. `false` if it is too long.
    pub(super) fn send(&mut self, message: &Bytes) -> bool {
        self.sender.push(message)
    }

    /// How many bytes wait to be sent or to be acknowledged.
    pub(super) fn bytes(&self) -> usize {
        self.sender.bytes()
    }

    /// How much memory that takes, about.
    pub(super) fn memory(&self) -> usize {
        self.sender.memory()
    }

    /// Whether everything has been sent and acknowledged.
    pub(super) fn is_sent(&self) -> bool {
        self.sender.is_empty()
    }

    /// The next message that has come.
    pub(super) fn receive(&mut self) -> Option<Bytes> {
        let shut = self.receiver.window() == 0;
        let message = self.receiver.pop();
        self.tell_window |= shut && message.is_some();
        message
    }

    /// Takes the segments of a datagram.
    ///
    /// # Errors
    ///
    /// Where they make no sense; those before have been taken.
    pub(super) fn input(&mut self, now: u32, mut body: &[u8]) -> Result<(), KcpError> {
        let mut latest: Option<(u32, u32)> = None;
        while !body.is_empty() {
            let segment = Segment::read(&mut body)?;
            if segment.conversation != 0 {
                return Err(KcpError::Malformed);
            }
            self.sender.set_remote_window(segment.window);
            self.sender.acknowledge_before(segment.una);
            match segment.command {
                Command::Push => self.receiver.push(&segment)?,
                Command::Ack => {
                    let ack = (segment.number, segment.timestamp);
                    self.sender.acknowledge(ack.0, ack.1, now);
                    if latest.is_none_or(|(number, _)| distance(ack.0, number) > 0) {
                        latest = Some(ack);
                    }
                }
                Command::AskWindow => self.tell_window = true,
                Command::TellWindow => {}
            }
        }
        if let Some((number, timestamp)) = latest {
            self.sender.overtake(number, timestamp);
        }
        Ok(())
    }

    /// Writes what is due: acks, words about the window, and data.
    ///
    /// # Errors
    ///
    /// When something has been sent so often that nobody can be there.
    pub(super) fn flush(&mut self, now: u32, out: &mut Datagrams<'_>) -> Result<(), KcpError> {
        let head = Segment {
            conversation: 0,
            command: Command::Ack,
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
                command: Command::AskWindow,
                ..head
            });
        }
        if std::mem::take(&mut self.tell_window) {
            out.push(&Segment {
                command: Command::TellWindow,
                ..head
            });
        }
        self.sender.flush(now, |number, fragment| {
            out.push(&Segment {
                command: Command::Push,
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

/// The answer to a first segment, before there is anything to answer from: an ack of number 0, sent
/// at `timestamp`, and a message of our own with the number 0.
pub(super) fn first_answer(timestamp: u32, now: u32, message: &[u8], out: &mut BytesMut) {
    let ack = Segment {
        conversation: 0,
        command: Command::Ack,
        fragment: 0,
        window: super::WINDOW,
        timestamp,
        number: 0,
        una: 1,
        data: &[],
    };
    ack.write(out);
    let push = Segment {
        command: Command::Push,
        timestamp: now,
        data: message,
        ..ack
    };
    push.write(out);
}
