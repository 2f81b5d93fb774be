//! Any bytes at all.

use proptest::prelude::*;
use syncvar::NetworkBehaviour;

use super::support::{Component, InhLeaf};

proptest! {
    #[test]
    fn no_payload_makes_reading_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..80),
        initial: bool,
    ) {
        let mut leaf = Component::new(InhLeaf::default());
        if let Ok(hooks) = leaf.read(&hex::encode(bytes), initial) {
            prop_assert!(leaf.slot().call_hooks(syncvar_runtime::unstable::object::Hooks::Changed(hooks)).is_ok());
        }
    }

    /// Whatever has changed, the other side has the same after the change, and after the full state.
    #[test]
    fn written_payload_reads_back_equal(
        (a, b, mid) in (any::<i32>(), "[a-z]{0,4}", any::<i16>()),
        list in prop::collection::vec(any::<i32>(), 0..4),
        leaf_b in any::<i64>(),
    ) {
        let mut leaf = Component::new(InhLeaf::default());
        let behaviour = leaf.get_mut::<InhLeaf>();
        behaviour.base().base_a.set(a);
        behaviour.base().base_b.set(b);
        behaviour.base.mid.set(mid.into());
        behaviour.base().base_list.extend(list);
        behaviour.leaf_b.set(leaf_b);
        let (full, change) = (leaf.full(), leaf.change());
        let dirty_bits = leaf.slot().dirty_bits();
        let mut by_change = Component::new(InhLeaf::default());
        let (_, fields) = by_change.read_with_fields(&change, false).expect("a change");
        prop_assert_eq!(fields, dirty_bits);
        leaf.slot().mark_sent(0, None);
        let mut late = Component::new(InhLeaf::default());
        late.apply(&full, true).expect("a full state");
        // Those who have the full state pass over the changes that were in it.
        late.apply(&change, false).expect("a change");
        let now = leaf.full();
        prop_assert_eq!(by_change.full(), now.clone());
        prop_assert_eq!(late.full(), now);
        prop_assert_eq!(leaf.change(), "0000000000000000000000");
        prop_assert_eq!(late.get::<InhLeaf>().sync_var_dirty_bits(), 0);
    }
}
