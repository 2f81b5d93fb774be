//! Deferral: messages that arrive before their object wait for its spawn.
//!
//! Packets of one channel may overtake packets of another: a delta or a call may arrive before the
//! snapshot that it builds on. It is deferred until the object is announced, within limits of time and
//! size. Conversely, a message may arrive for a removed object. It was sent before the removal and must
//! not apply to a later object with the same id, so it is dropped.

use super::{EarlyKind, EarlyMessage, Limits};
use crate::client::objects::Replica;
use crate::client::{ClientEvent, NetworkClient};
use crate::message::Frame;
use crate::{Framing, MessageType};
use syncvar_runtime::{Channel, NetId};

impl NetworkClient {
    /// Defers a message that precedes its object. Returns whether it was deferred or dropped, so
    /// that the caller does not handle it.
    #[inline]
    pub(crate) fn defer_until_spawned(
        &mut self,
        object: NetId,
        channel: u8,
        message_type: MessageType,
        payload: &[u8],
    ) -> bool {
        let early = self.must_wait(object);
        if early {
            let kind = EarlyKind::Message(message_type);
            if kind.is_removal() && !self.objects.world.contains(object) {
                // A scene object that could not be made is no longer missed.
                self.objects.world.relations.forget(object);
            }
            self.push_early(object, channel, kind, payload);
        }
        early
    }

    /// Defers a call until its object is announced, as [`defer_until_spawned`](Self::defer_until_spawned)
    /// does. During a burst it waits for the burst's end, because a call runs application code.
    #[inline]
    pub(crate) fn defer_call_until_spawned(
        &mut self,
        object: NetId,
        channel: u8,
        message_type: MessageType,
        payload: &[u8],
    ) -> bool {
        let early = !self.objects.world.is_visible(object);
        if early {
            let kind = EarlyKind::Message(message_type);
            self.push_early(object, channel, kind, payload);
        }
        early
    }

    /// Returns whether a message for an object must wait: the object is missing, or an earlier message
    /// waits for its announcement.
    #[inline]
    fn must_wait(&self, object: NetId) -> bool {
        match self.objects.world.objects.get(object.0) {
            None => true,
            Some(replica) => !replica.is_visible() && self.early.contains(object),
        }
    }

    /// Handles a delta of a missing or poisoned object: asks for a snapshot, or defers it.
    #[cold]
    pub(crate) fn defer_update(
        &mut self,
        framing: Framing,
        channel: u8,
        object: NetId,
        delta: &[u8],
    ) {
        if self.is_poisoned(object) {
            self.ask_again(object);
        } else {
            self.push_early(object, channel, EarlyKind::Delta(framing), delta);
        }
    }

    /// Passes over an entry of an unreliable channel whose object is poisoned, missing or younger.
    #[cold]
    pub(crate) fn pass_over(&mut self, object: NetId) {
        if self.is_poisoned(object) {
            self.ask_again(object);
        }
    }

    /// Skips an unread delta of a missing or poisoned object.
    #[cold]
    pub(crate) fn skip_update(&mut self, object: NetId) {
        if self.is_poisoned(object) {
            self.ask_again(object);
        } else {
            self.context.stats.unknown_objects += 1;
        }
    }

    fn is_poisoned(&self, object: NetId) -> bool {
        let replica = self.objects.world.objects.get(object.0);
        replica.is_some_and(Replica::is_poisoned)
    }

    /// Queues a message within the limits. The objects with the oldest messages make room, each with
    /// all of its messages.
    #[cold]
    fn push_early(&mut self, object: NetId, channel: u8, kind: EarlyKind, bytes: &[u8]) {
        let limits = Limits {
            messages: self.context.config.max_early_messages,
            bytes: self.context.config.max_early_bytes,
        };
        // The messages of a record are in order: the object is not recorded.
        let never = object == NetId::NONE || self.early.is_gone(object) || !self.session.is_heard();
        if limits.messages == 0 || never {
            // The removal of a missing object is no loss.
            self.context.stats.unknown_objects += u64::from(!kind.is_removal());
            return;
        }
        if bytes.len() > limits.bytes {
            self.drop_early(object, 1);
            return;
        }
        while !self.early.has_room(bytes.len(), limits) {
            let Some(oldest) = self.early.oldest() else {
                return;
            };
            self.drop_early(oldest, 0);
        }
        let message = EarlyMessage {
            kind,
            channel,
            bytes: bytes.into(),
        };
        self.early.push(object, message);
    }

    /// Drops an object's early messages and reports their number plus `unqueued`.
    pub(crate) fn drop_early(&mut self, object: NetId, unqueued: usize) {
        let messages = unqueued + self.early.take(object).map_or(0, |queue| queue.len());
        self.report_dropped(object, messages);
    }

    fn report_dropped(&mut self, object: NetId, messages: usize) {
        if messages > 0 {
            self.context.stats.unknown_objects += messages as u64;
            self.context
                .events
                .push_minor(ClientEvent::EarlyMessagesDropped { object, messages });
        }
    }

    /// Drops all early messages at the end of the connection.
    pub(crate) fn drop_all_early(&mut self) {
        for object in self.early.objects() {
            self.drop_early(object, 0);
        }
    }

