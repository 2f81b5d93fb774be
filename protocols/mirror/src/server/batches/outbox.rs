//! Outbox of a connection: messages, batches, and the order of its channels.

mod batcher;
mod gathering;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{Channel, Counter};

use crate::batch;
use crate::server::batches::frame::{AudienceFrame, Cut, HEADER};
use crate::{Limits, MirrorError};

use batcher::Batcher;
use gathering::Gathering;

/// Queue of a connection.
#[derive(Debug)]
pub(crate) struct ConnectionOutbox {
    limits: Limits,
    /// Messages of this connection alone, by channel.
    own: [Batcher; 2],
    /// First used channel, which is always sent first.
    first: Option<Channel>,
    /// Complete batches.
    ready: VecDeque<QueuedBatch>,
    /// Their bytes.
    waiting: usize,
    /// Batches taken by the transport.
    sent: Counter,
}

/// A complete batch: one transport message.
#[derive(Clone, Debug)]
pub(crate) struct QueuedBatch {
    pub(crate) channel: Channel,
    chunks: Chunks,
}

#[derive(Clone, Debug)]
enum Chunks {
    One(Bytes),
    Many(Vec<Bytes>),
    /// Batches of a shared list, from this position on.
    Shared(Arc<[Bytes]>, usize),
}

/// A replacement of messages of a frame, for one connection.
#[derive(Clone, Debug)]
pub(crate) struct Exception {
    /// Replaced messages of the frame; empty for an insertion.
    pub(crate) replaces: Range<usize>,
    /// The length-prefixed message, or no bytes.
    pub(crate) own: Bytes,
}

/// Returns the batch header of a time.
pub(crate) fn header(time: Duration) -> [u8; HEADER] {
    batch::header(time.as_secs_f64())
}

fn index(channel: Channel) -> usize {
    usize::from(channel == Channel::Unreliable)
}

