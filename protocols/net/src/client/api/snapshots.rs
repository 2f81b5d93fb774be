//! The conductor of snapshots: who leaves first, the read, the announcement, the messages that waited.
//!
//! ```text
//! SpawnBatch | 4: crate | 7: door of scene 12 | 9: player |
//!                |          |                    |
//!                |          |                    known: place, parent and state of the object that is here
//!                |          |                         -> hooks of the fields that differ -> event Restored
//!                |          new: the object that has scene 12 now leaves; the dormant door wakes
//!                new: an object 4 of a different prefab leaves; a row in the pool of its prefab
//!                     -> read -> announced: initial hooks, spawn callbacks, event Spawned
//!                             -> references to it are resolved, its early messages are handled
//! ```
//!
//! The entries of a batch are independent: an unreadable entry poisons its object, the next one is
//! read. Within a burst nothing is announced, and no callback runs but those of objects that leave. Outside of a
//! burst each entry may run callbacks before the next is read, and each callback may end the
//! connection: the batch stops then.
//!
//! A known object keeps what the snapshot does not decide: unsent writes of its owner, and values of datagrams that are
//! newer than the tick of the snapshot. Within a burst the snapshot decides everything, for the ownership is unknown,
//! and the server sends no datagrams with state before the burst has arrived.
//!
//! The read itself is [`Inbound::read_new`](crate::client::Inbound::read_new) and `read_known`: parts below the
//! conductor, without a callback.

use syncvar_runtime::unstable::packet::Entries;
use syncvar_runtime::unstable::world::Departure;
use syncvar_runtime::{NetId, ReadError};

use crate::MessageType;
use crate::client::inbound::{EarlyKind, Effect, ReceivedSnapshot};
use crate::client::objects::{Fact, ObjectChange};
use crate::client::state_message::StateMessage;
use crate::client::{ClientEvent, NetworkClient};

impl NetworkClient {
    /// Takes the snapshots of a batch. An error in an entry does not affect the rest. With `refused`, the objects
    /// are spawned poisoned, and their states are not read.
    pub(super) fn take_snapshots(
        &mut self,
        payload: &[u8],
        refused: Option<&ReadError>,
    ) -> Result<(), ReadError> {
        let mut result = Ok(());
        let session = self.session.number;
        for entry in Entries::new(payload) {
            // A callback may have ended the connection, or begun the next.
            if !self.session.is_current(session) {
                break;
            }
            let (object, bytes) = entry?;
            if refused.is_none() {
                self.context.stats.count_entry(MessageType::SpawnBatch);
            }
            let translation = self.session.build.translation.as_ref();
            let ranks = translation.map_or(&self.inbound.prefab_ranks, |it| &it.ranks);
            // By reference: a snapshot is large, and there is one for each object of a join.
            match &ReceivedSnapshot::decode(object, bytes, ranks, &self.objects.world.prefabs) {
                Ok(Some(snapshot)) => self.take_snapshot(snapshot, refused),
                Ok(None) => result = result.and(self.run_effect(Effect::Skipped(object))),
                Err(error) => match self.objects.world.objects.get_mut(object.0) {
                    Some(replica) => {
                        replica.set(Fact::Refreshed, true);
                        self.lend().1.poison(object, error.clone());
                    }
                    None => result = result.and(Err(error.clone())),
                },
            }
        }
        result
    }

    /// Takes a snapshot. An object that is announced or restored by it receives its early messages.
    pub(super) fn take_snapshot(
        &mut self,
        snapshot: &ReceivedSnapshot<'_>,
        refused: Option<&ReadError>,
    ) {
        let object = snapshot.object;
        let Some(is_known) = self.prepare_snapshot(snapshot) else {
            return;
        };
        let (inbound, mut lent) = self.lend();
        let is_restored = if is_known {
            let Some(hooks) = inbound.read_known(snapshot, refused, &mut lent) else {
                return;
            };
            let is_visible = self.objects.world.is_visible(object);
            if is_visible {
                self.run_received_hooks(object, hooks);
                if !self.objects.world.contains(object) {
                    return;
                }
                tracing::debug!(%object, "restored an object");
                self.objects.receive_all(object);
                self.context.events.push(ClientEvent::Restored { object });
            }
            is_visible
        } else {
            if !inbound.read_new(snapshot, refused, &mut lent) {
                return;
            }
            false
        };
        if !is_restored && !self.session.is_joining() {
            self.announce(object);
        }
        if !self.session.is_joining() {
            self.objects.resolve(object, &mut self.context.events);
            if !self.inbound.early.queues.is_empty() {
                self.release(object);
            }
        }
    }

