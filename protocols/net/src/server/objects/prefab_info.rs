//! `PrefabInfo`: facts about a prefab that the update loop needs.

use syncvar_runtime::schema::PolicyBits;
use syncvar_runtime::unstable::prefab::Prefab;
use syncvar_runtime::{NetworkHash128, Prefabs};

/// Facts about a prefab.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrefabInfo {
    pub(crate) asset_id: NetworkHash128,
    /// Position of the prefab in the order of names, which both sides share.
    rank: u32,
    /// Index of its first behaviour in the statistics.
    pub(crate) first_behaviour: usize,
    /// Restricted fields of its behaviours.
    pub(crate) policy: PolicyBits,
    /// Whether a behaviour has data beside its fields.
    pub(crate) synchronize: bool,
    /// Whether a behaviour is repeated in the next frame.
    pub(crate) redundant: bool,
    /// Whether the bytes of a delta can be sent again to each observer, as long as its fields keep their values.
    pub(crate) repeatable: bool,
}

impl PrefabInfo {
    /// Returns the facts about all prefabs, in the order of registration.
    pub(crate) fn of_all(prefabs: &Prefabs) -> Vec<Self> {
        let info = |(prefab, rank): (&Prefab, u32)| Self {
            asset_id: prefab.asset_id,
            rank,
            first_behaviour: prefab.first_behaviour,
            policy: prefab.facts.rules,
            synchronize: prefab.callbacks.synchronize,
            redundant: prefab.facts.redundancy > 0,
            repeatable: prefab.facts.resendable && !prefab.facts.rules.any(),
        };
        prefabs
            .entries()
            .iter()
            .zip(prefabs.ranks())
            .map(info)
            .collect()
    }

    /// Returns the number before the state of an object without position, rotation, scene id and parent.
    pub(crate) fn header(&self) -> u64 {
        u64::from(self.rank) << 3
    }
}
