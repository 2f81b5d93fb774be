//! Packets from the server: messages, dispatched in order.

use bytes::Bytes;

use super::inbound::Pass;
use super::objects::Fact;
use super::{ClientEvent, ClientState, NetworkClient};
use crate::MessageType;
use crate::message::{
    Disconnect, Frame, LocalClientAuthority, Message, NotReady, ObjectDestroy, ObjectHide,
    ObjectSpawn, ObjectSpawnScene, Owner, SetParent, SpawnFinished, Void, frames, unknown,
};
use syncvar_runtime::prefab::message::FIRST_MESSAGE;
use syncvar_runtime::world::Departure;
use syncvar_runtime::{Channel, NetId, NetworkReader, ReadError, ReadErrorKind};

/// Work of one visited object, in bytes.
const WORK_PER_OBJECT: usize = 64;

impl NetworkClient {
    /// Handles a packet that the transport has received on a channel.
    ///
    /// A packet that arrives while a callback of an object runs is deferred until the packet that
    /// caused the callback is complete. Its errors belong to that packet.
    ///
    /// # Errors
    ///
    /// For the first malformed message. All other messages are handled, as long as their borders are
    /// known. An unreadable update is no error here: it poisons its object and is reported as
    /// [`ClientEvent::Poisoned`].
    pub fn handle_packet(&mut self, channel: u8, packet: &[u8]) -> Result<(), ReadError> {
        let kind = self.context.config.channels.get(usize::from(channel));
        if self.arrivals.is_some() || kind != Some(&Channel::Unreliable) {
            let received = &mut self.session.ticket.received;
            *received = received.saturating_add(1);
        }
        if self.objects.world.checked_out.depth() > 0 {
            let packet = Bytes::copy_from_slice(packet);
            let carrier = Channel::Reliable;
            self.session.deferred.push_back((carrier, channel, packet));
            return Ok(());
        }
        let earlier = self.handle_deferred();
        let result = earlier.and(self.handle_frames(channel, packet));
        result.and(self.handle_deferred())
    }

    /// Handles a datagram that the transport has received: a packet whose
    /// [`Transmit::delivery`](syncvar_runtime::Transmit::delivery) is [`Channel::Unreliable`].
    ///
    /// # Errors
    ///
    /// As [`handle_packet`](Self::handle_packet).
    pub fn handle_datagram(&mut self, channel: u8, packet: &[u8]) -> Result<(), ReadError> {
        if self.objects.world.checked_out.depth() > 0 {
            let packet = Bytes::copy_from_slice(packet);
            let carrier = Channel::Unreliable;
            self.session.deferred.push_back((carrier, channel, packet));
            return Ok(());
        }
        let earlier = self.handle_deferred();
        let result = earlier.and(self.handle_one_datagram(channel, packet));
        result.and(self.handle_deferred())
    }

    /// Handles the packets that arrived while an object was checked out.
    fn handle_deferred(&mut self) -> Result<(), ReadError> {
        let mut result = Ok(());
        while let Some((carrier, channel, packet)) = self.session.deferred.pop_front() {
            result = result.and(match carrier {
                Channel::Reliable => self.handle_frames(channel, &packet),
                Channel::Unreliable => self.handle_one_datagram(channel, &packet),
            });
        }
        result
    }

    /// Counts a packet of the server.
    pub(super) fn count_packet(&mut self, packet: &[u8]) {
        self.context.stats.received.add(packet.len());
        self.session.last_packet = self.context.now();
    }

    fn handle_frames(&mut self, channel: u8, packet: &[u8]) -> Result<(), ReadError> {
        self.count_packet(packet);
        self.handle_arrival(channel, packet)
    }

    /// Handles the messages of a packet.
    pub(super) fn handle_messages(&mut self, channel: u8, packet: &[u8]) -> Result<(), ReadError> {
        let (limits, length) = (&self.context.config.limits, packet.len());
        self.inbound.budget = self.inbound.work.begin(limits, length);
        let mut result = Ok(());
        let session = self.session.number;
        for frame in frames(packet) {
            // A callback may have begun another connection.
            if self.session.number != session {
                break;
            }
            let handled = frame.and_then(|frame| self.handle_message(channel, frame));
            let handled = handled.and(self.early.take_error());
            if let Err(error) = &handled {
                self.context.stats.refused.count_read(error.kind());
            }
            result = result.and(handled);
        }
        let (limits, left) = (&self.context.config.limits, self.inbound.budget);
        self.inbound.work.end(limits, length, left);
        result
    }

    fn handle_message(&mut self, channel: u8, frame: Frame<'_>) -> Result<(), ReadError> {
        if frame.message_type != MessageType::UpdateBatch.number() && !self.handles_others() {
            return Ok(());
        }
        if frame.message_type >= FIRST_MESSAGE {
            let oversized = self.too_long(frame.payload).map_or(Ok(()), Err);
            return oversized.and_then(|()| self.handle_program_message(frame));
        }
        let message_type =
            MessageType::from_number(frame.message_type).ok_or_else(|| unknown(frame))?;
        if let Some(error) = self.too_long(frame.payload) {
            return self.skip_oversized(message_type, frame.payload, error);
        }
        match (self.session.state, message_type) {
            (ClientState::Disconnected, _) => return Ok(()),
            (_, MessageType::Disconnect) => self.handle_end(Disconnect::decode(frame.payload)?),
            (ClientState::Connecting, MessageType::Session) => self.handle_grant(frame.payload)?,
            (ClientState::Connecting, MessageType::Connect) => self.handle_accept(frame.payload)?,
            (ClientState::Connecting, MessageType::Schema) => self.handle_schema(frame.payload)?,
            (ClientState::Connecting, _) => return Err(unknown(frame)),
            (ClientState::Connected, _) => self.handle_state(channel, message_type, frame)?,
        }
        if self.inbound.packet.pass == Pass::Whole {
            self.context
                .stats
                .count_decoded(message_type, frame.length());
        }
        Ok(())
    }