    /// Gives the place and the parent of a snapshot to a known object, or removes different objects with the id or the
    /// scene id of the snapshot. Returns whether the object is known; `None` if a callback has made the snapshot void.
    fn prepare_snapshot(&mut self, snapshot: &ReceivedSnapshot<'_>) -> Option<bool> {
        let (object, session) = (snapshot.object, self.session.number);
        let former = self.objects.world.objects.get(object.0);
        let exists = former.is_some();
        if former.is_some_and(|replica| snapshot.is_of(replica, &self.objects)) {
            let place = snapshot.place.unwrap_or_default();
            let is_moved = { &mut self.objects }.refresh(object, place, snapshot.relation.parent);
            if is_moved {
                self.report_change(ObjectChange::Parent(object));
            }
            self.inbound.early.forget_gone(object);
            self.inbound.early.queues.drop_deltas(object);
            return (!is_moved || self.objects.world.contains(object)).then_some(true);
        }
        if exists {
            self.forget(&[object], Departure::Destroyed);
        }
        if let Some(scene_id) = snapshot.relation.scene_id
            && self.session.is_joining()
            && let Some(previous) = self.objects.outdated_scene_object(scene_id)
        {
            self.forget(&[previous], Departure::Hidden);
        }
        self.session.is_current(session).then_some(false)
    }

    /// Handles the early messages of an object that has been announced.
    #[cold]
    pub(super) fn release(&mut self, object: NetId) {
        let session = self.session.number;
        for message in self.inbound.early.queues.take(object).unwrap_or_default() {
            // A call may have ended the connection, or begun the next.
            if !self.session.is_current(session) {
                return;
            }
            let (channel, payload) = (message.channel, &message.bytes[..]);
            let limits = &self.context.config.limits;
            self.inbound.budget.add_share(limits, payload.len());
            match message.kind {
                EarlyKind::Delta(framing) => {
                    let (inbound, mut lent) = self.lend();
                    inbound.read_delta(framing, channel, object, payload, &mut lent);
                    self.run_deferred_hooks();
                }
                EarlyKind::Message(message_type) => {
                    let message = StateMessage {
                        channel,
                        message_type,
                        payload,
                    };
                    let (inbound, mut lent) = self.lend();
                    let effect = inbound.read_state(message, &mut lent);
                    let handled = effect.and_then(|effect| self.run_effect(effect));
                    self.inbound.early.keep_error(handled);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::client::state_message::StateMessage;
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

    /// Returns whether a message that is deferred like a call waits.
    fn defers(client: &mut NetworkClient, object: u32, payload: &[u8]) -> bool {
        let message = StateMessage {
            channel: 0,
            message_type: MessageType::NotReady,
            payload,
        };
        let (inbound, mut lent) = client.lend();
        inbound.early.defer_call(NetId(object), message, &mut lent)
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
        assert!(defers(&mut client, 1, &[]));
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
        assert!(!defers(&mut client, 1, &[]));
    }

    #[test]
    fn error_of_an_early_message_belongs_to_the_releasing_packet() {
        let mut client = client();
        assert!(defers(&mut client, 1, &[7]));
        let error = client.handle_packet(0, &spawn(1)).unwrap_err();
        assert_eq!(error.kind(), ReadErrorKind::TrailingBytes { left: 1 });
        assert_eq!(client.handle_packet(0, &spawn(2)), Ok(()));
    }
}
