//! `Inbound`: decoding state of the message in progress.

use rustc_hash::FxHashSet;
use syncvar_runtime::limits::{ReadBudget, WorkMeter};
use syncvar_runtime::object::{DeferredHooks, FieldMasks, KeptFields, MAX_BEHAVIOURS};
use syncvar_runtime::ordered::Ids;
use syncvar_runtime::{Arrival, NetId, Prefabs, ReadError};

/// Facts of the packet whose messages are handled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PacketContext {
    /// Tick of the header; `None` without headers.
    pub(super) tick: Option<u32>,
    /// The same tick in the ticks of the network time, for reports.
    pub(super) network_tick: Option<u64>,
    pub(super) pass: Pass,
    /// Whether hooks wait for the other packets of the tick.
    pub(super) gathers_hooks: bool,
}

/// Messages of a packet that are handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pass {
    #[default]
    Whole,
    /// Deltas of behaviours that do not wait for the other packets of the tick. The packet is applied whole later.
    AtOnce {
        /// Whether packets of the stream that precede the datagram are missing.
        early: bool,
    },
    /// Deltas alone.
    State {
        /// Whether packets of the stream that precede the datagram are missing.
        early: bool,
    },
}

impl Pass {
    /// Returns whether packets of the stream that precede the packet are missing.
    pub(super) fn is_early(self) -> bool {
        matches!(
            self,
            Self::State { early: true } | Self::AtOnce { early: true }
        )
    }

    /// Returns whether the packet is applied whole later.
    pub(super) fn is_at_once(self) -> bool {
        matches!(self, Self::AtOnce { .. })
    }
}

/// Decoding state of the message in progress. Its lists are empty between messages.
#[derive(Debug)]
pub(super) struct Inbound {
    /// Registry positions of the prefabs, by their position in the order of names.
    pub(super) prefab_ranks: Vec<u32>,
    pub(super) packet: PacketContext,
    /// Whether a prefab has a behaviour that does not wait for the other packets of a tick.
    pub(super) has_ungathered: bool,
    /// Work since the last update.
    pub(super) work: WorkMeter,
    /// Memory and work left for the packet in progress.
    pub(super) budget: ReadBudget,
    /// Received fields of the object in progress.
    pub(super) masks: FieldMasks,
    /// Values of fields that survive an older state.
    pub(super) kept: KeptFields,
    /// Hooks with a context, of the objects that are read, and those that wait for the other packets of the tick.
    pub(super) waiting: WaitingHooks,
    /// Unreadable objects.
    pub(super) failed: Vec<(NetId, ReadError)>,
    /// Targets of the references in the object in progress.
    pub(super) targets: Vec<NetId>,
    /// Holders and targets of references to objects that have not arrived.
    pub(super) unresolved: Vec<(NetId, NetId)>,
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

    /// Returns whether one of the hooks at the last [`index`](Self::index) belongs to an object.
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
            prefab_ranks: prefabs.by_rank().map(|prefab| prefab.index).collect(),
            packet: PacketContext::default(),
            has_ungathered: prefabs
                .by_rank()
                .any(|prefab| prefab.facts.arrival == Arrival::AtOnce),
            work: WorkMeter::default(),
            budget: ReadBudget::UNLIMITED,
            masks: [0; MAX_BEHAVIOURS],
            kept: KeptFields::default(),
            waiting: WaitingHooks::default(),
            failed: Vec::new(),
            targets: Vec::new(),
            unresolved: Vec::new(),
            announced_parent: None,
            reparented: Ids::default(),
        }
    }

    /// Forgets state that spans messages, for a new connection.
    pub(super) fn reset(&mut self) {
        self.packet = PacketContext::default();
        self.announced_parent = None;
        self.reparented = Ids::default();
    }
}