    /// Returns whether messages beside deltas are handled. The hooks of the deltas before them run first.
    fn handles_others(&mut self) -> bool {
        if self.inbound.packet.pass != Pass::Whole {
            return false;
        }
        let session = self.session.number;
        self.run_deferred_hooks();
        self.session.number == session
    }

    /// Handles a message of an accepted connection.
    pub(super) fn handle_state(
        &mut self,
        channel: u8,
        message_type: MessageType,
        frame: Frame<'_>,
    ) -> Result<(), ReadError> {
        let payload = frame.payload;
        let announced_parent = self.inbound.announced_parent.take();
        match message_type {
            MessageType::ObjectSpawn => {
                self.handle_spawn(&ObjectSpawn::decode(payload)?, announced_parent);
            }
            MessageType::ObjectSpawnScene => {
                self.handle_scene_spawn(&ObjectSpawnScene::decode(payload)?, announced_parent);
            }
            MessageType::SpawnBatch => self.handle_spawns(payload)?,
            MessageType::UpdateVars => self.handle_update(channel, payload)?,
            MessageType::UpdateBatch => self.handle_updates(channel, payload)?,
            MessageType::SetParent => self.handle_parent(&SetParent::decode(payload)?),
            MessageType::Rpc | MessageType::SyncEvent | MessageType::Call => {
                self.handle_call(channel, message_type, payload)?;
            }
            MessageType::ObjectDestroy => {
                let ObjectDestroy { net_id } = ObjectDestroy::decode(payload)?;
                if !self.defer_until_spawned(net_id, channel, message_type, payload) {
                    if self.objects.world.relations.has_children() {
                        self.detach_children(net_id);
                    }
                    self.forget(net_id, Departure::Destroyed);
                }
            }
            MessageType::ObjectHide => {
                let ObjectHide { net_id } = ObjectHide::decode(payload)?;
                if !self.defer_until_spawned(net_id, channel, message_type, payload) {
                    self.forget(net_id, Departure::Hidden);
                }
            }
            MessageType::LocalClientAuthority => {
                let authority = LocalClientAuthority::decode(payload)?;
                if !self.defer_until_spawned(authority.net_id, channel, message_type, payload) {
                    self.handle_authority(&authority);
                }
            }
            MessageType::Owner => {
                let player = Owner::decode(payload)?;
                if !self.defer_until_spawned(player.net_id, channel, message_type, payload) {
                    self.handle_player(&player);
                }
            }
            MessageType::Pong => self.handle_pong(payload)?,
            MessageType::InputState => self.handle_input_state(payload)?,
            MessageType::Void => self.handle_void(Void::decode(payload)?.net_id),
            MessageType::OwnerState => self.handle_owner_state(payload)?,
            MessageType::SpawnFinished => self.handle_spawn_finished(channel, payload)?,
            MessageType::NotReady => {
                NotReady::decode(payload)?;
                self.drop_outdated(channel);
                tracing::debug!("the server has stopped the updates");
                self.context.events.push(ClientEvent::NotReady);
            }
            _ => return Err(unknown(frame)),
        }
        Ok(())
    }

    fn handle_spawn_finished(&mut self, channel: u8, payload: &[u8]) -> Result<(), ReadError> {
        match SpawnFinished::decode(payload)?.state {
            0 => {
                self.charge_burst(payload)?;
                self.drop_outdated(channel);
                self.begin_burst();
            }
            1 => self.end_burst(),
            // During a burst, its end reports the scene objects.
            2 if self.session.joining => {}
            2 => self.report_scene_objects_spawned(),
            state => {
                let (what, value) = ("state of SpawnFinished", state.into());
                let kind = ReadErrorKind::InvalidValue { what, value };
                return Err(NetworkReader::new(payload).error(kind));
            }
        }
        Ok(())
    }

    /// Charges the packet with the work of a beginning burst, which visits all objects.
    fn charge_burst(&mut self, payload: &[u8]) -> Result<(), ReadError> {
        let left = &mut self.inbound.budget.work;
        let needed = self
            .objects
            .world
            .objects
            .len()
            .saturating_mul(WORK_PER_OBJECT);
        let rest = left.checked_sub(needed).ok_or_else(|| {
            let kind = ReadErrorKind::TooMuchWork {
                needed,
                left: *left,
            };
            NetworkReader::new(payload).error(kind)
        })?;
        *left = rest;
        Ok(())
    }

    pub(super) fn handle_authority(&mut self, message: &LocalClientAuthority) {
        let LocalClientAuthority {
            net_id: object,
            authority: owned,
        } = *message;
        let Some(replica) = self.objects.world.objects.get_mut(object.0) else {
            return;
        };
        let changed = replica.is(Fact::Owned) != owned;
        replica.set(Fact::Owned, owned);
        if let Some(lossy) = self.outbound.lossy.as_mut().filter(|_| !owned) {
            lossy.forget(object);
        }
        if changed && replica.is_visible() && !self.session.joining {
            self.report_ownership(object, owned);
        }
    }

    /// Drops the early messages for an object that the server has not sent to this client.
    fn handle_void(&mut self, object: NetId) {
        if !self.objects.world.contains(object)
            && let Some(messages) = self.early.take(object)
        {
            self.context.stats.unknown_objects += messages.len() as u64;
        }
    }
}
