//! `Inbound`: messages of the server, read into the objects.
//!
//! A message changes the objects first and runs callbacks afterwards, and a callback borrows the whole client. So
//! a method of this part reads as far as no callback is due, and returns what the conductor has to run: hooks, the
//! announcement of an object, a call. [`Reading`] lends the lower parts meanwhile.

mod calls;
mod deltas;
mod early;
mod effect;
mod gone;
mod owner_state;
mod snapshot;
mod snapshots;

pub(super) use calls::ReceivedCall;
pub(super) use deltas::Deltas;
pub(super) use early::{EarlyKind, EarlyMessages};
pub(super) use effect::Effect;
use owner_state::OwnerState;
pub(crate) use snapshot::ReceivedSnapshot;

use std::collections::VecDeque;

use bytes::Bytes;
use rustc_hash::FxHashSet;
use syncvar_runtime::limits::{ReadBudget, WorkMeter};
use syncvar_runtime::unstable::object::{
    DeferredHooks, FieldMasks, KeptFields, MAX_BEHAVIOURS, TranslationMemory,
};
use syncvar_runtime::unstable::ordered::Ids;
use syncvar_runtime::{
    Arrival, ChangedFields, Channel, NetId, NetworkReader, Prefabs, ReadError, ReadErrorKind,
};

use super::ClientEvent;
use super::arrivals::{Arrivals, Pass, ReceivedPacket};
use super::context::Context;
use super::motion::record;
use super::objects::Objects;
use super::outbound::Outbound;
use super::prediction::Predictions;
use super::session::Session;
use super::writes::{FieldsByBehaviour, PendingWrites};
use crate::message::Resync;

/// Parts below `inbound` that reading a message touches.
pub(super) struct Reading<'a> {
    pub(super) context: &'a mut Context,
    pub(super) objects: &'a mut Objects,
    /// `None` without headers.
    pub(super) arrivals: Option<&'a mut Arrivals>,
    pub(super) outbound: &'a mut Outbound,
    pub(super) session: &'a mut Session,
    pub(super) writes: &'a mut PendingWrites,
    pub(super) predictions: &'a Predictions,
}

