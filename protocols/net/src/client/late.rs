//! What has come for objects that are not there yet, and which objects are not there any more.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use crate::{Framing, MessageType, NetId, ReadError};

/// So many objects that were there and are gone are remembered.
const MAX_GONE: usize = 4096;

/// Messages for objects that are not there yet, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Late {
    waiting: BTreeMap<NetId, Waiting>,
    /// The same objects, in the order in which something first came for them.
    order: BTreeMap<u64, NetId>,
    /// The place of the next object in the order.
    next: u64,
    messages: usize,
    bytes: usize,
    gone: Gone,
    /// The first thing that was wrong with a message that was held.
    error: Option<ReadError>,
}

/// What is held for one object.
#[derive(Debug)]
struct Waiting {
    place: u64,
    /// When it began, by the first update since.
    since: Option<Duration>,
    messages: Vec<HeldMessage>,
}

/// A message that is held.
#[derive(Debug)]
pub(super) struct HeldMessage {
    pub(super) what: What,
    pub(super) channel: u8,
    pub(super) bytes: Box<[u8]>,
}

/// What the bytes of a held message are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The changes of an object, without its id.
    Changes(Framing),
    /// The payload of such a message.
    Message(MessageType),
}

/// How much may be held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) messages: usize,
    pub(super) bytes: usize,
}

impl Late {
    /// Whether nothing is held.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether anything is held for an object.
    pub(super) fn holds(&self, object: NetId) -> bool {
        self.waiting.contains_key(&object)
    }

    /// The objects for which something is held, by ascending id.
    pub(super) fn objects(&self) -> Vec<NetId> {
        self.waiting.keys().copied().collect()
    }

    /// Whether one more message of this length keeps to the limits.
    pub(super) fn has_room(&self, length: usize, limits: Limits) -> bool {
        self.messages < limits.messages && self.bytes.saturating_add(length) <= limits.bytes
    }

    /// The object that something has been held for the longest.
    pub(super) fn oldest(&self) -> Option<NetId> {
        self.order.values().next().copied()
    }

    /// Holds a message, behind those that are held for the same object.
    pub(super) fn hold(&mut self, object: NetId, message: HeldMessage) {
        self.messages += 1;
        self.bytes += message.bytes.len();
        let waiting = self.waiting.entry(object).or_insert_with(|| {
            let place = self.next;
            self.next += 1;
            self.order.insert(place, object);
            Waiting {
                place,
                since: None,
                messages: Vec::new(),
            }
        });
        waiting.messages.push(message);
    }

    /// Takes what is held for an object, in the order in which it came.
    pub(super) fn take(&mut self, object: NetId) -> Option<Vec<HeldMessage>> {
        let waiting = self.waiting.remove(&object)?;
        self.order.remove(&waiting.place);
        self.messages -= waiting.messages.len();
        self.bytes -= bytes_of(&waiting.messages);
        Some(waiting.messages)
    }

    /// Drops the changes that are held for an object: a newer state of it makes them void.
    pub(super) fn drop_changes(&mut self, object: NetId) {
        let Some(waiting) = self.waiting.get_mut(&object) else {
            return;
        };
        let before = (waiting.messages.len(), bytes_of(&waiting.messages));
        waiting
            .messages
            .retain(|message| !matches!(message.what, What::Changes(_)));
        self.messages -= before.0 - waiting.messages.len();
        self.bytes -= before.1 - bytes_of(&waiting.messages);
        if waiting.messages.is_empty() {
            self.take(object);
        }
    }

    /// An object for which something has been held that long; to be asked until there is none.
    pub(super) fn expired(&self, now: Duration, hold_time: Duration) -> Option<NetId> {
        let oldest = self.oldest()?;
        let since = self.waiting.get(&oldest)?.since?;
        (now.saturating_sub(since) >= hold_time).then_some(oldest)
    }

    /// The time of what has come since the last update begins to run.
    pub(super) fn begin_times(&mut self, now: Duration) {
        for object in self.order.values().rev() {
            match self.waiting.get_mut(object) {
                Some(waiting) if waiting.since.is_none() => waiting.since = Some(now),
                _ => break,
            }
        }
    }

    /// An object that was there is gone, or cannot be made.
    pub(super) fn remember_gone(&mut self, object: NetId) {
        self.gone.add(object);
    }

    /// An object has come.
    #[inline]
    pub(super) fn remember_come(&mut self, object: NetId) {
        if !self.gone.places.is_empty() {
            self.gone.places.remove(&object);
        }
    }

    /// Whether an object was there not long ago and is gone.
    pub(super) fn is_gone(&self, object: NetId) -> bool {
        self.gone.places.contains_key(&object)
    }

    /// Keeps what was wrong with a message that was held, if nothing else was.
    pub(super) fn keep_error(&mut self, result: Result<(), ReadError>) {
        if let Err(error) = result {
            self.error.get_or_insert(error);
        }
    }

    /// What was wrong with a message that was held.
    #[inline]
    pub(super) fn take_error(&mut self) -> Result<(), ReadError> {
        self.error.take().map_or(Ok(()), Err)
    }
}

fn bytes_of(messages: &[HeldMessage]) -> usize {
    messages.iter().map(|message| message.bytes.len()).sum()
}

/// Objects that were there and are gone; the oldest are forgotten.
#[derive(Debug, Default)]
struct Gone {
    places: BTreeMap<NetId, u64>,
    /// Places and objects, oldest first. Those that have come again since are still among them.
    order: VecDeque<(u64, NetId)>,
    next: u64,
}

impl Gone {
    fn add(&mut self, object: NetId) {
        if self.order.len() >= MAX_GONE
            && let Some((place, oldest)) = self.order.pop_front()
            && self.places.get(&oldest) == Some(&place)
        {
            self.places.remove(&oldest);
        }
        self.places.insert(object, self.next);
        self.order.push_back((self.next, object));
        self.next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{Gone, HeldMessage, Late, MAX_GONE, What};
    use crate::{Framing, NetId};

    fn message(length: usize) -> HeldMessage {
        HeldMessage {
            what: What::Changes(Framing::Unet),
            channel: 0,
            bytes: vec![0; length].into(),
        }
    }

    #[test]
    fn what_is_counted_is_what_is_held() {
        let mut late = Late::default();
        late.hold(NetId(2), message(3));
        late.hold(NetId(1), message(4));
        late.hold(NetId(2), message(5));
        assert_eq!((late.messages, late.bytes), (3, 12));
        assert_eq!(late.oldest(), Some(NetId(2)));
        assert_eq!(late.take(NetId(2)).map(|held| held.len()), Some(2));
        assert_eq!((late.messages, late.bytes), (1, 4));
        late.drop_changes(NetId(1));
        assert_eq!((late.messages, late.bytes), (0, 0));
        assert!(late.is_empty() && late.order.is_empty());
    }

    #[test]
    fn the_memory_of_what_is_gone_is_bounded_and_forgets_the_oldest() {
        let mut gone = Gone::default();
        for number in 1..=10 * MAX_GONE {
            gone.add(NetId(u32::try_from(number).unwrap()));
            gone.add(NetId(1));
        }
        assert_eq!(gone.order.len(), MAX_GONE);
        assert!(gone.places.len() <= MAX_GONE);
        assert!(gone.places.contains_key(&NetId(1)), "it has gone again");
        assert!(!gone.places.contains_key(&NetId(2)));
    }
}
