//! What goes to the server.

use std::collections::VecDeque;

use bytes::Bytes;
use syncvar_runtime::engine::{Slots, nanos};
use syncvar_runtime::{Channel, Dialect, NetId, NetworkWriter};

use super::guard::has_bit;
use super::{MirrorClient, MirrorClientEvent};
use crate::batch::Batcher;
use crate::message::{
    EntityStateMessage, NetworkMessage, NetworkPingMessage, TimeSnapshotMessage, encode_user,
};
use crate::{Limits, MirrorError, MirrorMessage};

/// If more bytes than this wait to be polled, no more answers to pings are added, nor times.
const MAX_WAITING: usize = 1 << 20;

/// A message of the transport, for the server: one batch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorPacket {
    /// On which channel.
    pub channel: Channel,
    /// The batch.
    pub bytes: Bytes,
}

/// What waits to be sent.
#[derive(Debug)]
pub(super) struct Outbox {
    limits: Limits,
    /// Those of the channels that have been used, in the order in which they first were.
    batchers: Vec<(Channel, Batcher)>,
    packets: VecDeque<MirrorPacket>,
    packet_bytes: usize,
    /// For messages that are being written.
    writer: NetworkWriter,
}

impl Default for Outbox {
    fn default() -> Self {
        Self::new(Limits::TELEPATHY)
    }
}

impl Outbox {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            batchers: Vec::new(),
            packets: VecDeque::new(),
            packet_bytes: 0,
            writer: NetworkWriter::with_dialect(Dialect::Mirror),
        }
    }

    /// How many bytes have not been polled.
    fn waiting_bytes(&self) -> usize {
        let open = self
            .batchers
            .iter()
            .map(|(_, batcher)| batcher.queued_bytes());
        self.packet_bytes.saturating_add(open.sum())
    }

    /// Queues what has been written, if it has been.
    fn queue(
        &mut self,
        written: Result<(), MirrorError>,
        channel: Channel,
        time: f64,
    ) -> Result<(), MirrorError> {
        let message = self.writer.as_bytes();
        let length = message.len();
        let queued = if let Err(error) = written {
            Err(error)
        } else if self.limits.can_carry(channel, length) {
            let threshold = self.limits.batch_threshold;
            let known = { self.batchers.iter_mut() }.position(|(known, _)| *known == channel);
            if known.is_none() {
                self.batchers.push((channel, Batcher::new(threshold)));
            }
            let batcher = match known {
                Some(known) => self.batchers.get_mut(known),
                None => self.batchers.last_mut(),
            };
            if let Some((_, batcher)) = batcher {
                batcher.add(message, time);
            }
            Ok(())
        } else {
            let limit = self.limits.longest(channel);
            Err(MirrorError::TooLong { length, limit })
        };
        self.writer.truncate(0);
        queued
    }
}

impl MirrorClient {
    /// A batch for the server, oldest first. What has been queued can be polled after the next
    /// [`update`](Self::update).
    pub fn poll_transmit(&mut self) -> Option<MirrorPacket> {
        let packet = self.outbox.packets.pop_front()?;
        let length = packet.bytes.len();
        self.outbox.packet_bytes = self.outbox.packet_bytes.saturating_sub(length);
        Some(packet)
    }

    /// Sends a message of the game, reliably.
    ///
    /// # Errors
    ///
    /// When there is no connection, when something in it has no form on the wire, or when it is too long for
    /// the transport.
    pub fn send<M: MirrorMessage>(&mut self, message: &M) -> Result<(), MirrorError> {
        self.send_on(Channel::Reliable, message)
    }

    /// Sends a message of the game on a channel.
    ///
    /// # Errors
    ///
    /// Those of [`send`](Self::send).
    pub fn send_on<M: MirrorMessage>(
        &mut self,
        channel: Channel,
        message: &M,
    ) -> Result<(), MirrorError> {
        if !self.connected {
            return Err(MirrorError::NoSuchConnection);
        }
        let written = encode_user(message, &mut self.outbox.writer);
        self.outbox.queue(written, channel, self.now.as_secs_f64())
    }

