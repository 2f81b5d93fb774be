//! Deltas: all fields of an object are read first, then its hooks run, then the events are reported.

use arrayvec::ArrayVec;

use super::inbound::Pass;
use super::motion::WillShow;
use super::objects::Received;
use super::objects::is_unresolved;
use super::objects::{Fact, Replica};
use super::{ClientEvent, NetworkClient};
use crate::{Framing, MessageType};
use syncvar_runtime::events::Events;
use syncvar_runtime::object::{
    DeltaMessage, Entry, HookTime, NewestWins, OwnFields, Reception, ReceptionMemory,
    ReceptionReport,
};
use syncvar_runtime::packet::Entries;
use syncvar_runtime::schema::BehaviourClass;
use syncvar_runtime::table::Table;
use syncvar_runtime::{
    Arrival, Callbacks, ChangedFields, Channel, HookFailure, NetId, NetworkReader, ReadError,
};

/// Number of objects that are looked up before the first of them is read.
const BATCH: usize = 128;

/// Events and unresolved references of the deltas in progress.
struct Report<'a> {
    events: &'a mut Events<ClientEvent>,
    unresolved: &'a mut Vec<(NetId, NetId)>,
    /// `None` with [`Callbacks::Run`].
    received: Option<&'a mut Received>,
    objects: &'a Table<Replica>,
    joining: bool,
    /// `None` without ticks.
    will_show: Option<&'a mut WillShow>,
}

impl ReceptionReport for Report<'_> {
    fn changed(
        &mut self,
        object: NetId,
        behaviour: usize,
        class: &'static BehaviourClass,
        fields: u64,
        tick: Option<u64>,
    ) {
        if self.received.is_some() {
            return self.changed_beside(object, (behaviour, class), fields, tick);
        }
        let fields = ChangedFields::new(class, fields).in_tick(tick);
        self.push_changed(object, behaviour, fields);
    }

    fn hook_failed(&mut self, failure: HookFailure) {
        self.events.push(ClientEvent::HookFailed(Box::new(failure)));
    }

    fn will_show(&mut self, object: NetId, behaviour: usize, fields: u64, tick: u32) {
        if let Some(will_show) = &mut self.will_show {
            will_show.add((tick, object, behaviour), fields);
        }
    }

    fn referenced(&mut self, holder: NetId, target: NetId) {
        if is_unresolved(self.objects, self.joining, (holder, target)) {
            self.unresolved.push((holder, target));
        }
    }
}

impl Report<'_> {
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
        (behaviour, class): (usize, &'static BehaviourClass),
        fields: u64,
        tick: Option<u64>,
    ) {
        if let Some(received) = &mut self.received {
            received.add(class.schema.name, object, behaviour, fields);
        }
        let fields = ChangedFields::new(class, fields).in_tick(tick);
        self.push_changed(object, behaviour, fields);
    }
}

impl NetworkClient {
    /// Applies an `UpdateVars` message.
    pub(super) fn handle_update(&mut self, channel: u8, payload: &[u8]) -> Result<(), ReadError> {
        let mut reader = NetworkReader::new(payload);
        let object = NetId(reader.read_packed_u32()?);
        let delta = reader.read_bytes(reader.remaining())?;
        self.apply_delta(Framing::Unet, channel, object, delta);
        Ok(())
    }

    /// Applies the delta of one object, now or after its spawn.
    #[inline]
    pub(super) fn apply_delta(
        &mut self,
        framing: Framing,
        channel: u8,
        object: NetId,
        delta: &[u8],
    ) {
        match self.find(object, delta, None) {
            Some((pool, entry)) => {
                self.read_entries((framing, channel, None), pool, &[entry]);
                self.run_deferred_hooks();
            }
            None => self.defer_update(framing, channel, object, delta),
        }
    }

