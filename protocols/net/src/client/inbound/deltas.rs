//! Deltas: all fields of an object are read first, then its hooks run, then the events are reported.

use arrayvec::ArrayVec;

use super::{EarlyKind, Inbound, Reading};
use crate::client::ClientEvent;
use crate::client::arrivals::Pass;
use crate::client::motion::WillShow;
use crate::client::objects::{Fact, Objects, ReceivedFields, References, Replica, is_unresolved};
use crate::{Framing, MessageType};
use syncvar_runtime::events::Events;
use syncvar_runtime::schema::BehaviourClass;
use syncvar_runtime::unstable::object::{
    DeltaMessage, Entry, NewestWins, OwnFields, Pool, Reception, ReceptionMemory, ReceptionReport,
    TranslationMemory,
};
use syncvar_runtime::unstable::packet::Entries;
use syncvar_runtime::unstable::table::Table;
use syncvar_runtime::unstable::translate::resolve::PrefabPlan;
use syncvar_runtime::{Arrival, Callbacks, ChangedFields, HookFailure, NetId, ReadError};

/// Number of objects that are looked up before the first is read.
const BATCH: usize = 128;

/// Reports of the deltas in progress.
struct DeltaReport<'a> {
    events: &'a mut Events<ClientEvent>,
    references: &'a mut References,
    /// Most unresolved references.
    max_references: usize,
    /// `None` with [`Callbacks::Run`].
    received: Option<&'a mut ReceivedFields>,
    objects: &'a Table<Replica>,
    joining: bool,
    /// `None` without ticks.
    will_show: Option<&'a mut WillShow>,
}

impl ReceptionReport for DeltaReport<'_> {
    fn changed(
        &mut self,
        object: NetId,
        behaviour: usize,
        class: &'static BehaviourClass,
        fields: u64,
        tick: Option<u64>,
    ) {
        if self.received.is_some() {
            return self.changed_beside(object, behaviour, class, fields, tick);
        }
        let fields = ChangedFields::new(class, fields).in_tick(tick);
        self.push_changed(object, behaviour, fields);
    }

    fn hook_failed(&mut self, failure: HookFailure) {
        self.events.push(ClientEvent::HookFailed(Box::new(failure)));
    }

    fn will_show(&mut self, object: NetId, behaviour: usize, fields: u64, tick: u32) {
        if let Some(will_show) = &mut self.will_show {
            will_show.add(tick, object, behaviour, fields);
        }
    }

    fn referenced(&mut self, holder: NetId, target: NetId) {
        if is_unresolved(self.objects, self.joining, holder, target) {
            self.references.add(holder, target, self.max_references);
        }
    }
}

impl DeltaReport<'_> {
    #[inline]
    fn push_changed(&mut self, object: NetId, behaviour: usize, fields: ChangedFields) {
        self.events.push(ClientEvent::Changed {
            object,
            behaviour,
            fields,
        });
    }

    /// Reports received fields to the application and to `received`. Apart, so that
    /// [`changed`](ReceptionReport::changed) needs no stack.
    #[inline(never)]
    fn changed_beside(
        &mut self,
        object: NetId,
        behaviour: usize,
        class: &'static BehaviourClass,
        fields: u64,
        tick: Option<u64>,
    ) {
        if let Some(received) = &mut self.received {
            received.add(class.id, object, behaviour, fields);
        }
        let fields = ChangedFields::new(class, fields).in_tick(tick);
        self.push_changed(object, behaviour, fields);
    }
}

/// Deltas of a message, until all are read.
#[derive(Debug)]
pub(crate) struct Deltas<'a> {
    entries: Entries<'a>,
    /// Delta of an object whose earlier hooks must run first.
    pending: Option<(NetId, &'a [u8])>,
    way: Way,
    /// Whether a further update of the tick may change an object once more, before the hooks of the first have run.
    may_repeat: bool,
    /// Error of the borders of the entries.
    pub(crate) result: Result<(), ReadError>,
}

/// Way of a delta to this client.
#[derive(Clone, Copy, Debug)]
struct Way {
    framing: Framing,
    channel: u8,
    /// Condition for deltas on unreliable channels.
    newest: Option<NewestWins>,
}

