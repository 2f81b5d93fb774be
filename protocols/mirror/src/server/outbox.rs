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
use crate::batch::{self, framed};

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
    waiting: &'a mut usize,
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
    batch::header(time.as_secs_f64())
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

    /// How many bytes wait to be polled.
    pub(super) fn waiting(&self) -> usize {
        self.waiting + self.own.iter().map(|own| own.bytes.len()).sum::<usize>()
    }

    /// The longest message that a channel carries.
    pub(super) fn longest(&self, channel: Channel) -> usize {
        self.limits.longest(channel)
    }

    /// Adds a message. Returns whether the channel carries one so long.
    pub(super) fn send(&mut self, channel: Channel, time: Duration, parts: &[&[u8]]) -> bool {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        if !self.limits.can_carry(channel, length) {
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
            None => self.push(channel, batch.clone()),
            Some(open) => {
                let header = header(time);
                let mut gathering = Gathering::new(self, channel, &header, Some(open));
                gathering.add(batch.slice(HEADER..));
                gathering.finish();
            }
        }
    }

    /// Completes the batches of a channel.
    pub(super) fn flush(&mut self, channel: Channel) {
        let own = self.own.get_mut(index(channel));
        let Some(own) = own.filter(|own| !own.bytes.is_empty()) else {
            return;
        };
        for batch in own.take() {
            self.push(channel, batch);
        }
    }

    /// Completes the batches of a channel, and then has what a frame has written for some audiences, with
    /// the exceptions of each of them, in order; before and behind that stand other messages.
    pub(super) fn flush_with_frames<'a>(
        &mut self,
        (channel, time): (Channel, Duration),
        frames: impl Iterator<Item = (&'a Frame, &'a [Exception])>,
        [before, behind]: [Bytes; 2],
    ) {
        let open = self.flush_but_open(channel, time);
        let header = header(time);
        let mut gathering = Gathering::new(self, channel, &header, open);
        gathering.add(before);
        for (frame, exceptions) in frames {
            let mut next = 0;
            for exception in exceptions {
                gathering.add_messages(frame, next..exception.instead_of.start);
                gathering.add(exception.own.clone());
                next = exception.instead_of.end;
            }
            gathering.add_messages(frame, next..frame.len());
        }
        gathering.add(behind);
        gathering.finish();
    }

    /// Completes the batches of a channel, and then has those that were made for many.
    pub(super) fn flush_with_batches(&mut self, channel: Channel, batches: &Arc<[Bytes]>) {
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

    /// How batches for this connection are cut, with messages before and behind those of a frame, or without.
    pub(super) fn cut(&self, around: [bool; 2]) -> Cut {
        Cut {
            threshold: self.limits.batch_threshold,
            around,
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

    /// Forgets all that waits.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.limits);
    }
}

impl Outbox {
    /// Completes the batches of a channel; one of this very moment is returned, to be gone on with.
    fn flush_but_open(&mut self, channel: Channel, time: Duration) -> Option<Bytes> {
        let is_open = self.is_open(channel, time);
        let own = self.own.get_mut(index(channel))?;
        if own.bytes.is_empty() {
            return None;
        }
        let mut batches = own.take();
        let open = if is_open { batches.pop() } else { None };
        for batch in batches {
            self.push(channel, batch);
        }
        open
    }

    fn push(&mut self, channel: Channel, batch: Bytes) {
        self.waiting += batch.len();
        let chunks = Chunks::One(batch);
        self.ready.push_back(Packet { channel, chunks });
    }
}

impl Batcher {
    /// Adds a message: to the last batch, unless that is of another time or too full.
    fn add(&mut self, time: Duration, threshold: usize, parts: &[&[u8]], length: usize) {
        let used = self.bytes.len() - self.start;
        let room = threshold.saturating_sub(used);
        if self.bytes.is_empty() {
            self.begin(time);
        } else if self.time != time || framed(length) > room {
            self.start = self.bytes.len();
            self.splits.push(self.start);
            self.begin(time);
        }
        put_message(&mut self.bytes, parts);
    }

    fn begin(&mut self, time: Duration) {
        self.time = time;
        self.bytes.put_slice(&header(time));
    }

    /// All batches, each in one piece.
    fn take(&mut self) -> Vec<Bytes> {
        if self.bytes.is_empty() {
            return Vec::new();
        }
        let mut rest = self.bytes.split().freeze();
        let mut batches = Vec::with_capacity(self.splits.len() + 1);
        let mut taken = 0;
        for split in self.splits.drain(..) {
            batches.push(rest.split_to(split - taken));
            taken = split;
        }
        batches.push(rest);
        self.start = 0;
        batches
    }
}

impl<'a> Gathering<'a> {
    fn new(
        outbox: &'a mut Outbox,
        channel: Channel,
        header: &'a [u8; HEADER],
        open: Option<Bytes>,
    ) -> Self {
        Self {
            channel,
            header,
            threshold: outbox.limits.batch_threshold,
            length: open.as_ref().map_or(0, Bytes::len),
            chunks: open.into_iter().collect(),
            ready: &mut outbox.ready,
            waiting: &mut outbox.waiting,
        }
    }

    /// How many bytes fit into the batch under way.
    fn room(&self) -> usize {
        self.threshold.saturating_sub(self.length)
    }

    /// Adds messages of a frame.
    fn add_messages(&mut self, frame: &Frame, messages: Range<usize>) {
        let mut first = messages.start;
        while first < messages.end {
            self.open();
            let mut end = frame.fitting(first..messages.end, self.room());
            if end == first {
                self.begin();
                // One that is longer than a batch is alone, or the first of one.
                end = frame.fitting(first..messages.end, self.room());
                end = end.max(first + 1);
            }
            self.append(frame.slice(first..end));
            first = end;
        }
    }

    /// Adds messages that stay together, or none.
    fn add(&mut self, messages: Bytes) {
        if messages.is_empty() {
            return;
        }
        self.open();
        if messages.len() > self.room() {
            self.begin();
        }
        self.append(messages);
    }

    fn append(&mut self, messages: Bytes) {
        self.length += messages.len();
        self.chunks.push(messages);
    }

    /// Begins a batch, if none is under way.
    fn open(&mut self) {
        if self.chunks.is_empty() {
            self.chunks.push(Bytes::copy_from_slice(self.header));
            self.length = HEADER;
        }
    }

    /// Begins another batch, unless the one under way is empty.
    fn begin(&mut self) {
        if self.length > HEADER {
            self.complete();
        }
        self.open();
    }

    fn complete(&mut self) {
        *self.waiting += self.length;
        self.length = 0;
        self.ready.push_back(Packet {
            channel: self.channel,
            chunks: Chunks::Many(std::mem::take(&mut self.chunks)),
        });
    }

    fn finish(mut self) {
        if !self.chunks.is_empty() {
            self.complete();
        }
    }
}

impl Packet {
    /// The pieces that it consists of.
    pub(super) fn chunks(&self) -> &[Bytes] {
        match &self.chunks {
            Chunks::One(bytes) => std::slice::from_ref(bytes),
            Chunks::Many(chunks) => chunks,
            Chunks::Shared(batches, at) => batches.get(*at..=*at).unwrap_or_default(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.chunks().iter().map(Bytes::len).sum()
    }
}
