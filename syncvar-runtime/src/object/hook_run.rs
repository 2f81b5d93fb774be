//! Runs of hooks without a context, and as a write of the server.

use super::hooks::Hooks;
use super::slot::Slot;
use crate::behaviour::Panicked;

/// Result of hooks that ran as a write of the server.
#[derive(Debug)]
#[must_use = "a hook may have panicked"]
pub struct HookRun {
    /// Fields that the policy refused to the hooks.
    pub refused: u64,
    /// Panic of a hook; it ends the run.
    pub result: Result<(), Panicked>,
}

/// Runs hooks without a context on a replica.
///
/// # Errors
///
/// When a hook panics, which ends the run.
#[inline]
pub fn run_hooks<S: Slot + ?Sized>(slot: &mut S, hooks: Hooks) -> Result<(), Panicked> {
    slot.call_hooks(hooks)
}

/// Runs hooks without a context as a write of the server: replacements become dirty, and the policy
/// applies.
pub fn run_hooks_as_write(slot: &mut dyn Slot, hooks: Hooks) -> HookRun {
    slot.begin_change();
    let result = slot.call_hooks(hooks);
    // A hook may have replaced a collection.
    let refused = slot.end_change();
    HookRun { refused, result }
}
