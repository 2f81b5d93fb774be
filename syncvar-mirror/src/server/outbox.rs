//! What waits to be sent to one connection: messages, batches of them, and the order of its channels.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use syncvar_runtime::Channel;

use super::frame::{Cut, Frame, HEADER, put_message};
use crate::Limits;

/// Everything that is on its way to one connection.
#[derive(Debug)]
pub(super) struct Outbox {
    limits: Limits,
    /// Messages of one connection alone, for each channel.
    own: [Batcher; 2],
    /// The channel that was used first: it is always sent first.
    first: Option<Channel>,
    /// Batches that are complete.
    ready: VecDeque<Packet>,
    /// How many bytes these have.
    waiting: usize,
}

/// Messages in batches, one after another in one piece of memory.
#[derive(Debug, Default)]
struct Batcher {
    bytes: BytesMut,
    /// Where each batch but the first begins.
    splits: Vec<usize>,
    /// Where the last one begins.
    start: usize,
    /// What the last one is stamped with.
    time: Duration,
}

/// A batch that is complete: what one transport message consists of.
#[derive(Clone, Debug)]
pub(super) struct Packet {
    pub(super) channel: Channel,
    chunks: Chunks,
}

#[derive(Clone, Debug)]
enum Chunks {
    One(Bytes),
    Many(Vec<Bytes>),
    /// Those of a list from one on, each of them a batch.
    Shared(Arc<[Bytes]>, usize),
}

/// A batch that is put together of what is shared and what is not.
struct Gathering<'a> {
    channel: Channel,
    header: &'a [u8; HEADER],
    threshold: usize,
    chunks: Vec<Bytes>,
    length: usize,
    ready: &'a mut VecDeque<Packet>,
}

/// What of a frame goes to a connection in place of, or beside, what all others are sent.
#[derive(Clone, Debug)]
pub(super) struct Exception {
    /// The messages of the frame that it does not get; none where it gets one that others do not.
    pub(super) instead_of: Range<usize>,
    /// What it gets: a message behind its length, or nothing.
    pub(super) own: Bytes,
}

/// The first bytes of every batch of a moment.
pub(super) fn header(time: Duration) -> [u8; HEADER] {
    time.as_secs_f64().to_le_bytes()
}

fn index(channel: Channel) -> usize {
    usize::from(channel == Channel::Unreliable)
}

impl Outbox {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            own: [Batcher::default(), Batcher::default()],
            first: None,
            ready: VecDeque::new(),
            waiting: 0,
        }
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How many bytes wait to be polled.
    pub(super) fn waiting(&self) -> usize {
        self.waiting + self.own.iter().map(|own| own.bytes.len()).sum::<usize>()
    }

    /// The longest message that a channel carries.
    pub(super) fn longest(&self, channel: Channel) -> usize {
        let packet = match channel {
            Channel::Unreliable => self.limits.max_unreliable,
            _ => self.limits.max_reliable,
        };
        // A length of more than 67 823 takes four bytes and more, one of less three and less.
        let prefix = match packet {
            0..=250 => 1,
            251..=2297 => 2,
            2298..=67_834 => 3,
            67_835..=16_777_227 => 4,
            _ => 9,
        };
        packet.saturating_sub(HEADER + prefix)
    }

    /// Adds a message. Returns whether the channel carries one so long.
    pub(super) fn send(&mut self, channel: Channel, time: Duration, parts: &[&[u8]]) -> bool {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        if length > self.longest(channel) {
            return false;
        }
        self.first.get_or_insert(channel);
        let threshold = self.limits.batch_threshold;
        if let Some(own) = self.own.get_mut(index(channel)) {
            own.add(time, threshold, parts, length);
        }
        true
    }

    /// The channels in the order in which they are sent.
    pub(super) fn channels(&mut self, used: Option<Channel>) -> [Channel; 2] {
        if self.first.is_none() {
            self.first = used;
        }
        match self.first {
            Some(Channel::Unreliable) => [Channel::Unreliable, Channel::Reliable],
            _ => [Channel::Reliable, Channel::Unreliable],
        }
    }

    /// Completes the batches of a channel, and then has what a frame writes for it: all of one batch,
    /// made for many.
    pub(super) fn flush_with_batch(&mut self, channel: Channel, time: Duration, batch: &Bytes) {
        match self.flush_but_open(channel, time) {
            None => self.push(channel, Chunks::One(batch.clone())),
            Some(open) => {
                let header = header(time);
                let mut gathering = Gathering::new(self, channel, &header, Some(open));
                gathering.add(batch.slice(HEADER..));
                gathering.finish();
            }
        }
        self.count();
    }

    /// Completes the batches of a channel.
    pub(super) fn flush(&mut self, channel: Channel) {
        let Some(own) = self.own.get_mut(index(channel)) else {
            return;
        };
        for batch in own.take() {
            let chunks = Chunks::One(batch);
            self.ready.push_back(Packet { channel, chunks });
        }
        self.count();
    }

    /// Completes the batches of a channel, and then has what a frame has written for some audiences: with
    /// the exceptions of each of them, in order. `batches` makes them for all who get the same.
    pub(super) fn flush_with_frames<'a>(
        &mut self,
        channel: Channel,
        time: Duration,
        frames: impl ExactSizeIterator<Item = (&'a Frame, &'a [Exception])>,
    ) {
        let open = self.flush_but_open(channel, time);
        let header = header(time);
        let mut gathering = Gathering::new(self, channel, &header, open);
        for (frame, exceptions) in frames {
            let mut next = 0;
            for exception in exceptions {
                gathering.add_messages(frame, next..exception.instead_of.start);
                gathering.add(exception.own.clone());
                next = exception.instead_of.end;
            }
            gathering.add_messages(frame, next..frame.len());
        }
        gathering.finish();
        self.count();
    }

    /// Completes the batches of a channel, and then has those that were made for many. False, and only
    /// the former, if they cannot be told apart from the latter.
    pub(super) fn flush_with_batches(
        &mut self,
        channel: Channel,
        batches: &Arc<[Bytes]>,
    ) {
        self.flush(channel);
        if !batches.is_empty() {
            self.waiting += batches.iter().map(Bytes::len).sum::<usize>();
            self.ready.push_back(Packet {
                channel,
                chunks: Chunks::Shared(batches.clone(), 0),
            });
        }
    }

    /// Whether a batch of this very moment waits, which what is written now belongs into.
    pub(super) fn is_open(&self, channel: Channel, time: Duration) -> bool {
        let own = self.own.get(index(channel));
        own.is_some_and(|own| !own.bytes.is_empty() && own.time == time)
    }

    /// How batches for this connection are cut.
    pub(super) fn cut(&self) -> Cut {
        Cut {
            threshold: self.limits.batch_threshold,
        }
    }

    /// The next batch.
    pub(super) fn pop(&mut self) -> Option<Packet> {
        let front = self.ready.front_mut()?;
        if let Chunks::Shared(batches, next) = &mut front.chunks
            && *next + 1 < batches.len()
        {
            let packet = front.clone();
            if let Chunks::Shared(_, next) = &mut front.chunks {
                *next += 1;
            }
            self.waiting -= packet.len();
            return Some(packet);
        }
        let packet = self.ready.pop_front()?;
        self.waiting -= packet.len();
        Some(packet)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }
}
