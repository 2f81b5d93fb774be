//! `Predicted`: one behaviour ahead of the server's state, with its past.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;

use syncvar_runtime::behaviour::{Panicked, contain};
use syncvar_runtime::motion::Moment;
use syncvar_runtime::unstable::object::{Slot, Tracks};
use syncvar_runtime::{
    Assign as _, BehaviourClass, BehaviourFields as _, NetworkBehaviour, NetworkContext,
    NetworkWriter,
};

/// Most ticks of the past that are kept.
const MAX_PAST: usize = 128;

/// Ticks of the past before a compared tick, for the rest of its group.
const COMPARED_PAST: u64 = 32;

/// Change that the program expects, which every replay repeats.
type Edit<B> = Box<dyn Fn(&mut B) + Send + Sync>;

/// Behaviour ahead of the server's state.
pub(super) struct Predicted<B: NetworkBehaviour> {
    /// State of the newest tick, with the edits after it.
    pub(super) now: B,
    /// States of successive ticks, the oldest first.
    past: VecDeque<(u64, B)>,
    /// Server's state at the last comparison, and the tick of its last change.
    server: (u64, B),
    /// Edits, and the ticks before which they come.
    edits: Vec<(u64, Edit<B>)>,
    /// Tick before which the last edit came.
    edited: u64,
    /// State before a replay.
    before: Option<B>,
    /// Fields that this client writes.
    own: u64,
    /// Values that the hooks know.
    told: Option<B::Previous>,
    tracks: Tracks,
}

/// Rule for the comparison with the server's state.
#[derive(Clone, Copy)]
pub(super) struct Comparison {
    /// Tick whose changes have arrived.
    pub(super) tick: u64,
    /// Ticks for which the server may hold a change back.
    pub(super) held_back: u64,
    /// Whether earlier changes may be missing.
    pub(super) is_uncertain: bool,
    /// Fields that this client writes or does not receive.
    pub(super) ignored: u64,
    /// Fields whose changes the server may hold back by their policy.
    pub(super) throttled: u64,
}

/// [`Predicted`] behaviour of any type.
pub(super) trait AnyPredicted: Any + Send + Sync + fmt::Debug {
    /// Returns the newest state.
    fn now_mut(&mut self) -> &mut dyn Any;

    /// Returns the oldest tick of the past.
    fn oldest(&self) -> u64;

    /// Returns the newest tick of the past.
    fn newest(&self) -> u64;

    /// Compares the server's state with the past. Returns the tick of a difference, which is the server's from now on.
    fn compare(&mut self, slot: &dyn Slot, rule: Comparison) -> Option<u64>;

    /// Takes over the fields that this client writes, if it owns the object. No hook runs for them.
    fn take_own(&mut self, slot: &dyn Slot, owned: bool);

    /// Begins a replay behind a tick of the past. The moment is that of the view.
    fn begin_replay(&mut self, tick: u64, view: Option<&Moment<'_>>);

    /// Ends a replay. The error of the view decays in this number of ticks. Returns whether the newest state has
    /// changed, and the size of the visible change.
    fn end_replay(&mut self, view: Option<&Moment<'_>>, decay: f64) -> Option<f32>;

    /// Applies the edits before a tick.
    fn begin_tick(&mut self, tick: u64);

    /// Records the state after the step of a tick, as it travels.
    fn end_tick(&mut self, tick: u64, writer: &mut NetworkWriter);

    /// Runs the hooks of the fields that have changed since the last call.
    fn run_hooks(&mut self) -> Result<(), Panicked>;

    /// Returns whether no edit counts behind a tick.
    fn is_settled(&self, tick: u64) -> bool;

    /// Returns the samples of the interpolated fields.
    fn tracks(&self) -> &Tracks;

    /// Returns the class of the behaviour.
    fn class(&self) -> &'static BehaviourClass;
}

impl<B: NetworkBehaviour> fmt::Debug for Predicted<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(B::SCHEMA.name)
            .field("past", &self.past.len())
            .field("edits", &self.edits.len())
            .finish_non_exhaustive()
    }
}

impl<B: NetworkBehaviour + Clone> Predicted<B> {
    /// Begins with the server's state of a tick.
    pub(crate) fn new(server: &B, tick: u64) -> Self {
        let mut predicted = Self {
            now: server.clone(),
            past: VecDeque::new(),
            server: (tick, server.clone()),
            edits: Vec::new(),
            edited: 0,
            before: None,
            own: 0,
            told: None,
            tracks: Tracks::default(),
        };
        predicted.past.push_back((tick, server.clone()));
        predicted.told = predicted.now.remember_for_hooks(u64::MAX);
        predicted.record(tick);
        predicted
    }

    /// Changes the newest state, and each state before a tick that replaces it.
    pub(super) fn edit(&mut self, edit: impl Fn(&mut B) + Send + Sync + 'static) {
        edit(&mut self.now);
        let tick = self.newest();
        self.record(tick);
        self.edited = tick + 1;
        self.edits.push((self.edited, Box::new(edit)));
    }

    /// Makes the newest state a sample of a tick.
    fn record(&mut self, tick: u64) {
        if const { B::SCHEMA.interpolated() != 0 } {
            self.tracks.record(&mut self.now, u64::MAX, sample(tick));
        }
    }

