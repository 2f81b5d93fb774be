//! `EarlyMessages`: messages that have arrived before their objects, and recently removed objects.
//!
//! Channels have no common order: a delta or a call may arrive before the
//! snapshot that it builds on. The message is deferred until the object is announced, within limits of time and
//! size. Conversely, a message may arrive for a removed object. It was sent before the removal and must
//! not apply to a later object with the same id, so it is dropped.

mod queues;

pub(crate) use queues::{EarlyKind, EarlyMessage, EarlyQueues};

use super::Reading;
use super::gone::Gone;
use crate::client::ClientEvent;
use crate::client::context::Context;
use crate::client::state_message::StateMessage;
use queues::EarlyLimits;
use syncvar_runtime::unstable::ordered::Ids;
use syncvar_runtime::{Channel, NetId, ReadError};

/// Messages for objects that have not arrived, in order of arrival.
#[derive(Debug, Default)]
pub(crate) struct EarlyMessages {
    pub(crate) queues: EarlyQueues,
    gone: Gone,
    /// Objects of prefabs that this build lacks.
    skipped: Ids<NetId>,
    /// First error of an early message, for the packet that has released it.
    error: Option<ReadError>,
}

impl EarlyMessages {
    /// Remembers that an object has been removed, or cannot be made.
    pub(crate) fn remember_gone(&mut self, object: NetId) {
        self.gone.insert(object);
    }

    /// Forgets an earlier removal of an object that has arrived.
    #[inline]
    pub(crate) fn forget_gone(&mut self, object: NetId) {
        self.gone.remove(object);
        if !self.skipped.is_empty() {
            self.skipped.remove(object);
        }
    }

    /// Skips the messages of an object of a prefab that this build lacks, until it is removed.
    pub(crate) fn skip(&mut self, object: NetId, context: &mut Context) {
        self.drop_of(object, context);
        let limit = context.config.max_objects;
        if self.skipped.len() < limit {
            self.skipped.insert(object);
        } else {
            tracing::warn!(%object, limit, "too many objects of prefabs that this build lacks");
        }
    }

    /// Ends the skip of an object that is removed. Returns whether it was skipped.
    pub(crate) fn end_skip(&mut self, object: NetId) -> bool {
        let was_skipped = !self.skipped.is_empty() && self.skipped.remove(object);
        if was_skipped {
            self.gone.insert(object);
        }
        was_skipped
    }

    /// Ends all skips: the server sends the objects again.
    pub(crate) fn end_skips(&mut self) {
        self.skipped = Ids::default();
    }

    /// Returns whether an object has recently been removed, or is skipped.
    fn is_gone(&self, object: NetId) -> bool {
        self.gone.contains(object) || self.skipped.contains(object)
    }

    /// Defers a message that precedes its object. Returns whether it was deferred or dropped, so
    /// that the caller does not handle it. A message waits if its object is missing, or if an earlier message waits for
    /// the announcement of the object.
    #[inline]
    pub(crate) fn defer(
        &mut self,
        object: NetId,
        message: StateMessage<'_>,
        lent: &mut Reading<'_>,
    ) -> bool {
        let early = match lent.objects.world.objects.get(object.0) {
            None => true,
            Some(replica) => !replica.is_visible() && self.queues.contains(object),
        };
        if early {
            let kind = EarlyKind::Message(message.message_type);
            if kind.is_removal() && !lent.objects.world.contains(object) {
                // A scene object that could not be made is no longer missed.
                lent.objects.world.relations.forget(object);
            }
            self.keep(object, message.channel, kind, message.payload, lent);
        }
        early
    }

    /// Defers a call until its object is announced, as [`defer`](Self::defer) does. During a burst it waits for the
    /// burst's end, because a call runs application code.
    #[inline]
    pub(crate) fn defer_call(
        &mut self,
        object: NetId,
        message: StateMessage<'_>,
        lent: &mut Reading<'_>,
    ) -> bool {
        let early = !lent.objects.world.is_visible(object);
        if early {
            let kind = EarlyKind::Message(message.message_type);
            self.keep(object, message.channel, kind, message.payload, lent);
        }
        early
    }

