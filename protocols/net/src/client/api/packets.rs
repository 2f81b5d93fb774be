//! The conductor of received packets: messages in their order, each up to the callbacks that it leads to.

use bytes::Bytes;
use syncvar_runtime::unstable::prefab::message::FIRST_MESSAGE;
use syncvar_runtime::unstable::world::{CheckOut, Departure};
use syncvar_runtime::{Channel, MAX_BYTES, NetworkReader, ReadError, ReadErrorKind};

use crate::MessageType;
use crate::client::arrivals::Pass;
use crate::client::inbound::{DeferredPacket, Deltas, Effect};
use crate::client::objects::ObjectChange;
use crate::client::state_message::StateMessage;
use crate::client::{ClientEvent, ClientState, NetworkClient};
use crate::message::{Disconnect, Echo, Frame, Message, Pong, frames, unknown};

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
            self.inbound.deferred.push_back(DeferredPacket {
                carrier: Channel::Reliable,
                channel,
                bytes: Bytes::copy_from_slice(packet),
            });
            return Ok(());
        }
        self.handle_all(Channel::Reliable, channel, packet)
    }

    /// Handles a datagram that the transport has received: a packet whose
    /// [`Transmit::delivery`](syncvar_runtime::Transmit::delivery) is [`Channel::Unreliable`].
    ///
    /// # Errors
    ///
    /// As [`handle_packet`](Self::handle_packet).
    pub fn handle_datagram(&mut self, channel: u8, packet: &[u8]) -> Result<(), ReadError> {
        if self.objects.world.checked_out.depth() > 0 {
            self.inbound.deferred.push_back(DeferredPacket {
                carrier: Channel::Unreliable,
                channel,
                bytes: Bytes::copy_from_slice(packet),
            });
            return Ok(());
        }
        self.handle_all(Channel::Unreliable, channel, packet)
    }

    /// Handles the messages of a packet.
    pub(crate) fn handle_messages(&mut self, channel: u8, packet: &[u8]) -> Result<(), ReadError> {
        let (limits, length) = (&self.context.config.limits, packet.len());
        self.inbound.budget = self.inbound.work.begin(limits, length);
        let mut result = Ok(());
        let session = self.session.number;
        for frame in frames(packet) {
            // A callback may have begun the next connection.
            if self.session.number != session {
                break;
            }
            let handled = match frame {
                Ok(frame) if self.session.burst.is_jump && !is_state(frame) => Ok(()),
                Ok(frame) => self.handle_message(channel, frame),
                Err(error) => Err(error),
            };
            let handled = handled.and(self.inbound.early.take_error());
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
        if frame.message_type != MessageType::UpdateBatch.number() {
            if self.inbound.packet.pass != Pass::Whole {
                return Ok(());
            }
            // The hooks of the deltas before the message run first.
            let session = self.session.number;
            self.run_deferred_hooks();
            if self.session.number != session {
                return Ok(());
            }
        }
        let (payload, limit) = (frame.payload, self.context.config.max_message_size);
        let oversized = too_long(payload, limit.max(MAX_BYTES));
        if frame.message_type >= FIRST_MESSAGE {
            let (inbound, mut lent) = self.lend();
            let oversized = oversized.map_or(Ok(()), Err);
            return oversized.and_then(|()| inbound.read_program_message(frame, &mut lent));
        }
        let message_type =
            MessageType::from_number(frame.message_type).ok_or_else(|| unknown(frame))?;
        let message = StateMessage {
            channel,
            message_type,
            payload,
        };
        match (self.session.state, oversized) {
            (ClientState::Disconnected, _) => return Ok(()),
            (ClientState::Connected, Some(error)) => {
                let (inbound, mut lent) = self.lend();
                let effect = inbound.skip_oversized(message, error, &mut lent)?;
                return self.run_effect(effect);
            }
            (ClientState::Connecting, Some(error)) => return Err(error),
            (_, None) if message_type == MessageType::Disconnect => {
                let (message, prefabs) =
                    (Disconnect::decode(payload)?, &self.objects.world.prefabs);
                let reason = self.session.end_reason(message, prefabs);
                self.end_session(reason);
            }
            (ClientState::Connecting, None) if message_type == MessageType::Connect => {
                self.handle_accept(payload)?;
            }
            (ClientState::Connecting, None) => {
                self.handle_greeting(message)?;
            }
            (ClientState::Connected, None) => {
                let (inbound, mut lent) = self.lend();
                let effect = inbound.read_state(message, &mut lent)?;
                self.run_effect(effect)?;
            }
        }
        if self.inbound.packet.pass == Pass::Whole {
            let length = frame.length();
            self.context.stats.count_decoded(message_type, length);
        }
        Ok(())
    }

    /// Runs the callbacks that a message leads to, or hands the message to the part that it is for.
    pub(super) fn run_effect(&mut self, effect: Effect<'_>) -> Result<(), ReadError> {
        match effect {
            Effect::Nothing => {}
            Effect::Hooks => self.run_deferred_hooks(),
            Effect::OwnerState(state) => self.run_received_hooks(state.object, state.hooks),
            Effect::Deltas(deltas) => return self.apply_deltas(deltas),
            Effect::Skipped(object) => {
                if self.objects.world.contains(object) {
                    self.forget(&[object], Departure::Destroyed);
                }
                self.inbound.early.skip(object, &mut self.context);
            }
            Effect::Snapshot(snapshot) => self.take_snapshot(&snapshot, None),
            Effect::Snapshots(payload, refused) => {
                return self.take_snapshots(payload, refused.as_ref());
            }
            Effect::Call(mut call) => {
                let (object, place) = (call.object, call.place);
                let ran = call.with_arguments(|arguments| {
                    CheckOut::run_call(self, object, &place, None, arguments)
                });
                return self.inbound.finish_call(&call, ran, &mut self.context);
            }
            Effect::Changed(change) => self.report_change(change),
            Effect::Removed(object, departure) => {
                for child in self.objects.orphans(object, departure) {
                    if self.objects.world.relations.set_parent(child, None) {
                        self.report_change(ObjectChange::Parent(child));
                    }
                }
                self.forget(&[object], departure);
            }
            Effect::Player {
                number,
                object,
                is_new_owner,
            } => {
                if is_new_owner {
                    let owned = true;
                    self.report_change(ObjectChange::Owner { object, owned });
                }
                let event = ClientEvent::Player { number, object };
                self.context.events.push(event);
            }
            Effect::BurstEnded => self.end_burst(),
            Effect::Pong(payload) => {
                let now = self.context.now();
                let Pong { server_time, .. } = self.context.clock.server.take_pong(now, payload)?;
                // At once: the server measures the round trip, too.
                let (outbound, stats) = (&mut self.outbound, &mut self.context.stats);
                self.session.send(&Echo { server_time }, outbound, stats);
            }
            Effect::InputState(payload) => {
                let lossy = self.outbound.lossy.as_deref_mut();
                self.inputs.take_state(payload, lossy)?;
            }
        }
        Ok(())
    }

    /// Applies the deltas of a message, with the hooks that must run between them.
    fn apply_deltas(&mut self, mut deltas: Deltas<'_>) -> Result<(), ReadError> {
        let session = self.session.number;
        loop {
            let (inbound, mut lent) = self.lend();
            if inbound.read_deltas(&mut deltas, &mut lent) {
                break;
            }
            self.run_deferred_hooks();
            if self.session.number != session {
                return Ok(());
            }
        }
        if !self.inbound.packet.gathers_hooks {
            self.run_deferred_hooks();
        }
        deltas.result
    }
}

/// Returns whether a message of a record is about the state of objects: neither a call nor a message of the program.
fn is_state(frame: Frame<'_>) -> bool {
    let calls = [MessageType::Rpc, MessageType::Call, MessageType::SyncEvent];
    frame.message_type < FIRST_MESSAGE
        && calls.iter().all(|call| call.number() != frame.message_type)
}

/// Returns the error of a payload above a limit.
#[inline]
fn too_long(payload: &[u8], limit: usize) -> Option<ReadError> {
    let length = payload.len();
    let kind = ReadErrorKind::MessageTooLong { length, limit };
    (length > limit).then(|| NetworkReader::new(&[]).error(kind))
}