impl Reading<'_> {
    /// Poisons an unreadable object and asks for its snapshot. If the unreadable message was that
    /// snapshot, the next update of the object asks again.
    pub(super) fn poison(&mut self, object: NetId, error: ReadError) {
        let Some(replica) = self.objects.world.objects.get_mut(object.0) else {
            return;
        };
        let ask = replica.poison();
        self.context.stats.refused.count_read(error.kind());
        tracing::warn!(%object, %error, "unreadable object");
        let event = ClientEvent::Poisoned { object, error };
        self.context.events.push(event);
        if ask {
            self.request_snapshot(object);
        }
    }

    /// Asks again for the snapshot of a poisoned object, after an unreadable answer. Returns whether the object is
    /// poisoned.
    #[cold]
    fn ask_again(&mut self, object: NetId) -> bool {
        let replica = self.objects.world.objects.get_mut(object.0);
        let Some(replica) = replica.filter(|replica| replica.is_poisoned()) else {
            return false;
        };
        if replica.ask_again() {
            self.request_snapshot(object);
        }
        true
    }

    fn request_snapshot(&mut self, object: NetId) {
        if self.session.is_heard() {
            let message = Resync { net_id: object };
            self.outbound.send(&message, &mut self.context.stats);
        }
    }

    /// Records the references of some fields of an object.
    fn add_references(&mut self, object: NetId, targets: &mut Vec<NetId>) {
        let limit = self.context.config.max_pending_references;
        let joining = self.session.is_joining();
        self.objects.add_references(object, targets, joining, limit);
    }

    /// Sets whether this client owns an object. Returns whether the change is reported now: for a visible object, and
    /// outside of a burst.
    fn set_owned(&mut self, object: NetId, owned: bool) -> bool {
        let Some(replica) = self.objects.world.objects.get_mut(object.0) else {
            return false;
        };
        let is_reported = replica.set_owned(owned) && replica.is_visible();
        if let Some(lossy) = self.outbound.lossy.as_mut().filter(|_| !owned) {
            lossy.forget(object);
        }
        if let Some(apart) = self.writes.apart.get_mut(object).filter(|_| !owned) {
            apart.sent = FieldsByBehaviour::default();
        }
        is_reported && !self.session.is_joining()
    }

    /// Reports the fields of an object whose values of a different build did not fit.
    #[inline]
    fn report_unfit(&mut self, object: NetId, unfit: &mut Vec<(usize, u64)>) {
        if !unfit.is_empty() {
            self.report_each_unfit(object, unfit);
        }
    }

    #[cold]
    fn report_each_unfit(&mut self, object: NetId, unfit: &mut Vec<(usize, u64)>) {
        let slots = self.objects.world.slots(object);
        for (behaviour, fields) in unfit.drain(..) {
            let slot = slots.and_then(|slots| slots.slot(behaviour));
            if let Some(slot) = slot {
                let fields = ChangedFields::new(slot.info().class, fields);
                tracing::warn!(%object, ?fields, "values of the server do not fit the types of this build");
                self.context.events.push(ClientEvent::Unfit {
                    object,
                    behaviour,
                    fields,
                });
            }
        }
    }

    /// Returns whether packets of a channel may be lost.
    fn is_unreliable(&self, channel: u8) -> bool {
        let kind = self.context.config.channels.get(usize::from(channel));
        kind == Some(&Channel::Unreliable)
    }

    /// Makes the state of an object that a snapshot has brought a sample of its interpolated fields. In a burst, the
    /// earlier samples may be those of the last connection.
    fn record_snapshot(&mut self, object: NetId, tick: Option<u32>) {
        let default = self.session.default_interval(&self.context.config);
        let (tick, anew) = (tick.unwrap_or_default(), self.session.is_joining());
        let Some(slots) = self.objects.world.slots_mut(object) else {
            return;
        };
        let interval = record(slots, tick, anew, default);
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.motion.clock.see_interval(interval);
        }
    }
}

/// Facts of the packet whose messages are handled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PacketContext {
    /// Tick of the header; `None` without headers.
    pub(super) tick: Option<u32>,
    /// The same tick in the ticks of the network time, for reports.
    pub(super) network_tick: Option<u64>,
    pub(super) pass: Pass,
    /// Whether hooks wait for the rest of the tick.
    pub(super) gathers_hooks: bool,
}

/// Packet that arrived while an object was checked out.
#[derive(Debug)]
pub(super) struct DeferredPacket {
    pub(super) carrier: Channel,
    pub(super) channel: u8,
    pub(super) bytes: Bytes,
}

/// Memory of the read in progress. The lists are empty between messages.
#[derive(Debug)]
pub(super) struct ReadMemory {
    /// Received fields of the object in progress.
    pub(super) masks: FieldMasks,
    /// Values of fields that survive an older state.
    pub(super) kept: KeptFields,
    /// Unreadable objects.
    pub(super) failed: Vec<(NetId, ReadError)>,
    /// Targets of the references in the object in progress.
    pub(super) targets: Vec<NetId>,
    /// Memory for the state of a server of a different build.
    pub(super) translation: TranslationMemory,
}

/// Decoding state of the message in progress, and what waits for later messages.
#[derive(Debug)]
pub(super) struct Inbound {
    /// Messages that arrived before their objects.
    pub(super) early: EarlyMessages,
    /// Packets that arrived while an object was checked out, oldest first.
    pub(super) deferred: VecDeque<DeferredPacket>,
    /// Registry positions of the prefabs, by their position in the order of names.
    pub(super) prefab_ranks: Vec<u32>,
    pub(super) packet: PacketContext,
    /// Whether a prefab has a behaviour that does not wait for the rest of a tick.
    pub(super) has_ungathered: bool,
    /// Work since the last update.
    pub(super) work: WorkMeter,
    /// Memory and work left for the packet in progress.
    pub(super) budget: ReadBudget,
    pub(super) memory: ReadMemory,
    /// Hooks with a context, of the objects that are read, and hooks that wait for the rest of the tick.
    pub(super) waiting: WaitingHooks,
    /// Child and parent of the message before this one. In the `Unet` framing it belongs to the child's
    /// snapshot.
    pub(super) announced_parent: Option<(NetId, NetId)>,
    /// Visible objects with a new parent since the begin of the current burst.
    pub(super) reparented: Ids<NetId>,
}

