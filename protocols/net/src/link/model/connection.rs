//! The state of the server for one client.

use std::collections::{BTreeMap, BTreeSet};

use syncvar_testing::loss::Traffic;

use super::Mask;
use super::packet::{Message, StreamPacket};
use crate::link::receiver::Receiver;
use crate::link::round_trip::RoundTrip;
use crate::link::sender::Sender;
use crate::link::settings::LossSettings;

/// Own entry of a packet: an object and its repaired fields.
pub(super) type OwnRepair = (u32, Mask);

/// Fields of an object with a tick.
pub(super) type TickedFields = (u32, Mask, u32);

pub(super) struct ModelConnection {
    pub(super) link: Sender<OwnRepair>,
    pub(super) receiver: Receiver,
    /// Objects that the client is to see.
    pub(super) wanted: BTreeSet<u32>,
    /// Objects that it has once the stream has caught up, with their classes.
    pub(super) view: BTreeMap<u32, u32>,
    /// Fields in a snapshot, while older packets are undecided.
    pub(super) shown: Vec<TickedFields>,
    /// Fields that the client is owed, unless they have changed after the tick.
    pub(super) backlog: BTreeMap<u32, (Mask, u32)>,
    /// Reliable packet with the last large value of an object.
    pub(super) large: BTreeMap<u32, u64>,
    pub(super) is_stream_only: bool,
    pub(super) call: Option<u32>,
    pub(super) messages: Vec<Message>,
    pub(super) traffic: Traffic,
    /// For P3: the contents of packets, with the ticks up to which they count.
    pub(super) contents: BTreeMap<u64, Vec<TickedFields>>,
    /// For P3: ticks of the fields in the last reliable packets.
    pub(super) sent_reliably: BTreeMap<(u32, usize), u32>,
}

impl ModelConnection {
    pub(super) fn new(settings: LossSettings, is_stream_only: bool) -> Self {
        let mut link = Sender::new(settings, RoundTrip::new(settings.tick_interval));
        if !is_stream_only {
            link.detach(std::time::Duration::ZERO, 0, &mut Vec::new());
        }
        Self {
            link,
            receiver: Receiver::new(settings.ack_interval),
            wanted: BTreeSet::new(),
            view: BTreeMap::new(),
            shown: Vec::new(),
            backlog: BTreeMap::new(),
            large: BTreeMap::new(),
            is_stream_only,
            call: None,
            messages: Vec::new(),
            traffic: Traffic::default(),
            contents: BTreeMap::new(),
            sent_reliably: BTreeMap::new(),
        }
    }

    /// Forgets an object that the client must not see any more.
    pub(super) fn forget(&mut self, object: u32) {
        self.view.remove(&object);
        self.backlog.remove(&object);
        self.shown.retain(|shown| shown.0 != object);
        self.large.remove(&object);
        self.sent_reliably.retain(|key, _| key.0 != object);
        for content in self.contents.values_mut() {
            content.retain(|fields| fields.0 != object);
        }
        self.messages.push(Message::Gone(object));
    }

    /// Takes the messages of an update as a packet on the stream, if there are messages.
    pub(super) fn take_stream_packet(
        &mut self,
        tick: u32,
        datagrams: u8,
        partial: bool,
    ) -> Option<StreamPacket> {
        if self.messages.is_empty() {
            return None;
        }
        self.link.count_reliable();
        Some(StreamPacket {
            tick,
            datagrams,
            partial,
            messages: std::mem::take(&mut self.messages),
        })
    }

    /// Returns whether the client is known to have a field as of a tick, or it is under way.
    pub(super) fn has_or_awaits(&self, object: u32, field: usize, changed: u32) -> bool {
        let reliably = self.sent_reliably.get(&(object, field));
        let mut contents = self.contents.iter().filter(|(sequence, _)| {
            self.link.is_flying(**sequence) || self.link.is_acked(**sequence)
        });
        reliably.is_some_and(|tick| *tick >= changed)
            || contents.any(|(_, content)| {
                content.iter().any(|(number, mask, tick)| {
                    *number == object && mask >> field & 1 == 1 && *tick >= changed
                })
            })
    }
}
