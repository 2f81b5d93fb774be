//! Settings of a server.

use crate::Framing;

#[cfg(doc)]
use crate::server::{NetworkServer, ServerEvent};
use syncvar_runtime::object::ChannelInfo;
use syncvar_runtime::packet::Room;
use syncvar_runtime::{Callbacks, Channel, Limits};

/// Settings of a server. [`Default`] is UNet's behaviour with a comparison of schemas at connect.
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::ServerConfig;
///
/// let mut config = ServerConfig::default();
/// config.tick_rate = 60;
/// config.limits.command_rate = 20.0;
/// let server = NetworkServer::with_config(Prefabs::new(), config);
/// assert_eq!(server.config().tick_rate, 60);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Maximum packet size in bytes for gathered messages; 1340 as in UNet. A larger message gets a
    /// packet alone, on a reliable channel.
    pub packet_size: usize,
    /// Maximum payload of one message in bytes, on a reliable channel in [`Framing::Compact`]; 16
    /// MiB by default. It limits the snapshot of an object and its delta of one update; a longer
    /// one is [`ServerEvent::SerializeFailed`]. Clients
    /// ([`ClientConfig::max_message_size`](crate::ClientConfig::max_message_size)) and the
    /// transport must accept as much.
    ///
    /// Values are clamped to 65 535 ([`MAX_BYTES`](syncvar_runtime::MAX_BYTES)) and `u32::MAX`. In
    /// [`Framing::Unet`] the limit is always 65 535. An object is sent to all observers or to none,
    /// so one observer with that framing limits the others.
    pub max_message_size: usize,
    /// Whether messages share a packet. Otherwise each gets a packet alone, as with UNet's
    /// `maxDelay` of 0.
    pub gather: bool,
    /// Kinds of the channels, at most 64. Behaviours on other channels are never sent. An empty
    /// list means one reliable channel.
    pub channels: Vec<Channel>,
    /// Whether clients must prove first that their prefabs and fields match. `false` is UNet, where
    /// a connection is accepted at once.
    pub compare_schemas: bool,
    /// Best framing for clients that request it. [`Framing::Compact`] puts many objects into one
    /// message; [`Framing::Unet`] is the literal bytes of UNet. Clients without schema comparison
    /// always get the latter.
    pub framing: Framing,
    /// Limits of clients: elements, memory, work and depth of their input, rates, places and time to
    /// ready. A write or command beyond them is refused.
    pub limits: Limits,
    /// Maximum number of requested snapshots per connection and update. Further requests wait.
    pub resyncs_per_update: usize,
    /// Ticks per second of [`NetworkServer::network_time`]; 30 by default, at least 1. Clients
    /// receive it. It does not limit the rate of updates.
    pub tick_rate: u32,
    /// Runner of hooks, lifecycle callbacks and calls; the server by default. Hooks run on a host only.
    pub callbacks: Callbacks,
    /// Maximum number of events kept for [`NetworkServer::poll_event`]; the oldest are dropped.
    pub max_events: usize,
    /// Minimum number of successive dirty objects with equal prefab and observers for encoding on
    /// several threads; 16 384 by default, `usize::MAX` for never. Fewer objects pay off only if
    /// one takes long.
    ///
    /// The bytes do not depend on it. The thread that calls [`NetworkServer::update`] takes part.
    /// The others belong to its rayon pool, or to the global one.
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
            limits: Limits::default(),
            resyncs_per_update: 64,
            tick_rate: 30,
            callbacks: Callbacks::Run,
            max_events: 100_000,
            #[cfg(feature = "parallel")]
            parallel_from: 16_384,
        }
    }
}

impl ServerConfig {
    /// Returns the packet size for gathered messages.
    pub(super) fn gathered_size(&self) -> usize {
        if self.gather { self.packet_size } else { 0 }
    }

    /// Returns the facts about a channel. A missing channel counts as reliable.
    pub(super) fn channel_info(&self, channel: u8) -> ChannelInfo {
        let kind = self.channels.get(usize::from(channel)).copied();
        let kind = kind.unwrap_or(Channel::Reliable);
        ChannelInfo {
            channel,
            room: self.room(kind),
            lossy: kind == Channel::Unreliable,
        }
    }

    /// Returns the maximum length of a message.
    pub(super) fn room(&self, channel: Channel) -> Room {
        match channel {
            Channel::Reliable => Room::reliable(self.max_message_size),
            Channel::Unreliable => Room::unreliable(self.packet_size),
        }
    }
}
