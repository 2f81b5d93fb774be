//! `SlotState`: state that only some behaviours need.

use super::field_ticks::FieldTicks;
use super::policy_state::PolicyState;
use super::tracks::Tracks;

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
}