    /// Queues a message within the limits. The objects with the oldest messages make room, each with
    /// all of its messages.
    #[cold]
    pub(super) fn keep(
        &mut self,
        object: NetId,
        channel: u8,
        kind: EarlyKind,
        bytes: &[u8],
        lent: &mut Reading<'_>,
    ) {
        let context = &mut *lent.context;
        let limits = EarlyLimits {
            messages: context.config.max_early_messages,
            bytes: context.config.max_early_bytes,
        };
        // The messages of a record are in order: the object is not recorded.
        let never = object == NetId::NONE || self.is_gone(object) || !lent.session.is_heard();
        if limits.messages == 0 || never {
            // The removal of a missing object is no loss.
            context.stats.unknown_objects += u64::from(!kind.is_removal());
            return;
        }
        if bytes.len() > limits.bytes {
            self.drop_with(object, 1, context);
            return;
        }
        while !self.queues.has_room(bytes.len(), limits) {
            let Some(oldest) = self.queues.oldest() else {
                return;
            };
            self.drop_of(oldest, context);
        }
        let message = EarlyMessage {
            kind,
            channel,
            bytes: bytes.into(),
        };
        self.queues.push(object, message);
    }

    /// Drops the messages of an object, and reports their number.
    pub(crate) fn drop_of(&mut self, object: NetId, context: &mut Context) {
        self.drop_with(object, 0, context);
    }

    /// Drops the messages of an object, and reports their number plus `unqueued`.
    fn drop_with(&mut self, object: NetId, unqueued: usize, context: &mut Context) {
        let messages = unqueued + self.queues.take(object).map_or(0, |queue| queue.len());
        report_dropped(object, messages, context);
    }

    /// Drops all messages at the end of the connection.
    pub(crate) fn drop_all(&mut self, context: &mut Context) {
        for object in self.queues.objects() {
            self.drop_of(object, context);
        }
    }

    /// Drops the messages that precede a burst, which begins on a reliable channel. The bytes of the channel arrive in
    /// order, so the messages describe objects of the time before.
    pub(super) fn drop_before_burst(&mut self, channel: u8, context: &mut Context) {
        if !is_lossy(&context.config.channels, channel) {
            self.drop_of_channels(|_, of_message| of_message == channel, context);
        }
    }

    /// Drops the messages that precede a pause of all state, which begins on a reliable channel: those of that channel, and
    /// those of unreliable channels. A burst follows the pause. A message of an unreliable channel that belongs behind the
    /// burst has overtaken the whole pause; it may be lost as well.
    pub(super) fn drop_before_pause(&mut self, channel: u8, context: &mut Context) {
        if !is_lossy(&context.config.channels, channel) {
            self.drop_of_channels(
                |channels, of_message| of_message == channel || is_lossy(channels, of_message),
                context,
            );
        }
    }

    /// Drops the messages of some channels, and reports their number.
    fn drop_of_channels(
        &mut self,
        is_dropped: impl Fn(&[Channel], u8) -> bool,
        context: &mut Context,
    ) {
        for object in self.queues.objects() {
            let channels = &context.config.channels;
            let dropped = self
                .queues
                .retain(object, |message| !is_dropped(channels, message.channel));
            report_dropped(object, dropped, context);
        }
    }

    /// Drops the messages for an object that the server has not sent to this client.
    pub(super) fn drop_void(&mut self, object: NetId, lent: &mut Reading<'_>) {
        if !lent.objects.world.contains(object) {
            let messages = self.queues.take(object).map_or(0, |queue| queue.len());
            lent.context.stats.unknown_objects += messages as u64;
        }
    }

    /// Drops the messages that have reached the timeout.
    #[inline]
    pub(crate) fn drop_expired(&mut self, context: &mut Context) {
        if self.queues.is_empty() {
            return;
        }
        let (now, timeout) = (context.now(), context.config.early_message_timeout);
        while let Some(object) = self.queues.expired(now, timeout) {
            self.drop_of(object, context);
        }
        self.queues.start_timeouts(now);
    }

    /// Keeps the error of an early message, unless an error is kept already.
    pub(crate) fn keep_error(&mut self, result: Result<(), ReadError>) {
        if let Err(error) = result {
            self.error.get_or_insert(error);
        }
    }

    /// Returns the first error of the early messages that have been handled.
    #[inline]
    pub(crate) fn take_error(&mut self) -> Result<(), ReadError> {
        self.error.take().map_or(Ok(()), Err)
    }
}

/// Returns whether packets of a channel may be lost.
fn is_lossy(channels: &[Channel], channel: u8) -> bool {
    channels.get(usize::from(channel)) == Some(&Channel::Unreliable)
}

fn report_dropped(object: NetId, messages: usize, context: &mut Context) {
    if messages > 0 {
        context.stats.unknown_objects += messages as u64;
        let event = ClientEvent::EarlyMessagesDropped { object, messages };
        context.events.push_minor(event);
    }
}
