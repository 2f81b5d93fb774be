//! What comes from the server: messages, in order.

use super::{ClientEvent, ClientState, NetworkClient};
use crate::message::{
    Connect, Disconnect, Frame, Frames, LocalClientAuthority, Message, NotReady, ObjectDestroy,
    ObjectHide, ObjectSpawn, PROTOCOL_VERSION, SpawnFinished, unknown,
};
use crate::schema_text::{PrefabText, first_difference};
use crate::{DisconnectReason, MessageType, NetId, NetworkReader, ReadError, ReadErrorKind};

/// The most prefabs whose description a server can make a client keep.
const MAX_SCHEMA_MESSAGES: usize = 4096;

impl NetworkClient {
    /// The transport has a packet from the server, which came on this channel.
    ///
    /// # Errors
    ///
    /// For the first message that makes no sense; those before and after it are handled, as long as
    /// their borders can be told. A message for an object that cannot be read is no error here: it
    /// poisons that object, and is reported as [`ClientEvent::Poisoned`].
    pub fn handle_packet(&mut self, channel: u8, packet: &[u8]) -> Result<(), ReadError> {
        self.stats.received.add(packet.len());
        let mut result = Ok(());
        for frame in Frames::new(packet) {
            let handled = frame.and_then(|frame| self.handle_message(channel, frame));
            result = result.and(handled);
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
            version, dialect, ..
        } = Connect::decode(payload)?;
        if version != PROTOCOL_VERSION {
            self.end(DisconnectReason::VersionMismatch);
            return Ok(());
        }
        if dialect > self.config.dialect {
            let (what, value) = ("dialect, for it was not asked for", dialect.number().into());
            let kind = ReadErrorKind::InvalidValue { what, value };
            return Err(NetworkReader::new(payload).error(kind));
        }
        self.dialect = dialect;
        self.accepted();
        Ok(())
    }

    fn handle_state(
        &mut self,
        channel: u8,
        message_type: MessageType,
        frame: Frame<'_>,
    ) -> Result<(), ReadError> {
        let payload = frame.payload;
        match message_type {
            MessageType::ObjectSpawn => self.handle_spawn(&ObjectSpawn::decode(payload)?),
            MessageType::SpawnBatch => self.handle_spawns(payload)?,
            MessageType::UpdateVars => self.handle_update(channel, payload)?,
            MessageType::UpdateBatch => self.handle_updates(channel, payload)?,
            MessageType::Rpc | MessageType::SyncEvent | MessageType::Call => {
                self.handle_call(message_type, payload)?;
            }
            MessageType::ObjectDestroy => {
                let ObjectDestroy { net_id } = ObjectDestroy::decode(payload)?;
                self.forget(net_id, false);
            }
            MessageType::ObjectHide => {
                let ObjectHide { net_id } = ObjectHide::decode(payload)?;
                self.forget(net_id, true);
            }
            MessageType::LocalClientAuthority => {
                self.handle_authority(&LocalClientAuthority::decode(payload)?);
            }
            MessageType::SpawnFinished => match SpawnFinished::decode(payload)?.state {
                0 => self.begin_burst(),
                1 => self.end_burst(),
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
        let mut reason = DisconnectReason::from_wire(message.reason, message.text.clone());
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
        match self.objects.get_mut(object.0) {
            Some(replica) => {
                let changed = std::mem::replace(&mut replica.owned, owned) != owned;
                if changed && replica.announced && !self.joining {
                    self.events
                        .push(ClientEvent::OwnerChanged { object, owned });
                }
            }
            None => self.stats.unknown_objects += 1,
        }
    }

    /// Everything that this client may see comes now, and is told again what it owns.
    fn begin_burst(&mut self) {
        self.joining = true;
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
        for id in self.ids(|replica| !replica.fresh) {
            self.forget(id, true);
        }
        let (objects, events) = (&mut self.objects, &mut self.events);
        if self.config.max_events > 0 {
            events.reserve(objects.len());
        }
        for (number, replica) in objects.iter_mut() {
            let object = NetId(number);
            if replica.announced && replica.owned != replica.owned_before {
                let owned = replica.owned;
                events.push(ClientEvent::OwnerChanged { object, owned });
            }
            if !replica.announced && !replica.poisoned {
                replica.announce(object, events);
            }
        }
        self.events.push(ClientEvent::Ready);
        self.run_waiting_calls();
    }
}
