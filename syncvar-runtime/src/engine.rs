//! What a server or client of another protocol is built of: for `syncvar-mirror`. It changes without
//! notice.

pub use crate::call::{
    CallPlace, CallRequest, CallRouter, Character, Class, Failure, ObjectCalls, Rates, RoutedCall,
    character_at, run,
};
pub use crate::context::{NetworkSide, Panicked, Side, call, contain};
pub use crate::events::Events;
pub use crate::identity::{
    AnyBehaviour, BehaviourInfo, Location, MAX_BEHAVIOURS, MirrorHooks, Nanos, Place, Pools, Relation, Relations,
    Remembered, Slot, Slots, nanos,
};
pub use crate::lifecycle::{Errand, Late, Leaving, Lends, LentObjects, Tells, call_all};
pub use crate::schema::{RuleBits, Sections};
pub use crate::table::Table;