    /// Applies the edits before a tick to the newest state.
    fn apply_edits(&mut self, tick: u64) {
        for (before, edit) in &self.edits {
            if *before == tick {
                edit(&mut self.now);
            }
        }
    }

    /// Takes over the fields of a past state, except those that this client writes. Returns whether it is known.
    fn restore(&mut self, tick: u64) -> bool {
        let past = self.at(tick).map(|past| past.clone());
        let known = past.map(|mut past| self.now.take_changes(&mut past, !self.own));
        known.is_some()
    }

    fn forget_before(&mut self, tick: u64) {
        while self.past.front().is_some_and(|(past, _)| *past < tick) && self.past.len() > 1 {
            self.past.pop_front();
        }
    }

    fn at(&mut self, tick: u64) -> Option<&mut B> {
        let at = self.position(tick)?;
        Some(&mut self.past.get_mut(at)?.1)
    }

    /// Returns the state after a tick.
    pub(super) fn after(&self, tick: u64) -> Option<&B> {
        Some(&self.past.get(self.position(tick)?)?.1)
    }

    fn position(&self, tick: u64) -> Option<usize> {
        let first = self.past.front()?.0;
        usize::try_from(tick.checked_sub(first)?).ok()
    }
}

/// Returns the number of a tick in the tracks.
pub(super) fn sample(tick: u64) -> u32 {
    u32::try_from(tick).unwrap_or(u32::MAX)
}

impl<B: NetworkBehaviour + Clone> AnyPredicted for Predicted<B> {
    fn now_mut(&mut self) -> &mut dyn Any {
        &mut self.now
    }

    fn oldest(&self) -> u64 {
        self.past.front().map_or(0, |(tick, _)| *tick)
    }

    fn newest(&self) -> u64 {
        self.past.back().map_or(0, |(tick, _)| *tick)
    }

    fn compare(&mut self, slot: &dyn Slot, rule: Comparison) -> Option<u64> {
        let mut received = slot.behaviour().get::<B>()?.clone();
        let fields = !rule.ignored;
        let changed = self.server.1.take_changes(&mut received, fields).changed;
        if changed != 0 {
            self.server.0 = rule.tick;
        }
        // Without a change the server may still hold one back.
        let tick = rule.tick.saturating_sub(rule.held_back).max(self.server.0);
        let fields = if rule.is_uncertain {
            changed
        } else {
            fields & !rule.throttled | changed
        };
        self.forget_before(tick.saturating_sub(COMPARED_PAST));
        let (newest, mut server) = (self.newest(), self.server.1.clone());
        if newest < tick {
            // The prediction is behind the server.
            self.past.clear();
            self.past.push_back((tick, server));
            return Some(tick);
        }
        let differs = self.at(tick)?.take_changes(&mut server, fields).changed != 0;
        self.edits.retain(|(before, _)| *before > tick);
        differs.then_some(tick)
    }

    fn take_own(&mut self, slot: &dyn Slot, owned: bool) {
        let written = const { B::SCHEMA.policy_bits().owner_write };
        self.own = if owned { written } else { 0 };
        if self.own == 0 {
            return;
        }
        if let Some(mut own) = slot.behaviour().get::<B>().cloned() {
            self.now.take_changes(&mut own, self.own);
        }
    }

    fn begin_replay(&mut self, tick: u64, view: Option<&Moment<'_>>) {
        if let Some(view) = view {
            self.tracks.begin_correction(view);
        }
        let before = self.now.clone();
        if self.restore(tick) {
            self.before = Some(before);
            self.record(tick);
        }
    }

    fn end_replay(&mut self, view: Option<&Moment<'_>>, decay: f64) -> Option<f32> {
        let newest = self.newest();
        self.apply_edits(newest + 1);
        self.record(newest);
        let size = view.map_or(0.0, |view| self.tracks.end_correction(view, decay));
        let mut before = self.before.take()?;
        let mut now = self.now.clone();
        let changed = before.take_changes(&mut now, u64::MAX).changed != 0;
        changed.then_some(size)
    }

    fn begin_tick(&mut self, tick: u64) {
        if self.edits.iter().any(|(before, _)| *before == tick) {
            self.restore(tick.saturating_sub(1));
            self.apply_edits(tick);
        }
    }

    fn end_tick(&mut self, tick: u64, writer: &mut NetworkWriter) {
        self.now.round(writer);
        self.record(tick);
        let state = self.now.clone();
        if let Some(past) = self.at(tick) {
            *past = state;
            return;
        }
        if self.newest() + 1 != tick {
            self.past.clear();
        }
        if self.past.len() >= MAX_PAST {
            self.past.pop_front();
        }
        self.past.push_back((tick, state));
    }

    fn run_hooks(&mut self) -> Result<(), Panicked> {
        let Some(mut before) = self.told.take() else {
            return Ok(());
        };
        let changed = self.now.changed_since(&mut before) & !self.own;
        self.told = self.now.remember_for_hooks(u64::MAX);
        if changed == 0 {
            return Ok(());
        }
        self.now.skip_hooks(&mut before, self.own);
        contain(|| NetworkContext::detached(|ctx| self.now.call_hooks(before, ctx)))
    }

    fn is_settled(&self, tick: u64) -> bool {
        self.edited <= tick
    }

    fn tracks(&self) -> &Tracks {
        &self.tracks
    }

    fn class(&self) -> &'static BehaviourClass {
        BehaviourClass::of::<B>()
    }
}