    /// Applies an `UpdateBatch` message. Consecutive objects of one pool are read together.
    #[inline(never)]
    pub(super) fn handle_updates(&mut self, channel: u8, payload: &[u8]) -> Result<(), ReadError> {
        let is_first = self.inbound.packet.pass == Pass::Whole;
        let at_once = self.inbound.packet.pass.is_at_once();
        let newest = self.newest_rule(channel);
        let place = (Framing::Compact, channel, newest);
        // Another update of the tick may change an object once more, before the hooks of the first have run.
        let session = self.session.number;
        let may_repeat = self.inbound.packet.gathers_hooks && newest.is_none();
        if may_repeat {
            self.inbound.waiting.index();
        }
        let mut run = ArrayVec::<Entry<'_>, BATCH>::new();
        let mut pool = 0;
        let mut result = Ok(());
        let objects = Entries::new(payload).map_while(Result::ok);
        self.objects
            .world
            .objects
            .load(objects.map(|(object, _)| object.0));
        for entry in Entries::new(payload) {
            let (object, delta) = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            };
            if is_first {
                self.context.stats.count_entry(MessageType::UpdateBatch);
            }
            if may_repeat && self.inbound.waiting.contains(object) {
                self.read_entries(place, pool, &run);
                run.clear();
                self.run_deferred_hooks();
                if self.session.number != session {
                    return Ok(());
                }
            }
            let Some((next, entry)) = self.find(object, delta, newest) else {
                match newest {
                    None => self.defer_update(Framing::Compact, channel, object, delta),
                    Some(_) => self.pass_over(object),
                }
                continue;
            };
            if at_once && !self.applies_at_once(next, &entry) {
                continue;
            }
            if next != pool || run.is_full() {
                self.read_entries(place, pool, &run);
                run.clear();
                pool = next;
            }
            run.push(entry);
        }
        self.read_entries(place, pool, &run);
        if !self.inbound.packet.gathers_hooks {
            self.run_deferred_hooks();
        }
        result
    }

    /// Returns the condition for deltas in the packet in progress; none on a reliable channel, and without
    /// ticks.
    #[inline]
    fn newest_rule(&self, channel: u8) -> Option<NewestWins> {
        let tick = self.inbound.packet.tick?;
        let kind = self.context.config.channels.get(usize::from(channel));
        (kind == Some(&Channel::Unreliable)).then_some(NewestWins {
            early: self.inbound.packet.pass.is_early(),
            at_once: self.inbound.packet.pass.is_at_once(),
            ..NewestWins::in_tick(tick)
        })
    }

    /// Returns the pool and entry of a delta's object, if the delta can be applied now.
    #[expect(
        clippy::inline_always,
        reason = "inlined to keep `Entry` in registers; a call stalls on store forwarding"
    )]
    #[inline(always)]
    pub(super) fn find<'a>(
        &self,
        object: NetId,
        delta: &'a [u8],
        newest: Option<NewestWins>,
    ) -> Option<(u32, Entry<'a>)> {
        let replica = self.objects.world.objects.get(object.0)?;
        let announced = replica.is_visible();
        let cannot_read = match newest {
            None => !announced && self.early.contains(object),
            // It may belong to a former object with this id.
            Some(newest) => newest.tick <= replica.spawned,
        };
        if replica.is_poisoned() || cannot_read {
            return None;
        }
        let entry = Entry {
            net_id: object,
            row: replica.at.row,
            announced,
            predicted: self.predicted_behaviours(object, replica),
            own: match (replica.is(Fact::Owned), replica.keeps_own_writes()) {
                _ if !self.context.config.compare_schemas => OwnFields::None,
                (true, true) => OwnFields::Written,
                (true, false) => OwnFields::Clean,
                (false, _) => OwnFields::None,
            },
            changes: delta,
        };
        Some((replica.at.pool, entry))
    }

    /// Returns whether an object has a behaviour that does not wait for the other packets of the tick. A predicted
    /// object waits: its prediction is compared with the state of a tick.
    fn applies_at_once(&self, pool: u32, entry: &Entry<'_>) -> bool {
        let world = &self.objects.world;
        let prefab = world.prefabs.get(world.pools.prefab(pool));
        entry.predicted == 0 && prefab.is_some_and(|prefab| prefab.facts.arrival == Arrival::AtOnce)
    }

    fn read_entries(
        &mut self,
        (framing, channel, newest): (Framing, u8, Option<NewestWins>),
        pool: u32,
        entries: &[Entry<'_>],
    ) {
        let default_interval = self.default_interval();
        let Some(pool) = self.objects.world.pools.pool_mut(pool) else {
            return;
        };
        let runs_hooks = self.objects.world.callbacks == Callbacks::Run;
        let motion = self.arrivals.as_mut().map(|arrivals| &mut arrivals.motion);
        let (will_show, view) = motion
            .map(|motion| motion.reception(default_interval))
            .unzip();
        let mut report = Report {
            events: &mut self.context.events,
            unresolved: &mut self.inbound.unresolved,
            objects: &self.objects.world.objects,
            received: (!runs_hooks).then_some(&mut self.objects.received),
            joining: self.session.joining,
            will_show,
        };
        let mut reception = Reception {
            message: DeltaMessage {
                encoding: framing.encoding(),
                channel,
                tick: self.inbound.packet.network_tick,
                wire_tick: Some(self.inbound.packet.tick.unwrap_or_default()),
                view: view.flatten(),
                newest,
            },
            memory: ReceptionMemory {
                kept: &mut self.inbound.kept,
                masks: &mut self.inbound.masks,
                targets: &mut self.inbound.targets,
                failed: &mut self.inbound.failed,
                hooked: &mut self.writes.from_hooks,
                deferred_hooks: &mut self.inbound.waiting.list,
            },
            budget: self.inbound.budget,
            report: &mut report,
            hooks: match (runs_hooks, self.inbound.packet.gathers_hooks) {
                (false, _) => HookTime::Never,
                (true, false) => HookTime::AfterDelta,
                (true, true) => HookTime::AfterStep,
            },
        };
        pool.read_changes(entries, &mut reception);
        self.inbound.budget = reception.budget;
        self.record_unresolved();
        if !self.writes.from_hooks.is_empty() {
            self.take_hook_writes();
        }
        if !self.inbound.failed.is_empty() {
            for (object, error) in std::mem::take(&mut self.inbound.failed) {
                self.poison(object, error);
            }
        }
    }

    /// Poisons an unreadable object and asks for its snapshot. If the unreadable message was that
    /// snapshot, the next update of the object asks again.
    pub(super) fn poison(&mut self, object: NetId, error: ReadError) {
        let Some(replica) = self.objects.world.objects.get_mut(object.0) else {
            return;
        };
        let ask = replica.poison();
        self.context.stats.refused.count_read(error.kind());
        tracing::warn!(%object, %error, "unreadable object");
        self.context
            .events
            .push(ClientEvent::Poisoned { object, error });
        if ask {
            self.request_snapshot(object);
        }
    }

    /// Asks again for the snapshot of a poisoned object, after an unreadable answer.
    pub(super) fn ask_again(&mut self, object: NetId) {
        let replica = self.objects.world.objects.get_mut(object.0);
        if replica.is_some_and(Replica::ask_again) {
            self.request_snapshot(object);
        }
    }
}
