//! What comes from the server: messages, in order.

use crate::message::from_wire;
use bytes::Bytes;

use super::{ClientEvent, ClientState, NetworkClient};
use crate::message::frames;
use crate::message::{
    Connect, Disconnect, Frame, LocalClientAuthority, Message, NotReady, ObjectDestroy, ObjectHide,
    ObjectSpawn, ObjectSpawnScene, PROTOCOL_VERSION, Pong, SetParent, SpawnFinished, Void, unknown,
};
use crate::prefab::text::{PrefabText, first_difference};
use crate::{DisconnectReason, MessageType, NetId, NetworkReader, ReadError, ReadErrorKind};

/// The most prefabs whose description a server can make a client keep.
const MAX_SCHEMA_MESSAGES: usize = 4096;

/// What a burst of objects has brought.
#[derive(Clone, Copy)]
enum News {
    Spawned(NetId),
    OwnerChanged { object: NetId, owned: bool },
}

impl NetworkClient {
    /// The transport has a packet from the server, which came on this channel.
    ///
    /// # Errors
    ///
    /// For the first message that makes no sense; those before and after it are handled, as long as
    /// their borders can be told. A message for an object that cannot be read is no error here: it
    /// poisons that object, and is reported as [`ClientEvent::Poisoned`].
    ///
    /// A packet that comes while an object is being called waits until that is done, and then until the
    /// packet is done that the call came from; what is wrong with it is an error of that.
    pub fn handle_packet(&mut self, channel: u8, packet: &[u8]) -> Result<(), ReadError> {
        if self.lent.depth() > 0 {
            let packet = Bytes::copy_from_slice(packet);
            self.deferred.push_back((channel, packet));
            return Ok(());
        }
        let earlier = self.handle_deferred();
        let result = earlier.and(self.handle_frames(channel, packet));
        result.and(self.handle_deferred())
    }

    /// Handles the packets that came while an object was being called.
    fn handle_deferred(&mut self) -> Result<(), ReadError> {
        let mut result = Ok(());
        while let Some((channel, packet)) = self.deferred.pop_front() {
            result = result.and(self.handle_frames(channel, &packet));
        }
        result
    }

    fn handle_frames(&mut self, channel: u8, packet: &[u8]) -> Result<(), ReadError> {
        self.stats.received.add(packet.len());
        let mut result = Ok(());
        let session = self.session;
        for frame in frames(packet) {
            // A callback may have begun another connection.
            if self.session != session {
                break;
            }
            let handled = frame.and_then(|frame| self.handle_message(channel, frame));
            result = result.and(handled).and(self.late.take_error());
        }
        result
    }

    fn handle_message(&mut self, channel: u8, frame: Frame<'_>) -> Result<(), ReadError> {
        let message_type =
            MessageType::from_number(frame.message_type).ok_or_else(|| unknown(frame))?;
        if let Some(error) = self.too_long(frame.payload) {
            return self.refuse(message_type, frame.payload, error);
        }
        match (self.state, message_type) {
            (ClientState::Disconnected, _) => return Ok(()),
            (_, MessageType::Disconnect) => self.handle_end(&Disconnect::decode(frame.payload)?),
            (ClientState::Connecting, MessageType::Connect) => {
                self.handle_answer(frame.payload)?;
            }
            (ClientState::Connecting, MessageType::Schema) => self.handle_schema(frame.payload)?,
            (ClientState::Connecting, _) => return Err(unknown(frame)),
            (ClientState::Connected, _) => self.handle_state(channel, message_type, frame)?,
        }
        self.stats.count_decoded(message_type, frame.length());
        Ok(())
    }

    /// The server has let us in, unless it is of another version and has not noticed.
    fn handle_answer(&mut self, payload: &[u8]) -> Result<(), ReadError> {
        let Connect {
            version, framing, ..
        } = Connect::decode(payload)?;
        if version != PROTOCOL_VERSION {
            self.end(DisconnectReason::VersionMismatch);
            return Ok(());
        }
        if framing > self.config.framing {
            let (what, value) = ("framing, for it was not asked for", framing.number().into());
            let kind = ReadErrorKind::InvalidValue { what, value };
            return Err(NetworkReader::new(payload).error(kind));
        }
        self.framing = framing;
        self.accepted();
        Ok(())
    }

