//! `SlotInfo`: facts of a behaviour's type.

use std::any::TypeId;

use crate::Delivery;
use crate::behaviour::{Arrival, InnerBehaviour, OnFrame, Presence};
use crate::object::nanos::Nanos;
use crate::schema::{BehaviourClass, BehaviourSchema, CallTable, PackedBits, PolicyBits};

/// Context of the hooks of a behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookContext {
    /// No hook takes a context: they run while the object is in its pool.
    Detached,
    /// A hook takes a context: the object is checked out.
    Object,
}

/// Layout of a behaviour in the encoding `Mirror`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentLayout {
    /// Collections, and then the remaining fields.
    Fields,
    /// The bytes of the class: [`own_layout`](crate::BehaviourInfo::own_layout()).
    Own,
}

/// Facts of a behaviour's type.
#[derive(Clone, Copy, Debug)]
pub struct SlotInfo {
    /// Type and schema of the behaviour.
    pub class: &'static BehaviourClass,
    /// Schema of the behaviour.
    pub schema: BehaviourSchema,
    /// Former names of the behaviour.
    pub was: &'static [&'static str],
    /// Channel of its changes.
    pub channel: u8,
    /// Number of frames that repeat a change on an unreliable channel, 0 or 1.
    pub redundancy: u8,
    /// Shortest time between two updates; `None`: that of the end.
    pub send_interval: Option<Nanos>,
    /// Delivery of its changes.
    pub delivery: Delivery,
    /// Moment at which a client applies its changes.
    pub arrival: Arrival,
    /// [`BehaviourSchema::resendable`].
    pub resendable: bool,
    /// Fields whose deltas are operations, unless the field is set dirty as a whole.
    pub operation_bits: u64,
    /// Collections and values, for protocols that divide them.
    pub packed: PackedBits,
    /// Fields whose hooks also run for the first state of an object.
    pub initial_hooks: u64,
    /// Fields with values between their samples.
    pub interpolated: u64,
    /// Fields whose previous values a server keeps.
    pub history: u64,
    /// Fields with a hook at the view time.
    pub on_view: u64,
    /// Restricted fields.
    pub policy: PolicyBits,
    /// Context of the hooks of the class and its bases.
    pub hook_context: HookContext,
    /// Set if the class or a base has a lifecycle.
    pub lifecycle: bool,
    /// Set if the class or a base has data beside its fields.
    pub synchronize: bool,
    /// Work of the class in each frame; `None` without such work.
    pub on_frame: Option<OnFrame>,
    /// Remote calls.
    pub calls: CallTable,
    /// Presence of the behaviour on its object.
    pub presence: Presence,
    /// Access to the behaviour within an [`Optional`](crate::Optional).
    pub inner: Option<&'static InnerBehaviour>,
    /// Layout in the encoding `Mirror`.
    pub layout: ComponentLayout,
}

impl SlotInfo {
    /// Returns whether the behaviour has a type, or is an [`Optional`](crate::Optional) of this type.
    pub fn holds(&self, id: TypeId) -> bool {
        self.class.id == id || self.inner.is_some_and(|inner| inner.id == id)
    }

    /// Returns the shortest time between two updates, on an end with this default.
    #[inline]
    pub fn interval(&self, default: Nanos) -> Nanos {
        self.send_interval.unwrap_or(default)
    }

    /// Returns whether these dirty fields make an optional behaviour come or go. All its fields are then due.
    #[inline]
    pub fn changes_presence(&self, dirty_bits: u64) -> bool {
        self.presence == Presence::Optional && dirty_bits & self.schema.own_bits() != 0
    }
}
