//! The settings of a client.

use std::time::Duration;

#[cfg(doc)]
use super::{ClientEvent, NetworkClient};
use crate::wire::DEFAULT_MAX_ELEMENTS;
use crate::{Channel, Framing};

/// How a client behaves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientConfig {
    /// Whether to prove, before anything else, that both sides know the same prefabs and fields;
    /// the same as the server's setting.
    pub compare_schemas: bool,
    /// Whose bytes to ask the server for: it sends those if it speaks them itself, and
    /// [`Framing::Unet`] if not, or if schemas are not compared.
    pub framing: Framing,
    /// What each channel promises, as the server's setting says: a command on one that is unreliable
    /// has to fit a packet.
    pub channels: Vec<Channel>,
    /// The largest packet, in bytes, that messages to the server are gathered into.
    pub packet_size: usize,
    /// The longest payload of one message, in bytes, that the server can make this client read; 16 MiB
    /// unless set, and at least 65 535 ([`MAX_BYTES`](crate::MAX_BYTES)). An object about which a longer
    /// one is becomes [`ClientEvent::Poisoned`] and keeps what it has, if it has anything yet.
    pub max_message_size: usize,
    /// Whether to ask for the objects as soon as the connection stands; otherwise
    /// [`NetworkClient::ready`] does.
    pub auto_ready: bool,
    /// The most objects that the server can make this client hold.
    pub max_objects: usize,
    /// The most elements that a sequence or a collection in a field can have, 1 048 576 unless set; more
    /// are an error of the object. Sequences of bytes are as long as a message can be.
    pub max_elements: usize,
    /// The most events that are kept for [`NetworkClient::poll_event`], besides one for each object
    /// of a burst; the oldest go first. A program that lives by hooks alone may leave them there.
    pub max_events: usize,
    /// How long messages are held whose object is not there yet; 3 s unless set. What is sent on one
    /// channel may overtake what is sent on another: a change on an unreliable channel may be there
    /// before the full state that it builds on, by as long as a reliable channel takes to make a loss
    /// good. 3 s are enough for that twice over on a slow link.
    ///
    /// When the time is over, all that is held for that object is dropped
    /// ([`ClientEvent::HeldDropped`]). It is measured by [`NetworkClient::update`], from the first one
    /// since the first of the messages came, and stands still during a burst of objects. A client that
    /// is never updated is bounded by number and size alone.
    pub hold_time: Duration,
    /// How many messages are held at most, for all objects together; 1024 unless set, and 0 for none.
    /// When there are more, what has been held the longest goes, with all that is held for the same
    /// object.
    pub max_held: usize,
    /// How many bytes the held messages have at most, all together; 1 MiB unless set. As with
    /// [`max_held`](Self::max_held), the oldest go when there are more.
    pub max_held_bytes: usize,
    /// How many references to objects that are not there are remembered, for
    /// [`ClientEvent::ReferenceResolved`]; 100 000 unless set. Of those beyond that, nothing is told.
    pub max_waiting_references: usize,
    /// How often the server is asked for its time, for [`NetworkClient::network_time`]; every 2 s
    /// unless set, in the beginning five times within a second, and never if it is zero. It begins with
    /// the first [`NetworkClient::update`] after [`ClientEvent::Ready`].
    ///
    /// Question and answer take at most 11 and 22 bytes in the first 12 days of both sides' own times,
    /// 10 and 17 as a rule. A server that does not compare schemas is not asked.
    pub ping_interval: Duration,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            compare_schemas: true,
            framing: Framing::Compact,
            channels: vec![Channel::Reliable, Channel::Unreliable],
            packet_size: 1340,
            max_message_size: 16 * 1024 * 1024,
            auto_ready: true,
            max_objects: 1_000_000,
            max_elements: DEFAULT_MAX_ELEMENTS,
            max_events: 100_000,
            hold_time: Duration::from_secs(3),
            max_held: 1024,
            max_held_bytes: 1024 * 1024,
            max_waiting_references: 100_000,
            ping_interval: Duration::from_secs(2),
        }
    }
}
