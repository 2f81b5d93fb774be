//! The settings of a server.

#[cfg(doc)]
use super::{NetworkServer, ServerEvent};
use crate::packet::Room;
use crate::wire::DEFAULT_MAX_ELEMENTS;
use crate::{Channel, Framing};

/// How a server behaves. [`Default`] is what UNet does, plus the comparison of schemas at connect.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerConfig {
    /// The largest packet, in bytes, that messages are gathered into; 1340 as in UNet. A larger
    /// message travels as a packet of its own, on a reliable channel.
    pub packet_size: usize,
    /// The longest payload of one message, in bytes, on a reliable channel to a connection that is
    /// spoken to in [`Framing::Compact`]; 16 MiB unless set. So long the full state of one object can
    /// be, or its changes of one update; a longer one is [`ServerEvent::SerializeFailed`]. A client
    /// must take as much ([`ClientConfig::max_message_size`](crate::ClientConfig::max_message_size)),
    /// and so must the transport.
    ///
    /// Less than 65 535 ([`MAX_BYTES`](crate::MAX_BYTES)) is that much, and more than `u32::MAX` is
    /// that. With [`Framing::Unet`] 65 535 are the limit whatever this says; an object is sent to all
    /// who see it or to none, so one connection that is spoken to in it limits what the others are sent.
    pub max_message_size: usize,
    /// Whether several messages share a packet. Off, each travels alone, as with UNet's
    /// `maxDelay` of 0.
    pub gather: bool,
    /// What each channel promises, 64 of them at most; a behaviour on a channel beyond them is never
    /// sent. None is the same as one that is reliable.
    pub channels: Vec<Channel>,
    /// Whether clients must prove, before anything else, that they know the same prefabs and
    /// fields. `false` is UNet, where a connection exists as soon as the transport has one.
    pub compare_schemas: bool,
    /// The best that a connection is spoken to in, if its client asks for it:
    /// [`Framing::Compact`], many objects in one message and few bytes for each, or, with
    /// [`Framing::Unet`], the literal bytes of UNet for everybody. Those who do not prove their schema
    /// are always spoken to in the latter.
    pub framing: Framing,
    /// The most elements that a sequence or a collection can have in what the owner of an object writes
    /// to it, and in the arguments of a command, 1 048 576 unless set; what has more is not applied, or
    /// not run.
    pub max_elements: usize,
    /// How many bytes of full state in `Unet` the fields can have together that the owner of one object
    /// writes, 1 048 576 unless set; a write that would make them more is not applied. And four times as
    /// many are looked at for one connection between two updates: each write is compared with what was
    /// there, so that it can be undone.
    pub max_owner_bytes: usize,
    /// How many objects a connection is sent again in one update because it could not read them;
    /// what it asks for beyond them waits for the next updates.
    pub resyncs_per_update: usize,
    /// How many ticks a second of [`NetworkServer::network_time`] has; 30 unless set, and at least 1.
    /// Clients are told. It says nothing about how often the server is updated.
    pub tick_rate: u32,
    /// How often a second a connection may call a command that does not say it itself
    /// (`#[command(rate = 5.0)]`), in the server's own time; 100 unless set, infinity for no limit.
    /// As many as for one second can come at once. What comes beyond that is
    /// [`ServerEvent::CommandRefused`].
    pub command_rate: f64,
    /// The most events that are kept for [`NetworkServer::poll_event`]; the oldest go first.
    pub max_events: usize,
    /// How many objects with changes, one after another of the same prefab and seen by the same
    /// connections, are encoded on several threads; 16 384 unless set, `usize::MAX` for never. Fewer
    /// are not worth it, unless writing one of them takes long.
    ///
    /// The bytes are the same either way. The thread that calls [`NetworkServer::update`] takes part;
    /// the others are those of the rayon pool that it belongs to, or of the global one.
    #[cfg(feature = "parallel")]
    pub parallel_from: usize,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            packet_size: 1340,
            max_message_size: 16 * 1024 * 1024,
            gather: true,
            channels: vec![Channel::Reliable, Channel::Unreliable],
            compare_schemas: true,
            framing: Framing::Compact,
            max_elements: DEFAULT_MAX_ELEMENTS,
            max_owner_bytes: 1024 * 1024,
            resyncs_per_update: 64,
            tick_rate: 30,
            command_rate: 100.0,
            max_events: 100_000,
            #[cfg(feature = "parallel")]
            parallel_from: 16_384,
        }
    }
}

impl ServerConfig {
    /// How much is gathered into one packet.
    pub(super) fn gathered_size(&self) -> usize {
        if self.gather { self.packet_size } else { 0 }
    }

    /// How long a message may be.
    pub(super) fn room(&self, channel: Channel) -> Room {
        match channel {
            Channel::Reliable => Room::reliable(self.max_message_size),
            Channel::Unreliable => Room::unreliable(self.packet_size),
        }
    }
}