    /// Sends one of Mirror's messages.
    pub(super) fn send_message<'a>(
        &mut self,
        message: &impl NetworkMessage<'a>,
        channel: Channel,
    ) -> Result<(), MirrorError> {
        if !self.connected {
            return Err(MirrorError::NoSuchConnection);
        }
        let written = encode(message, &mut self.outbox.writer);
        self.outbox.queue(written, channel, self.now.as_secs_f64())
    }

    /// Sends one that is neither long nor can fail to be written.
    pub(super) fn send_own<'a>(&mut self, message: &impl NetworkMessage<'a>) {
        if let Err(error) = self.send_message(message, Channel::Reliable) {
            tracing::error!(%error, "a message of the protocol was not sent");
        }
    }

    /// The same on the unreliable channel, unless nobody takes what is sent.
    pub(super) fn send_own_unreliable<'a>(&mut self, message: &impl NetworkMessage<'a>) {
        if self.outbox.waiting_bytes() > MAX_WAITING {
            return;
        }
        if let Err(error) = self.send_message(message, Channel::Unreliable) {
            tracing::error!(%error, "a message of the protocol was not sent");
        }
    }

    /// Asks for the server's time, if that is due.
    pub(super) fn send_ping(&mut self) {
        if self.clock.take_ping(self.now, self.config.ping_interval) {
            self.send_own_unreliable(&NetworkPingMessage {
                local_time: self.now.as_secs_f64(),
                predicted_time_adjusted: self.clock.predicted(self.now),
            });
        }
    }

    /// Says what time it is.
    pub(super) fn send_time_snapshot(&mut self) {
        if self.config.time_snapshots {
            self.send_own_unreliable(&TimeSnapshotMessage {
                scaled_time: self.now.as_secs_f64(),
            });
        }
    }

    /// Sends what has been written to components that this client writes, as far as it is due.
    pub(super) fn send_writes(&mut self) {
        for id in std::mem::take(&mut self.writing) {
            self.send_writes_of(id);
        }
    }

    fn send_writes_of(&mut self, id: NetId) {
        let (written, now) = (self.written_components(id), nanos(self.now));
        let Some(object) = self.objects.get_mut(id.0) else {
            return;
        };
        let Some(prefab) = self.prefabs.get(object.prefab) else {
            return;
        };
        let Some(behaviours) = object.behaviours.as_mut() else {
            // It is being called: the next update comes back to it.
            self.writing.insert(id);
            return;
        };
        let slots = behaviours.slots_mut();
        let (mut due, mut later) = (0, false);
        let components = prefab.components.iter().enumerate();
        for (index, settings) in components.filter(|(index, _)| has_bit(written, *index)) {
            let Some(slot) = slots.slot(index).filter(|slot| slot.dirty_bits() != 0) else {
                continue;
            };
            let interval = nanos(settings.sync_interval);
            if now.saturating_sub(slot.last_send()) >= interval {
                due |= 1 << index;
            } else {
                later = true;
            }
        }
        if later {
            self.writing.insert(id);
        }
        if due == 0 {
            return;
        }
        let payload = write_changes(slots, due, now);
        let sent = payload.and_then(|payload| {
            let payload = Some(payload.as_bytes());
            let message = EntityStateMessage {
                net_id: id,
                payload,
            };
            self.send_message(&message, Channel::Reliable)
        });
        if let Err(error) = sent {
            tracing::error!(object = %id, %error, "what was written cannot be sent");
            self.events.push(MirrorClientEvent::Unsendable {
                object: id,
                error: Box::new(error),
            });
        }
    }

    /// What has been queued can be polled from now on.
    pub(super) fn flush(&mut self) {
        for (channel, batcher) in &mut self.outbox.batchers {
            while let Some(bytes) = batcher.next_batch() {
                self.stats.count_sent(bytes.len());
                self.outbox.packet_bytes = self.outbox.packet_bytes.saturating_add(bytes.len());
                let channel = *channel;
                self.outbox
                    .packets
                    .push_back(MirrorPacket { channel, bytes });
            }
        }
    }
}

/// Writes one of Mirror's messages.
fn encode<'a, M: NetworkMessage<'a>>(
    message: &M,
    writer: &mut NetworkWriter,
) -> Result<(), MirrorError> {
    message.encode(writer);
    match writer.take_error() {
        None => Ok(()),
        Some(error) => Err(MirrorError::Unwritable {
            message: M::NAME,
            error,
        }),
    }
}

/// Writes what has changed of some components, which are clean then.
fn write_changes(
    slots: &mut dyn Slots,
    components: u64,
    now: u64,
) -> Result<NetworkWriter, MirrorError> {
    let mut payload = NetworkWriter::with_dialect(Dialect::Mirror);
    let mut part = NetworkWriter::with_dialect(Dialect::Mirror);
    payload.write_var_u64(components);
    let mut failed = None;
    for index in (0..slots.len()).filter(|index| has_bit(components, *index)) {
        let Some(slot) = slots.slot_mut(index) else {
            continue;
        };
        part.truncate(0);
        slot.write_mirror(&mut part, false, false);
        slot.mark_sent(now);
        failed = failed.or(part.take_error());
        let [safety, ..] = part.len().to_le_bytes();
        payload.write_u8(safety);
        payload.write_bytes(part.as_bytes());
    }
    match failed {
        None => Ok(payload),
        Some(error) => Err(MirrorError::Unwritable {
            message: EntityStateMessage::NAME,
            error,
        }),
    }
}
