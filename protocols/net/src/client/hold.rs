//! Messages that come before the object that they are for: held, and handled right after its spawn.
//!
//! What was sent on one channel may overtake what was sent on another, so a change or a call may be
//! there before the full state that it builds on. It is put off until its object has been announced,
//! for a time and to a number that are bounded. The other way round, something may come for an object
//! that was there and is gone: it was sent before the object went, and must not be applied to what
//! comes under the same id when the object is shown again. So it is not held.

use super::late::{HeldMessage, Limits, What};
use super::{ClientEvent, NetworkClient};
use crate::message::Frame;
use crate::{Framing, MessageType, NetId};

impl NetworkClient {
    /// Puts a message off whose object is not there yet. Says whether it did (or dropped the message):
    /// then there is nothing more to be done about it.
    #[inline]
    pub(super) fn put_off(
        &mut self,
        object: NetId,
        channel: u8,
        message_type: MessageType,
        payload: &[u8],
    ) -> bool {
        let late = self.is_late(object);
        if late {
            let ends = [MessageType::ObjectDestroy, MessageType::ObjectHide];
            if ends.contains(&message_type) && self.objects.get(object.0).is_none() {
                // A scene object that could not be made is not missed any more.
                self.relations.forget(object);
            }
            self.hold(object, channel, What::Message(message_type), payload);
        }
        late
    }

    /// As [`put_off`](Self::put_off), for a message that the application takes part in: in a burst of
    /// objects it waits until all of them are there, and its own has been announced.
    #[inline]
    pub(super) fn put_off_call(
        &mut self,
        object: NetId,
        channel: u8,
        message_type: MessageType,
        payload: &[u8],
    ) -> bool {
        let announced = self.objects.get(object.0).map(|replica| replica.announced);
        let late = announced != Some(true);
        if late {
            self.hold(object, channel, What::Message(message_type), payload);
        }
        late
    }

    /// Whether a message for an object has to wait: the object is not there, or something that came
    /// before waits for it to be announced.
    #[inline]
    fn is_late(&self, object: NetId) -> bool {
        match self.objects.get(object.0) {
            None => true,
            Some(replica) => !replica.announced && !self.late.is_empty() && self.late.holds(object),
        }
    }

    /// Sees to changes that [`find`](Self::find) has no use for: the object is not there yet, or
    /// poisoned.
    #[cold]
    pub(super) fn pass_over(
        &mut self,
        framing: Framing,
        channel: u8,
        object: NetId,
        changes: &[u8],
    ) {
        if self.is_poisoned(object) {
            self.ask_again(object);
        } else {
            self.hold(object, channel, What::Changes(framing), changes);
        }
    }

    /// The same for changes that are not looked at, whatever comes of their object.
    #[cold]
    pub(super) fn pass_over_unread(&mut self, object: NetId) {
        if self.is_poisoned(object) {
            self.ask_again(object);
        } else {
            self.stats.unknown_objects += 1;
        }
    }

    fn is_poisoned(&self, object: NetId) -> bool {
        let replica = self.objects.get(object.0);
        replica.is_some_and(|replica| replica.poisoned)
    }

    /// Holds a message, if there is room or if room can be made: what has been held the longest goes,
    /// with all that is held for the same object.
    #[cold]
    fn hold(&mut self, object: NetId, channel: u8, what: What, bytes: &[u8]) {
        let limits = Limits {
            messages: self.config.max_held,
            bytes: self.config.max_held_bytes,
        };
        let never = object == NetId::NONE || self.late.is_gone(object);
        if limits.messages == 0 || never {
            let ends = [MessageType::ObjectDestroy, MessageType::ObjectHide].map(What::Message);
            // What is gone already cannot go, and nothing is lost.
            self.stats.unknown_objects += u64::from(!ends.contains(&what));
            return;
        }
        if bytes.len() > limits.bytes {
            self.drop_held(object, 1);
            return;
        }
        while !self.late.has_room(bytes.len(), limits) {
            let Some(oldest) = self.late.oldest() else {
                return;
            };
            self.drop_held(oldest, 0);
        }
        let bytes = bytes.into();
        let message = HeldMessage {
            what,
            channel,
            bytes,
        };
        self.late.hold(object, message);
    }

