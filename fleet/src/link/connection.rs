//! `LinkConnection`: the link to one node, in parts of packets.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::{Bytes, BytesMut};

use super::message::{Hello, LinkError, LinkMessage};

/// Longest message in bytes.
const MAX_MESSAGE: usize = 64 << 20;

/// Longest part of a message in bytes: the receivers of every transport take it.
const MAX_PART: usize = 16 * 1024 - 64;

/// Records that wait for a transport; the oldest go first, and their numbers show it.
const MAX_RECORDS: usize = 64;

/// Bytes of further messages that wait for a transport. A node that lets more wait is left.
const MAX_WAITING: usize = 2 * MAX_MESSAGE;

/// First byte of a part: more parts of the message follow.
const MORE: u8 = 1;

/// Time between two signs of life, and silence after which a node is gone.
const ALIVE: Duration = Duration::from_millis(500);
const LEASE: Duration = Duration::from_secs(3);

/// Longest time between two updates that counts as silence: a process that was stopped has not listened.
const LONGEST_STEP: Duration = Duration::from_millis(500);

/// Link to a node.
#[derive(Debug)]
pub(super) struct LinkConnection {
    max_part: usize,
    /// Set if the transport holds records back: the node reads too slowly.
    pub(super) is_slow: bool,
    is_introduced: bool,
    outbox: VecDeque<Outgoing>,
    waiting: usize,
    /// Parts of the message that arrives.
    incoming: BytesMut,
    /// Time without a packet of the node, and the last update of it.
    silence: Duration,
    updated: Duration,
    /// Time of the last packet to the node.
    sent: Duration,
    /// The packet that the transport reads: its flags, and its shared bytes.
    packet: ([u8; 1], Vec<Bytes>),
}

/// Message on its way, with the part that is left.
#[derive(Debug)]
struct Outgoing {
    head: Bytes,
    content: Bytes,
    is_record: bool,
    has_begun: bool,
}

impl Outgoing {
    fn len(&self) -> usize {
        self.head.len() + self.content.len()
    }
}

impl LinkConnection {
    /// Begins a link with the own introduction.
    pub(super) fn new(hello: Hello, max_reliable: usize, now: Duration) -> Self {
        let mut connection = Self {
            max_part: max_reliable.clamp(64, MAX_PART),
            is_slow: false,
            is_introduced: false,
            outbox: VecDeque::new(),
            waiting: 0,
            incoming: BytesMut::new(),
            silence: Duration::ZERO,
            updated: now,
            sent: now,
            packet: ([0], Vec::new()),
        };
        connection.push(LinkMessage::Hello(hello));
        connection
    }

    /// Queues a message. Returns whether the link can go on.
    pub(super) fn push(&mut self, message: LinkMessage) -> bool {
        let is_record = message.is_record();
        if is_record {
            if self.is_slow {
                return true;
            }
            let records = { self.outbox.iter() }.filter(|it| it.is_record && !it.has_begun);
            if records.count() >= MAX_RECORDS
                && let Some(oldest) =
                    { self.outbox.iter() }.position(|it| it.is_record && !it.has_begun)
            {
                self.outbox.remove(oldest);
            }
        }
        let (head, content) = message.encode();
        let outgoing = Outgoing {
            head: head.into(),
            content,
            is_record,
            has_begun: false,
        };
        if !is_record {
            self.waiting += outgoing.len();
        }
        self.outbox.push_back(outgoing);
        self.waiting <= MAX_WAITING
    }

    /// Returns whether a packet waits.
    pub(super) fn has_packet(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Takes the next packet: its header and its shared bytes. A header is one byte, because transports limit its length.
    pub(super) fn take_packet(&mut self, now: Duration) -> Option<(&[u8], &[Bytes])> {
        let room = self.max_part.saturating_sub(1);
        let message = self.outbox.front_mut()?;
        let head = message.head.split_to(message.head.len().min(room));
        let of_content = message.content.len().min(room - head.len());
        let content = message.content.split_to(of_content);
        message.has_begun = true;
        if !message.is_record {
            self.waiting -= head.len() + of_content;
        }
        let flags = if message.len() > 0 { MORE } else { 0 };
        if flags == 0 {
            self.outbox.pop_front();
        }
        self.sent = now;
        let (header, chunks) = &mut self.packet;
        *header = [flags];
        chunks.clear();
        chunks.extend([head, content].into_iter().filter(|part| !part.is_empty()));
        Some((&header[..], &chunks[..]))
    }

    /// Handles a packet. Returns the message that it completes.
    pub(super) fn handle_packet(
        &mut self,
        packet: &[u8],
        key: &str,
    ) -> Result<Option<LinkMessage>, LinkError> {
        self.silence = Duration::ZERO;
        let Some((flags, part)) = packet.split_first() else {
            return Ok(None);
        };
        if self.incoming.len() + part.len() > MAX_MESSAGE {
            return Err(LinkError::TooLong);
        }
        self.incoming.extend_from_slice(part);
        if flags & MORE != 0 {
            return Ok(None);
        }
        let message = LinkMessage::decode(&self.incoming.split().freeze())?;
        match &message {
            LinkMessage::Hello(hello) if is_equal(&hello.key, key) => self.is_introduced = true,
            LinkMessage::Hello(_) => return Err(LinkError::Refused),
            _ if !self.is_introduced => return Err(LinkError::Refused),
            _ => {}
        }
        Ok(Some(message))
    }

    /// Sends a sign of life when it is due. Returns whether the node is alive.
    pub(super) fn update(&mut self, now: Duration) -> bool {
        if now.saturating_sub(self.sent) >= ALIVE && self.outbox.is_empty() {
            self.push(LinkMessage::Alive);
        }
        self.silence += now.saturating_sub(self.updated).min(LONGEST_STEP);
        self.updated = now;
        self.silence < LEASE
    }
}

/// Compares two keys in a time that does not depend on their contents.
fn is_equal(one: &str, other: &str) -> bool {
    let pairs = one.bytes().zip(other.bytes());
    one.len() == other.len() && pairs.fold(0, |bits, (a, b)| bits | (a ^ b)) == 0
}
