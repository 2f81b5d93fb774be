//! What a server or client of another protocol is built of: for `syncvar-mirror`. It changes without
//! notice.

pub use crate::call::{
    CallPlace, CallRequest, CallRouter, Character, Class, Failure, ObjectCalls, Rates, RoutedCall,
    character_at, run,
};
pub use crate::context::{NetworkSide, Panicked, Side, call, contain};
pub use crate::events::Events;
pub use crate::identity::{
    AnyBehaviour, ErasedHooks, HookRun, Hooks, MAX_BEHAVIOURS, Nanos, Place, Relation, Relations,
    Remembered, Slot, SlotInfo, Slots, nanos, run_hooks, run_hooks_as_write,
};
pub use crate::lifecycle::{Errand, Late, Leaving, Lends, LentObjects, Tells, call_all};
pub use crate::schema::{PackedBits, PolicyBits};
pub use crate::table::Table;