    /// Drops all that is held for an object, and so many messages more that never were.
    pub(super) fn drop_held(&mut self, object: NetId, more: usize) {
        let messages = more + self.late.take(object).map_or(0, |held| held.len());
        if messages > 0 {
            self.stats.unknown_objects += messages as u64;
            self.events
                .push_minor(ClientEvent::HeldDropped { object, messages });
        }
    }

    /// The server has not given us an object, and what it has said of it meanwhile counts for nothing.
    pub(super) fn handle_void(&mut self, object: NetId) {
        if self.objects.get(object.0).is_none()
            && let Some(messages) = self.late.take(object)
        {
            self.stats.unknown_objects += messages.len() as u64;
        }
    }

    /// Drops all that is held: no object will come any more.
    pub(super) fn drop_all_held(&mut self) {
        for object in self.late.objects() {
            self.drop_held(object, 0);
        }
    }

    /// Drops what has been held for too long. During a burst of objects nothing is: what it is for may
    /// be about to come.
    #[inline]
    pub(super) fn drop_expired(&mut self) {
        if self.late.is_empty() || self.joining {
            return;
        }
        let (now, hold_time) = (self.now, self.config.hold_time);
        while let Some(object) = self.late.expired(now, hold_time) {
            self.drop_held(object, 0);
        }
        self.late.begin_times(now);
    }

    /// Handles what was held for an object that has been announced.
    #[inline]
    pub(super) fn release(&mut self, object: NetId) {
        if !self.late.is_empty()
            && let Some(messages) = self.late.take(object)
        {
            self.handle_held(object, &messages);
        }
    }

    /// The same for every object of a burst.
    pub(super) fn release_all(&mut self) {
        if self.late.is_empty() {
            return;
        }
        for object in self.late.objects() {
            let replica = self.objects.get(object.0);
            if replica.is_some_and(|replica| replica.announced) {
                self.release(object);
            }
        }
    }

    #[cold]
    fn handle_held(&mut self, object: NetId, messages: &[HeldMessage]) {
        let session = self.session;
        for message in messages {
            // A call may have ended the connection, or begun another one.
            if !self.is_in(session) {
                return;
            }
            let payload = &message.bytes[..];
            match message.what {
                What::Changes(framing) => {
                    self.apply_changes(framing, message.channel, object, payload);
                }
                What::Message(message_type) => {
                    let frame = Frame {
                        message_type: message_type.number(),
                        payload,
                        long: false,
                    };
                    let handled = self.handle_state(message.channel, message_type, frame);
                    self.late.keep_error(handled);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        BehaviourList, ClientConfig, ClientEvent, MessageType, NetId, NetworkClient,
        NetworkHash128, NetworkWriter, Prefabs, ReadErrorKind,
    };

    /// A message as it stands in a packet.
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

    /// `NotReady` stands for a call here: it leaves an event.
    #[test]
    fn a_call_in_a_burst_waits_until_its_object_is_announced_and_what_follows_waits_behind_it() {
        let mut client = client();
        let object = NetId(1);
        let begin = [frame(MessageType::SpawnFinished, &[0]), spawn(1), spawn(2)].concat();
        client.handle_packet(0, &begin).unwrap();
        assert!(client.put_off_call(object, 0, MessageType::NotReady, &[]));
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
        assert!(!client.put_off_call(object, 0, MessageType::NotReady, &[]));
    }

    #[test]
    fn what_is_wrong_with_a_held_message_is_an_error_of_the_packet_that_released_it() {
        let mut client = client();
        assert!(client.put_off_call(NetId(1), 0, MessageType::NotReady, &[7]));
        let error = client.handle_packet(0, &spawn(1)).unwrap_err();
        assert_eq!(error.kind(), ReadErrorKind::TrailingBytes { left: 1 });
        assert_eq!(client.handle_packet(0, &spawn(2)), Ok(()));
    }
}
