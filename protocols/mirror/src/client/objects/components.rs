//! Sets of components, and their pending changes.

use syncvar_runtime::unstable::object::Slot;

/// Returns whether the bit of a position is set.
pub(crate) fn has_bit(components: u64, index: usize) -> bool {
    let index = u32::try_from(index).unwrap_or(u32::MAX);
    components.checked_shr(index).unwrap_or(0) & 1 == 1
}

/// Clears the pending changes of a component.
pub(crate) fn clear_changes(slot: &mut dyn Slot) {
    let last_send = slot.last_send();
    slot.mark_sent(last_send, None);
}
