//! Messages and chunks for one connection.

use bytes::Bytes;
use syncvar_runtime::unstable::object::{SlotInfo, Slots};
use syncvar_runtime::{ConnectionId, NetId, NetworkWriter};

use crate::MessageType;
use crate::message::{LocalClientAuthority, Message, Owner};
use crate::server::ground::Ground;
use crate::server::ledger::field_set::FieldSet;
use crate::server::outbound::remote::RemoteMessage;

impl Ground<'_> {
    /// Appends a message to the queue of a connection.
    pub(crate) fn send<M: Message>(&mut self, connection: ConnectionId, message: &M) {
        self.write(connection, M::TYPE, &|writer| message.encode(writer));
    }

    /// Like [`send`](Self::send), compiled once for all messages.
    pub(crate) fn write(
        &mut self,
        connection: ConnectionId,
        message_type: MessageType,
        encode: &dyn Fn(&mut NetworkWriter),
    ) {
        // The local client receives no bytes.
        if self.sessions.is_local(connection) {
            return;
        }
        let receiver = self.sessions.connections.get_mut(connection.0);
        // The gateway of a remote connection writes its own ones.
        let receiver = receiver.filter(|receiver| !receiver.is_remote());
        let receiver = receiver.filter(|receiver| message_type.is_shared() || !receiver.records());
        let Some(receiver) = receiver else {
            return;
        };
        let Some(length) = receiver.write_direct(encode) else {
            return;
        };
        self.context.stats.count_encoded(message_type, length);
        receiver.list(&mut self.outbound.outgoing);
    }

    /// Sends a connection whether the connection owns an object, or that the object is its player.
    pub(crate) fn send_authority(
        &mut self,
        connection: ConnectionId,
        net_id: NetId,
        authority: bool,
    ) {
        let known = self.sessions.connections.get(connection.0);
        let number = known.filter(|_| authority);
        if let Some(number) = number.and_then(|known| known.ownership.number_of(net_id)) {
            let number = i32::from(number).cast_unsigned();
            self.send(connection, &Owner { net_id, number });
        } else {
            let message = LocalClientAuthority { net_id, authority };
            self.send(connection, &message);
        }
    }

    /// Appends chunks to the queue of a connection.
    pub(crate) fn send_chunks(&mut self, channel: u8, receiver: ConnectionId, chunks: &[Bytes]) {
        let Some(connection) = self.sessions.connections.get_mut(receiver.0) else {
            return;
        };
        if connection.is_remote() {
            let remote = &mut self.outbound.remote;
            remote.extend(chunks.iter().map(|message| RemoteMessage {
                connection: receiver,
                channel,
                message: message.clone(),
            }));
            return;
        }
        let lossy = self.context.config.is_lossy(channel);
        match &mut connection.datagrams {
            Some(datagrams) if lossy => datagrams.queue.push_calls(channel, chunks),
            None if lossy && connection.ledger.detached_since.is_some() => {}
            _ => self.outbound.send(connection, channel, chunks),
        }
    }

    /// Notes that the stream carries fields of an object to a connection.
    pub(crate) fn note_streamed(
        &mut self,
        connection: ConnectionId,
        id: NetId,
        fields: &dyn Fn(&SlotInfo) -> u64,
    ) {
        let tick = self.tick();
        let known = self.sessions.connections.get_mut(connection.0);
        let Some(known) = known.filter(|known| known.datagrams.is_some()) else {
            return;
        };
        let slots = self.objects.world.slots(id);
        let slots = slots.into_iter().flat_map(<dyn Slots>::iter);
        for (behaviour, slot) in (0_u8..).zip(slots) {
            let set = FieldSet {
                net_id: id,
                channel: slot.info().channel,
                behaviour,
                fields: fields(slot.info()),
            };
            if set.fields != 0 && slot.ticks().is_some() {
                known.ledger.streamed.add(&set, tick);
            }
        }
    }

    /// Answers the queued pings.
    pub(crate) fn answer_pings(&mut self) {
        let mut pinging = std::mem::take(&mut self.sessions.pending.pinging);
        for id in pinging.drain(..) {
            if let Some(pong) = self.sessions.answer_ping(self.context, id) {
                self.send(id, &pong);
            }
        }
        self.sessions.pending.pinging = pinging;
    }
}