    /// Drops the early messages of a reliable channel that precede a new snapshot of all objects. Its
    /// bytes arrive in order, so the messages describe objects of the time before.
    pub(crate) fn drop_outdated(&mut self, channel: u8) {
        let kind = self.context.config.channels.get(usize::from(channel));
        if self.early.is_empty() || kind == Some(&Channel::Unreliable) {
            return;
        }
        for object in self.early.objects() {
            let dropped = self
                .early
                .retain(object, |message| message.channel != channel);
            self.report_dropped(object, dropped);
        }
    }

    /// Drops the early messages that have reached the timeout. It stands still during a burst, which
    /// may contain their objects.
    #[inline]
    pub(crate) fn drop_expired(&mut self) {
        if self.early.is_empty() || self.session.joining || self.is_away() {
            return;
        }
        let (now, timeout) = (self.now(), self.context.config.early_message_timeout);
        while let Some(object) = self.early.expired(now, timeout) {
            self.drop_early(object, 0);
        }
        self.early.start_timeouts(now);
    }

    /// Handles the early messages of an object that has been announced.
    #[inline]
    pub(crate) fn release(&mut self, object: NetId) {
        if !self.early.is_empty()
            && let Some(messages) = self.early.take(object)
        {
            self.handle_early(object, &messages);
        }
    }

    /// Handles the early messages of all objects of a burst.
    pub(crate) fn release_all(&mut self) {
        if self.early.is_empty() {
            return;
        }
        for object in self.early.objects() {
            if self.objects.world.is_visible(object) {
                self.release(object);
            }
        }
    }

    #[cold]
    fn handle_early(&mut self, object: NetId, messages: &[EarlyMessage]) {
        let session = self.session.number;
        for message in messages {
            // A call may have ended the connection, or begun another one.
            if !self.session.is_current(session) {
                return;
            }
            let payload = &message.bytes[..];
            let limits = &self.context.config.limits;
            self.inbound.budget.add_share(limits, payload.len());
            match message.kind {
                EarlyKind::Delta(framing) => {
                    self.apply_delta(framing, message.channel, object, payload);
                }
                EarlyKind::Message(message_type) => {
                    let frame = Frame {
                        message_type: message_type.number(),
                        payload,
                        long: false,
                    };
                    let handled = self.handle_state(message.channel, message_type, frame);
                    self.early.keep_error(handled);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ClientConfig, ClientEvent, MessageType, NetworkClient};
    use syncvar_runtime::{
        BehaviourList, NetId, NetworkHash128, NetworkWriter, Prefabs, ReadErrorKind,
    };

    /// Returns a message with its header.
    fn frame(message_type: MessageType, payload: &[u8]) -> Vec<u8> {
        let mut writer = NetworkWriter::new();
        let start = writer.start_message(message_type.number());
        writer.write_bytes(payload);
        writer.finish_message(start);
        writer.as_bytes().to_vec()
    }

    fn spawn(id: u8) -> Vec<u8> {
        let payload = [&[id][..], &NetworkHash128::of("stone").0, &[0; 14]].concat();
        frame(MessageType::ObjectSpawn, &payload)
    }

    fn client() -> NetworkClient {
        let config = ClientConfig {
            compare_schemas: false,
            ..ClientConfig::default()
        };
        let prefabs = Prefabs::new().register_with("stone", BehaviourList::new);
        let mut client = NetworkClient::with_config(prefabs, config);
        client.handle_connect();
        client.poll_event();
        client
    }

    fn events(client: &mut NetworkClient) -> Vec<ClientEvent> {
        std::iter::from_fn(|| client.poll_event()).collect()
    }

    /// `NotReady` replaces a call: it leaves an event.
    #[test]
    fn call_in_a_burst_waits_for_the_announcement_and_keeps_order() {
        let mut client = client();
        let object = NetId(1);
        let begin = [frame(MessageType::SpawnFinished, &[0]), spawn(1), spawn(2)].concat();
        client.handle_packet(0, &begin).unwrap();
        assert!(client.defer_call_until_spawned(object, 0, MessageType::NotReady, &[]));
        let owned = frame(MessageType::LocalClientAuthority, &[1, 1]);
        client.handle_packet(0, &owned).unwrap();
        assert_eq!(events(&mut client), []);
        let end = frame(MessageType::SpawnFinished, &[1]);
        client.handle_packet(0, &end).unwrap();
        let (first, second) = (NetId(1), NetId(2));
        assert_eq!(
            events(&mut client),
            [
                ClientEvent::Spawned { object: first },
                ClientEvent::Spawned { object: second },
                ClientEvent::NotReady,
                ClientEvent::OwnerChanged {
                    object,
                    owned: true
                },
                ClientEvent::Ready,
            ]
        );
        assert!(!client.defer_call_until_spawned(object, 0, MessageType::NotReady, &[]));
    }

    #[test]
    fn error_of_an_early_message_belongs_to_the_releasing_packet() {
        let mut client = client();
        assert!(client.defer_call_until_spawned(NetId(1), 0, MessageType::NotReady, &[7]));
        let error = client.handle_packet(0, &spawn(1)).unwrap_err();
        assert_eq!(error.kind(), ReadErrorKind::TrailingBytes { left: 1 });
        assert_eq!(client.handle_packet(0, &spawn(2)), Ok(()));
    }
}