impl ConnectionOutbox {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            own: [Batcher::default(), Batcher::default()],
            first: None,
            ready: VecDeque::new(),
            waiting: 0,
            sent: Counter::default(),
        }
    }

    /// Returns the number of queued bytes.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting + self.own.iter().map(|own| own.bytes.len()).sum::<usize>()
    }

    /// Returns the longest message of a channel.
    pub(crate) fn longest(&self, channel: Channel) -> usize {
        self.limits.longest(channel)
    }

    /// Queues a message. Returns false if it is too long for the channel.
    pub(crate) fn send(&mut self, channel: Channel, time: Duration, parts: &[&[u8]]) -> bool {
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

    /// Queues a message. Returns its length.
    ///
    /// # Errors
    ///
    /// [`MirrorError::TooLong`].
    #[inline]
    pub(crate) fn send_or_fail(
        &mut self,
        channel: Channel,
        time: Duration,
        parts: &[&[u8]],
    ) -> Result<usize, MirrorError> {
        let length = parts.iter().map(|part| part.len()).sum();
        if self.send(channel, time, parts) {
            Ok(length)
        } else {
            let limit = self.longest(channel);
            Err(MirrorError::TooLong { length, limit })
        }
    }

    /// Queues all messages of a frame, which the channel can carry.
    pub(crate) fn send_frame(&mut self, channel: Channel, time: Duration, frame: &AudienceFrame) {
        self.first.get_or_insert(channel);
        let threshold = self.limits.batch_threshold;
        if let Some(own) = self.own.get_mut(index(channel)) {
            own.add_frame(time, threshold, frame);
        }
    }

    /// Returns the channels in their order of sending.
    pub(crate) fn channels(&mut self, used: Option<Channel>) -> [Channel; 2] {
        if self.first.is_none() {
            self.first = used;
        }
        match self.first {
            Some(Channel::Unreliable) => [Channel::Unreliable, Channel::Reliable],
            _ => [Channel::Reliable, Channel::Unreliable],
        }
    }

    /// Completes the batches of a channel, followed by one shared batch.
    pub(crate) fn flush_with_batch(&mut self, channel: Channel, time: Duration, batch: &Bytes) {
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
    pub(crate) fn flush(&mut self, channel: Channel) {
        let own = self.own.get_mut(index(channel));
        let Some(own) = own.filter(|own| !own.bytes.is_empty()) else {
            return;
        };
        for batch in own.take() {
            self.push(channel, batch);
        }
    }

    /// Completes the batches of a channel, followed by the frames of some audiences with their
    /// exceptions in order, between two parts.
    pub(crate) fn flush_with_frames<'a>(
        &mut self,
        channel: Channel,
        time: Duration,
        frames: impl Iterator<Item = (&'a AudienceFrame, &'a [Exception])>,
        [before, after]: [Bytes; 2],
    ) {
        let open = self.flush_but_open(channel, time);
        let header = header(time);
        let mut gathering = Gathering::new(self, channel, &header, open);
        gathering.add(before);
        for (frame, exceptions) in frames {
            let mut next = 0;
            for exception in exceptions {
                gathering.add_messages(frame, next..exception.replaces.start);
                gathering.add(exception.own.clone());
                next = exception.replaces.end;
            }
            gathering.add_messages(frame, next..frame.len());
        }
        gathering.add(after);
        gathering.finish();
    }

    /// Completes the batches of a channel, followed by shared batches.
    pub(crate) fn flush_with_batches(&mut self, channel: Channel, batches: &Arc<[Bytes]>) {
        self.flush(channel);
        if !batches.is_empty() {
            self.waiting += batches.iter().map(Bytes::len).sum::<usize>();
            self.ready.push_back(QueuedBatch {
                channel,
                chunks: Chunks::Shared(batches.clone(), 0),
            });
        }
    }

    /// Returns whether an open batch has this time and can take further messages.
    pub(crate) fn is_open(&self, channel: Channel, time: Duration) -> bool {
        let own = self.own.get(index(channel));
        own.is_some_and(|own| !own.bytes.is_empty() && own.time == time)
    }

    /// Returns the batch settings of this connection.
    pub(crate) fn cut(&self, around: [bool; 2]) -> Cut {
        Cut {
            threshold: self.limits.batch_threshold,
            around,
        }
    }

    /// Returns the next batch.
    pub(crate) fn pop(&mut self) -> Option<QueuedBatch> {
        let front = self.ready.front_mut()?;
        if let Chunks::Shared(batches, next) = &mut front.chunks
            && *next + 1 < batches.len()
        {
            let packet = front.clone();
            if let Chunks::Shared(_, next) = &mut front.chunks {
                *next += 1;
            }
            return Some(self.count_sent(packet));
        }
        let packet = self.ready.pop_front()?;
        Some(self.count_sent(packet))
    }

    fn count_sent(&mut self, packet: QueuedBatch) -> QueuedBatch {
        let length = packet.len();
        self.waiting -= length;
        self.sent.add(length);
        packet
    }

    /// Returns the batches taken by the transport.
    pub(crate) fn sent(&self) -> Counter {
        self.sent
    }

    /// Returns the queue: complete batches, and the bytes of complete and open batches.
    pub(crate) fn queued(&self) -> Counter {
        Counter {
            messages: self.ready.len() as u64,
            bytes: self.waiting() as u64,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// Drops the queue.
    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.limits);
    }
}

impl ConnectionOutbox {
    /// Completes the batches of a channel; returns an open batch of this time instead.
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
        self.ready.push_back(QueuedBatch { channel, chunks });
    }
}

impl QueuedBatch {
    /// Returns the chunks of the batch.
    pub(crate) fn chunks(&self) -> &[Bytes] {
        match &self.chunks {
            Chunks::One(bytes) => std::slice::from_ref(bytes),
            Chunks::Many(chunks) => chunks,
            Chunks::Shared(batches, at) => batches.get(*at..=*at).unwrap_or_default(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.chunks().iter().map(Bytes::len).sum()
    }
}