/// Hooks of values that were read, in the order of the reads.
#[derive(Debug, Default)]
pub(super) struct WaitingHooks {
    pub(super) list: Vec<DeferredHooks>,
    /// Objects of the first hooks of the list, and the number of these hooks.
    objects: FxHashSet<NetId>,
    known: usize,
}

impl WaitingHooks {
    /// Looks up the objects of all hooks for [`contains`](Self::contains). Each hook is looked at once.
    pub(super) fn index(&mut self) {
        let new = self.list.get(self.known..).unwrap_or_default();
        self.objects.extend(new.iter().map(|hooks| hooks.object));
        self.known = self.list.len();
    }

    /// Returns whether a hook at the last [`index`](Self::index) belongs to an object.
    pub(super) fn contains(&self, object: NetId) -> bool {
        self.known > 0 && self.objects.contains(&object)
    }

    /// Takes all hooks.
    pub(super) fn take(&mut self) -> Vec<DeferredHooks> {
        if std::mem::take(&mut self.known) > 0 {
            self.objects.clear();
        }
        std::mem::take(&mut self.list)
    }

    /// Takes the memory of an empty list back, unless hooks wait again.
    pub(super) fn give_back(&mut self, memory: Vec<DeferredHooks>) {
        if self.list.is_empty() {
            self.list = memory;
        }
    }
}

impl Inbound {
    pub(super) fn new(prefabs: &Prefabs) -> Self {
        Self {
            early: EarlyMessages::default(),
            deferred: VecDeque::new(),
            prefab_ranks: prefabs.by_rank().map(|prefab| prefab.index).collect(),
            packet: PacketContext::default(),
            has_ungathered: prefabs
                .by_rank()
                .any(|prefab| prefab.facts.arrival == Arrival::AtOnce),
            work: WorkMeter::default(),
            budget: ReadBudget::UNLIMITED,
            memory: ReadMemory {
                masks: [0; MAX_BEHAVIOURS],
                kept: KeptFields::default(),
                failed: Vec::new(),
                targets: Vec::new(),
                translation: TranslationMemory::default(),
            },
            waiting: WaitingHooks::default(),
            announced_parent: None,
            reparented: Ids::default(),
        }
    }

    /// Replaces the prefabs.
    pub(super) fn set_prefabs(&mut self, prefabs: &Prefabs) {
        let Self {
            prefab_ranks,
            has_ungathered,
            ..
        } = Self::new(prefabs);
        (self.prefab_ranks, self.has_ungathered) = (prefab_ranks, has_ungathered);
    }

    /// Begins a packet of a tick, whose hooks do not wait.
    pub(super) fn begin_packet(
        &mut self,
        packet: &ReceivedPacket<'_>,
        pass: Pass,
        session: &Session,
    ) {
        self.packet = PacketContext {
            tick: Some(packet.tick),
            network_tick: session.network_tick(packet.tick),
            pass,
            gathers_hooks: false,
        };
    }

    /// Returns the tick of the packet in progress; 0 without headers.
    pub(super) fn tick(&self) -> u32 {
        self.packet.tick.unwrap_or_default()
    }

    /// Charges the packet in progress with work, in bytes.
    pub(super) fn charge(&mut self, needed: usize, payload: &[u8]) -> Result<(), ReadError> {
        let left = self.budget.work;
        self.budget.work = left.checked_sub(needed).ok_or_else(|| {
            let kind = ReadErrorKind::TooMuchWork { needed, left };
            NetworkReader::new(payload).error(kind)
        })?;
        Ok(())
    }

    /// Forgets state that spans messages, for a new stream of packets.
    pub(super) fn reset(&mut self) {
        self.deferred.clear();
        self.packet = PacketContext::default();
        self.announced_parent = None;
        self.reparented = Ids::default();
    }
}
