//! `SlotState`: state that only some behaviours need.

use super::field_ticks::FieldTicks;
use super::policy_state::PolicyState;
use super::tracks::Tracks;
use crate::translate::behaviour::Rules;

/// State of a slot that only some behaviours need. Behind one pointer, so that most slots stay
/// small; one line of the cache, which each frame with the object writes.
#[derive(Debug, Default)]
#[repr(align(64))]
pub struct SlotState {
    /// State of the restricted fields; `None` if no field needs it.
    pub(super) policy: Option<Box<PolicyState>>,
    /// Ticks of the fields; `None` on a reliable channel.
    pub(super) ticks: Option<FieldTicks>,
    /// Samples of the interpolated fields; `None` before the first one.
    pub(super) tracks: Option<Box<Tracks>>,
    /// Rules of a server of a different build; `None` if those of the class apply.
    pub(super) rules: Option<Box<ServerRules>>,
}

/// Rules of a server of a different build for a behaviour. They apply in the place of those of the class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerRules {
    /// Channel of the changes.
    pub channel: u8,
    /// Rules of the fields.
    pub fields: Rules,
}

impl SlotState {
    /// Creates the state of a behaviour with restricted fields.
    pub(crate) fn with_policy() -> Self {
        Self {
            policy: Some(Box::default()),
            ..Self::default()
        }
    }

    /// Returns the state of the restricted fields.
    pub(crate) fn policy_mut(&mut self) -> Option<&mut PolicyState> {
        self.policy.as_deref_mut()
    }

    /// Sets the tick of some fields.
    pub(crate) fn set_ticks(&mut self, fields: u64, tick: u32) {
        if let Some(ticks) = &mut self.ticks {
            ticks.set(fields, tick);
        }
    }
}
