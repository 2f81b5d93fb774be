//! Slot of a known type.

mod operations;

use super::{ComponentLayout, HookContext, SlotInfo, SlotParts, Tracked};
use crate::NetworkBehaviour;
use crate::behaviour::Optional;
use crate::field::Lineage;
use crate::object::nanos::{Nanos, nanos};
use crate::object::policy_state::PolicyState;
use crate::object::slot_state::SlotState;
use crate::schema::BehaviourClass;

/// Slot of a behaviour of a known type: the row of an object with one behaviour.
pub struct TypedSlot<B: NetworkBehaviour> {
    behaviour: B,
    last_send: Nanos,
    lineage: Lineage,
    /// Values for the hooks after a read, or for codecs during a change.
    previous: Option<B::Previous>,
    /// State that most behaviours do without.
    state: Option<Box<SlotState>>,
}

impl<B: NetworkBehaviour> TypedSlot<B> {
    const INFO: &'static SlotInfo = &SlotInfo {
        class: BehaviourClass::of::<B>(),
        schema: B::SCHEMA,
        channel: B::INFO.channel,
        redundancy: B::INFO.redundancy,
        was: B::INFO.was,
        send_interval: if B::INFO.has_interval {
            Some(nanos(B::INFO.send_interval))
        } else {
            None
        },
        delivery: B::INFO.delivery,
        arrival: B::INFO.arrival,
        resendable: B::SCHEMA.resendable(),
        operation_bits: B::SCHEMA.operation_bits(),
        packed: B::SCHEMA.packed_bits(),
        initial_hooks: B::SCHEMA.initial_hooks(),
        interpolated: B::SCHEMA.interpolated(),
        history: B::SCHEMA.history(),
        on_view: B::SCHEMA.on_view(),
        policy: B::SCHEMA.policy_bits(),
        hook_context: if B::INFO.context_hooks {
            HookContext::Object
        } else {
            HookContext::Detached
        },
        lifecycle: B::INFO.has_lifecycle(),
        synchronize: B::INFO.has_synchronize(),
        on_frame: B::INFO.on_frame,
        calls: B::INFO.calls,
        presence: B::INFO.presence,
        inner: B::INFO.inner,
        layout: if B::INFO.own_layout {
            ComponentLayout::Own
        } else {
            ComponentLayout::Fields
        },
    };

    /// Set if reads leave values for the hooks.
    const REMEMBERS: bool = size_of::<B::Previous>() > 0;

    pub(crate) fn new(behaviour: B) -> Self {
        Self {
            behaviour,
            last_send: 0,
            lineage: Lineage::unique(),
            previous: None,
            state: Self::new_state(),
        }
    }

    /// Creates the state for restricted fields.
    fn new_state() -> Option<Box<SlotState>> {
        Self::INFO.policy.has_state().then(|| {
            Box::new(SlotState {
                policy: Some(Box::default()),
                ..SlotState::default()
            })
        })
    }

    /// Returns the parts for a write.
    #[inline]
    pub(crate) fn parts(&mut self) -> SlotParts<'_, B> {
        SlotParts {
            policy: policy_of::<B>(&mut self.state),
            tracked: Tracked {
                behaviour: &mut self.behaviour,
                lineage: &mut self.lineage,
                presence: None,
            },
        }
    }

    /// Takes the values for the hooks of the last read.
    #[inline]
    fn take_previous(&mut self) -> Option<B::Previous> {
        if Self::REMEMBERS {
            self.previous.take()
        } else {
            Some(B::Previous::default())
        }
    }

    /// Records a frame that wrote some fields, or would have written them.
    #[inline]
    fn note_frame(&mut self, fields: impl FnOnce(&B) -> u64, tick: Option<u32>) {
        let (Some(tick), Some(state)) = (tick, &mut self.state) else {
            return;
        };
        let history = if const { B::SCHEMA.history() != 0 } {
            state.tracks.as_mut().filter(|tracks| tracks.is_history())
        } else {
            None
        };
        if state.ticks.is_none() && history.is_none() {
            return;
        }
        let fields = fields(&self.behaviour);
        if let Some(ticks) = &mut state.ticks {
            ticks.set(fields, tick);
        }
        if let Some(tracks) = history {
            tracks.record(&mut self.behaviour, fields & Self::INFO.history, tick);
        }
    }
}

impl<B: NetworkBehaviour + Default> TypedSlot<Optional<B>> {
    /// Slot of an absent behaviour, for reading.
    pub(crate) const ABSENT: &'static Self = &Self {
        behaviour: Optional::ABSENT,
        last_send: 0,
        lineage: Lineage::ABSENT,
        previous: None,
        state: None,
    };

    /// Creates the slot of an absent behaviour that is on no object: observers know that it is absent.
    pub(crate) fn absent() -> Self {
        let mut slot = Self {
            behaviour: Optional::ABSENT,
            last_send: 0,
            lineage: Lineage::ABSENT,
            previous: None,
            state: None,
        };
        slot.lineage.mark_sent(&mut slot.behaviour, u64::MAX);
        slot
    }

    /// Returns whether a slot of [`absent`](Self::absent) holds nothing.
    pub(crate) fn is_untouched(&self) -> bool {
        self.behaviour.is_none()
            && self.behaviour.sync_var_dirty_bits() == 0
            && self.previous.is_none()
            && self.state.is_none()
    }

    /// Puts a slot of [`absent`](Self::absent) on an object.
    pub(crate) fn on_object(mut self) -> Self {
        self.lineage.renew(&mut self.behaviour);
        if self.state.is_none() {
            self.state = Self::new_state();
        }
        self
    }
}

/// Returns the state of the restricted fields of a behaviour of this type.
#[inline]
fn policy_of<B: NetworkBehaviour>(state: &mut Option<Box<SlotState>>) -> Option<&mut PolicyState> {
    if const { B::SCHEMA.policy_bits().has_state() } {
        state.as_mut()?.policy.as_deref_mut()
    } else {
        None
    }
}
