//! Objects: their behaviours, their state in the update loop, and their pools.

mod alone;
mod behaviours;
mod call;
mod change_sink;
mod changes;
mod compare;
mod erased_fields;
mod field_ticks;
mod hook_run;
mod hooks;
mod layout;
mod list;
mod nanos;
mod newest;
mod own_fields;
mod owner_memory;
mod policy_state;
mod pool;
mod prefetch;
mod profile;
mod reception;
mod reset;
mod row;
mod saved_value;
mod slot;
mod slot_state;
mod slots;
mod snapshot_sink;
mod substitute;
mod synchronize;
mod tracks;
mod translated;
mod unsent;
mod value_text;
mod write_record;

pub use crate::schema::MAX_BEHAVIOURS;
pub use alone::FieldLimits;
pub use behaviours::{BehaviourSet, Behaviours};
pub use call::call;
pub use change_sink::{
    ChangeSink, ChannelInfo, Encoded, Job, Outcome, Outputs, SinkLog, SinkRules,
};
pub use changes::{MarkSent, When, WriteChanges};
pub use compare::{FieldDifference, compare, compare_private};
pub use erased_fields::{ErasedFields, FieldOperation};
pub use field_ticks::FieldTicks;
pub use hook_run::{HookRun, run_hooks, run_hooks_as_write};
pub use hooks::{DeferredHooks, ErasedHooks, Hooks, LayoutHooks, Remembered};
pub use list::BehaviourList;
pub use nanos::{Nanos, nanos};
pub use newest::{KeptFields, NewestWins};
pub use own_fields::{OwnFields, RestoreOwn, SaveOwn};
pub use owner_memory::OwnerMemory;
pub use policy_state::PolicyState;
pub use pool::{Cursor, Found, Location, Pool, PooledSlots, Pools};
pub use profile::{FieldStats, Profile};
pub use reception::{DeltaMessage, Entry, HookTime, Reception, ReceptionMemory, ReceptionReport};
pub use row::BehaviourTuple;
pub(crate) use row::{ReadFull, WriteFull, through_visits};
pub use saved_value::StateSize;
pub use slot::{
    ComponentLayout, HookContext, PolicySlot, Slot, SlotInfo, SlotParts, Tracked, TypedSlot,
};
pub use slot_state::{ServerRules, SlotState};
pub use slots::{FieldMasks, MAX_CHANNELS, Slots, Visit};
pub use snapshot_sink::SnapshotSink;
pub use synchronize::{Fault, read_sections, write_sections};
pub use tracks::Tracks;
pub use translated::{TranslationMemory, translate_write};
pub use unsent::{SendRules, UnsentField, UnsentReason, unsent_fields};
pub use write_record::{WriteLog, WriteRecord, mask_count};