impl Inbound {
    /// Begins to read an `UpdateBatch` message.
    pub(crate) fn begin_deltas<'a>(
        &mut self,
        channel: u8,
        payload: &'a [u8],
        lent: &mut Reading<'_>,
    ) -> Deltas<'a> {
        let newest = self.newest_rule(lent.is_unreliable(channel));
        let may_repeat = self.packet.gathers_hooks && newest.is_none();
        if may_repeat {
            self.waiting.index();
        }
        let objects = Entries::new(payload).map_while(Result::ok);
        let objects = objects.map(|(object, _)| object.0);
        lent.objects.world.objects.load(objects);
        Deltas {
            entries: Entries::new(payload),
            pending: None,
            way: Way {
                framing: Framing::Compact,
                channel,
                newest,
            },
            may_repeat,
            result: Ok(()),
        }
    }

    /// Applies deltas. Consecutive objects of a pool are read together. Returns whether all are read: otherwise the
    /// waiting hooks must run before the next call.
    #[inline(never)]
    pub(crate) fn read_deltas(&mut self, deltas: &mut Deltas<'_>, lent: &mut Reading<'_>) -> bool {
        let (is_first, way) = (self.packet.pass == Pass::Whole, deltas.way);
        let at_once = self.packet.pass.is_at_once();
        let mut entries = std::mem::replace(&mut deltas.entries, Entries::new(&[]));
        let mut pending = deltas.pending.take();
        let mut run = ArrayVec::<Entry<'_>, BATCH>::new();
        let mut pool = 0;
        loop {
            let (object, delta) = match pending.take() {
                Some(entry) => entry,
                None => match entries.next() {
                    Some(Ok((object, delta))) => {
                        if is_first {
                            lent.context.stats.count_entry(MessageType::UpdateBatch);
                        }
                        if deltas.may_repeat && self.waiting.contains(object) {
                            self.read_entries(way, pool, &run, lent);
                            (deltas.entries, deltas.pending) = (entries, Some((object, delta)));
                            return false;
                        }
                        (object, delta)
                    }
                    Some(Err(error)) => {
                        deltas.result = Err(error);
                        break;
                    }
                    None => break,
                },
            };
            let Some((next, entry)) = self.find(object, delta, way.newest, lent) else {
                match way.newest {
                    None => self.defer_delta(way, object, delta, lent),
                    // The object is poisoned, missing or younger.
                    Some(_) => {
                        lent.ask_again(object);
                    }
                }
                continue;
            };
            if at_once && !applies_at_once(next, &entry, lent.objects) {
                continue;
            }
            if next != pool || run.is_full() {
                self.read_entries(way, pool, &run, lent);
                run.clear();
                pool = next;
            }
            run.push(entry);
        }
        self.read_entries(way, pool, &run, lent);
        true
    }

    /// Applies the delta of an object, now or after its spawn. The waiting hooks run next.
    #[inline]
    pub(crate) fn read_delta(
        &mut self,
        framing: Framing,
        channel: u8,
        object: NetId,
        delta: &[u8],
        lent: &mut Reading<'_>,
    ) {
        let way = Way {
            framing,
            channel,
            newest: None,
        };
        match self.find(object, delta, None, lent) {
            Some((pool, entry)) => self.read_entries(way, pool, &[entry], lent),
            None => self.defer_delta(way, object, delta, lent),
        }
    }

    /// Handles a delta of a missing or poisoned object: asks for a snapshot, or defers it.
    #[cold]
    fn defer_delta(&mut self, way: Way, object: NetId, delta: &[u8], lent: &mut Reading<'_>) {
        if !lent.ask_again(object) {
            let kind = EarlyKind::Delta(way.framing);
            self.early.keep(object, way.channel, kind, delta, lent);
        }
    }

    /// Skips a delta that is too long to be read, and poisons its object.
    #[cold]
    pub(crate) fn skip_delta(
        &mut self,
        object: NetId,
        delta: &[u8],
        error: &ReadError,
        lent: &mut Reading<'_>,
    ) {
        if self.find(object, delta, None, lent).is_some() {
            lent.poison(object, error.clone());
        } else if !lent.ask_again(object) {
            lent.context.stats.unknown_objects += 1;
        }
    }

    /// Returns the condition for deltas in the packet in progress; none on a reliable channel, and without
    /// ticks.
    #[inline]
    fn newest_rule(&self, is_unreliable: bool) -> Option<NewestWins> {
        let tick = self.packet.tick?;
        is_unreliable.then_some(NewestWins {
            early: self.packet.pass.is_early(),
            at_once: self.packet.pass.is_at_once(),
            ..NewestWins::in_tick(tick)
        })
    }

    /// Returns the pool and entry of a delta's object, if the delta can be applied now.
    #[expect(
        clippy::inline_always,
        reason = "inlined to keep `Entry` in registers; a call stalls on store forwarding"
    )]
    #[inline(always)]
    fn find<'a>(
        &self,
        object: NetId,
        delta: &'a [u8],
        newest: Option<NewestWins>,
        lent: &Reading<'_>,
    ) -> Option<(u32, Entry<'a>)> {
        let replica = lent.objects.world.objects.get(object.0)?;
        let announced = replica.is_visible();
        let cannot_read = match newest {
            None => !announced && self.early.queues.contains(object),
            // It may belong to an earlier object with this id.
            Some(newest) => newest.tick <= replica.spawned,
        };
        if replica.is_poisoned() || cannot_read {
            return None;
        }
        let entry = Entry {
            net_id: object,
            row: replica.at.row,
            announced,
            predicted: lent.predictions.behaviours(object, replica),
            own: match (replica.is(Fact::Owned), replica.keeps_own_writes()) {
                _ if !lent.context.config.compare_schemas => OwnFields::None,
                (true, true) => OwnFields::Written,
                (true, false) => OwnFields::Clean,
                (false, _) => OwnFields::None,
            },
            changes: delta,
        };
        Some((replica.at.pool, entry))
    }

    fn read_entries(&mut self, way: Way, pool: u32, entries: &[Entry<'_>], lent: &mut Reading<'_>) {
        let default_interval = lent.session.default_interval(&lent.context.config);
        let objects = &mut *lent.objects;
        let plan = lent.session.plan_of(pool, &objects.world.pools);
        let Some(pool) = objects.world.pools.pool_mut(pool) else {
            return;
        };
        let callbacks = objects.world.callbacks;
        let arrivals = lent.arrivals.as_deref_mut();
        let motion = arrivals.map(|arrivals| arrivals.motion.reception(default_interval));
        let (will_show, view) = motion.unzip();
        let mut report = DeltaReport {
            events: &mut lent.context.events,
            references: &mut objects.references,
            max_references: lent.context.config.max_pending_references,
            objects: &objects.world.objects,
            received: (callbacks == Callbacks::Events).then_some(&mut objects.received),
            joining: lent.session.is_joining(),
            will_show,
        };
        let mut unfit = Vec::new();
        let mut reception = Reception {
            message: DeltaMessage {
                encoding: way.framing.encoding(),
                channel: way.channel,
                tick: self.packet.network_tick,
                wire_tick: Some(self.packet.tick.unwrap_or_default()),
                view: view.flatten(),
                newest: way.newest,
            },
            memory: ReceptionMemory {
                kept: &mut self.memory.kept,
                masks: &mut self.memory.masks,
                targets: &mut self.memory.targets,
                failed: &mut self.memory.failed,
                hooked: &mut lent.writes.from_hooks,
                deferred_hooks: &mut self.waiting.list,
            },
            budget: self.budget,
            report: &mut report,
            hooks: lent.session.hook_time(callbacks, self.packet.gathers_hooks),
        };
        match plan {
            None => pool.read_changes(entries, &mut reception),
            Some(plan) => {
                let memory = &mut self.memory.translation;
                read_translated(entries, pool, plan, memory, &mut reception, &mut unfit);
            }
        }
        self.budget = reception.budget;
        for (object, mut fields) in unfit {
            lent.report_unfit(object, &mut fields);
        }
        self.finish_entries(lent);
    }

    /// Takes the writes of hooks, and poisons unreadable objects.
    #[inline]
    fn finish_entries(&mut self, lent: &mut Reading<'_>) {
        if !lent.writes.from_hooks.is_empty() {
            let may_write = lent.session.is_connected() && lent.context.config.compare_schemas;
            lent.writes.take_hook_writes(lent.objects, may_write);
        }
        if !self.memory.failed.is_empty() {
            for (object, error) in std::mem::take(&mut self.memory.failed) {
                lent.poison(object, error);
            }
        }
    }
}

/// Reads deltas of a server of a different build. Collects the fields whose values do not fit.
#[cold]
fn read_translated(
    entries: &[Entry<'_>],
    pool: &mut dyn Pool,
    plan: &PrefabPlan,
    memory: &mut TranslationMemory,
    reception: &mut Reception<'_>,
    unfit: &mut Vec<(NetId, Vec<(usize, u64)>)>,
) {
    for entry in entries {
        if let Some(slots) = pool.slots_mut(entry.row) {
            reception.read_translated(entry, slots, plan, memory);
        }
        if !memory.unfit.is_empty() {
            unfit.push((entry.net_id, std::mem::take(&mut memory.unfit)));
        }
    }
}

/// Returns whether an object has a behaviour that does not wait for the rest of the tick. A predicted
/// object waits: its prediction is compared with the state of a tick.
fn applies_at_once(pool: u32, entry: &Entry<'_>, objects: &Objects) -> bool {
    let world = &objects.world;
    let prefab = world.prefabs.get(world.pools.prefab(pool));
    entry.predicted == 0 && prefab.is_some_and(|prefab| prefab.facts.arrival == Arrival::AtOnce)
}