    pub(super) fn handle_state(
        &mut self,
        channel: u8,
        message_type: MessageType,
        frame: Frame<'_>,
    ) -> Result<(), ReadError> {
        let payload = frame.payload;
        let said_parent = self.said_parent.take();
        match message_type {
            MessageType::ObjectSpawn => {
                self.handle_spawn(&ObjectSpawn::decode(payload)?, said_parent);
            }
            MessageType::ObjectSpawnScene => {
                self.handle_scene_spawn(&ObjectSpawnScene::decode(payload)?, said_parent);
            }
            MessageType::SetParent => self.handle_parent(&SetParent::decode(payload)?),
            MessageType::SpawnBatch => self.handle_spawns(payload)?,
            MessageType::UpdateVars => self.handle_update(channel, payload)?,
            MessageType::UpdateBatch => self.handle_updates(channel, payload)?,
            MessageType::Rpc | MessageType::SyncEvent | MessageType::Call => {
                self.handle_call(channel, message_type, payload)?;
            }
            MessageType::ObjectDestroy => {
                let ObjectDestroy { net_id } = ObjectDestroy::decode(payload)?;
                if !self.put_off(net_id, channel, message_type, payload) {
                    if self.relations.has_children() {
                        self.detach_children(net_id);
                    }
                    self.forget(net_id, false);
                }
            }
            MessageType::ObjectHide => {
                let ObjectHide { net_id } = ObjectHide::decode(payload)?;
                if !self.put_off(net_id, channel, message_type, payload) {
                    self.forget(net_id, true);
                }
            }
            MessageType::LocalClientAuthority => {
                let authority = LocalClientAuthority::decode(payload)?;
                if !self.put_off(authority.net_id, channel, message_type, payload) {
                    self.handle_authority(&authority);
                }
            }
            MessageType::Pong => self.handle_pong(payload)?,
            MessageType::Void => self.handle_void(Void::decode(payload)?.net_id),
            MessageType::OwnerState => self.handle_owner_state(payload)?,
            MessageType::SpawnFinished => match SpawnFinished::decode(payload)?.state {
                0 => self.begin_burst(),
                1 => self.end_burst(),
                // A client that joins is told when its burst is over.
                2 if self.joining => {}
                2 => self.scene_objects_spawned(),
                state => {
                    let (what, value) = ("state of SpawnFinished", state.into());
                    let kind = ReadErrorKind::InvalidValue { what, value };
                    return Err(NetworkReader::new(payload).error(kind));
                }
            },
            MessageType::NotReady => {
                NotReady::decode(payload)?;
                self.events.push(ClientEvent::NotReady);
            }
            _ => return Err(unknown(frame)),
        }
        Ok(())
    }

    fn handle_schema(&mut self, payload: &[u8]) -> Result<(), ReadError> {
        let mut reader = NetworkReader::new(payload);
        let text = PrefabText::decode(&mut reader)?;
        reader.finish()?;
        if self.server_schema.len() >= MAX_SCHEMA_MESSAGES {
            let (count, limit) = (self.server_schema.len() + 1, MAX_SCHEMA_MESSAGES);
            return Err(reader.error(ReadErrorKind::TooManyElements { count, limit }));
        }
        self.server_schema.push(text);
        Ok(())
    }

    fn handle_end(&mut self, message: &Disconnect) {
        let mut reason = from_wire(message.reason, message.text.clone());
        if let DisconnectReason::SchemaMismatch(difference) = &mut reason {
            *difference =
                first_difference(&self.server_schema, &self.prefabs.texts()).map(Box::new);
        }
        self.end(reason);
    }

    fn handle_authority(&mut self, message: &LocalClientAuthority) {
        let LocalClientAuthority {
            net_id: object,
            authority: owned,
        } = *message;
        let Some(replica) = self.objects.get_mut(object.0) else {
            return;
        };
        let changed = std::mem::replace(&mut replica.owned, owned) != owned;
        if changed && replica.announced && !self.joining {
            self.tell_ownership(object, owned);
        }
    }

    /// The server has said what time it is.
    fn handle_pong(&mut self, payload: &[u8]) -> Result<(), ReadError> {
        let Pong {
            time,
            server_time,
            tick_rate,
        } = Pong::decode(payload)?;
        if tick_rate == 0 {
            let (what, value) = ("ticks in a second", 0);
            let kind = ReadErrorKind::InvalidValue { what, value };
            return Err(NetworkReader::new(payload).error(kind));
        }
        let clock = &mut self.server_clock;
        clock.pong(self.now, time, server_time, tick_rate);
        Ok(())
    }

    /// Everything that this client may see comes now, and is told again what it owns.
    fn begin_burst(&mut self) {
        self.joining = true;
        self.forget_missed();
        for replica in self.objects.values_mut() {
            replica.fresh = false;
            replica.owned_before = std::mem::take(&mut replica.owned);
        }
    }

    /// Everything has come: what was not among it is gone, and what is new can be announced, for
    /// all the objects that it may refer to are there.
    fn end_burst(&mut self) {
        if !std::mem::take(&mut self.joining) {
            return;
        }
        let session = self.session;
        for id in self.ids(|replica| !replica.fresh) {
            self.forget(id, true);
        }
        let resolved = self.take_resolved();
        if self.config.max_events > 0 {
            self.events.reserve(self.objects.len());
        }
        for news in self.news() {
            match news {
                News::Spawned(object) => self.announce(object),
                News::OwnerChanged { object, owned } => self.tell_ownership(object, owned),
            }
        }
        if self.is_in(session) {
            self.tell_parents();
        }
        if self.is_in(session) {
            self.scene_objects_spawned();
        }
        if self.is_in(session) {
            self.tell_all_resolved(resolved);
        }
        if self.is_in(session) && !std::mem::replace(&mut self.synchronized, true) {
            self.tell_synchronized();
        }
        if self.is_in(session) {
            self.release_all();
        }
        if self.is_in(session) {
            self.server_clock.begin();
            self.events.push(ClientEvent::Ready);
        }
    }

    /// What there is to tell after a burst, by ascending id. All new objects can be seen from now on.
    fn news(&mut self) -> Vec<News> {
        let mut news = Vec::new();
        for (number, replica) in self.objects.iter_mut() {
            let object = NetId(number);
            if replica.announced && replica.owned != replica.owned_before {
                let owned = replica.owned;
                news.push(News::OwnerChanged { object, owned });
            }
            if !replica.announced && !replica.poisoned {
                replica.announced = true;
                news.push(News::Spawned(object));
            }
        }
        news
    }
}
