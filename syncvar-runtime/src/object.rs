//! Objects: their behaviours, their state in the update loop, and their pools.

mod alone;
mod behaviours;
mod call;
mod change_sink;
mod compare;
mod field_ticks;
mod hooks;
mod layout;
mod newest;
mod own_fields;
mod owner_memory;
mod policy_state;
mod pool;
mod profile;
mod reception;
mod reset;
mod slot;
mod slots;
mod snapshot_sink;
mod substitute;
mod synchronize;
mod tracks;
mod unsent;
mod value_text;
mod write_record;

pub use alone::FieldLimits;
pub use behaviours::{BehaviourList, BehaviourSet, BehaviourTuple, Behaviours};
pub use call::call;
pub use change_sink::{ChangeSink, ChannelInfo, Encoded, Outcome, Outputs};
pub use compare::{FieldDifference, compare, compare_private};
pub use field_ticks::FieldTicks;
pub use hooks::{
    DeferredHooks, ErasedHooks, HookRun, Hooks, LayoutHooks, run_hooks, run_hooks_as_write,
};
pub use newest::{KeptFields, NewestWins};
pub use own_fields::{OwnFields, RestoreOwn, SaveOwn};
pub use owner_memory::OwnerMemory;
pub use policy_state::{PolicyState, StateSize};
pub use pool::{Cursor, Entry, Found, Job, Location, Pool, Pools};
pub use profile::{FieldStats, Profile};
pub use reception::{Reception, ReceptionReport};
pub use slot::{
    ComponentLayout, HookContext, Nanos, PolicySlot, Remembered, RestrictedFields, Slot, SlotInfo,
    SlotParts, TypedSlot, nanos,
};
pub use slots::{
    FieldMasks, MAX_BEHAVIOURS, MAX_CHANNELS, MarkSent, Slots, Visit, When, WriteChanges,
};
pub use snapshot_sink::SnapshotSink;
pub use synchronize::{Fault, read_sections, write_sections};
pub use tracks::Tracks;
pub use unsent::{SendRules, UnsentField, UnsentReason, unsent_fields};
pub use write_record::{WriteLog, WriteRecord, mask_count};
