//! Classes with bases.

use syncvar::prelude::*;

use crate::golden::subject::subjects;
use crate::golden::value::Text;

#[derive(NetworkBehaviour)]
pub(crate) struct InhBase {
    #[sync_var]
    base_a: SyncVar<i32>,
    #[sync_var]
    base_b: SyncVar<Text>,
    #[sync_var]
    base_list: SyncList<i32>,
}

/// A level without anything of its own.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct InhMidEmpty {
    #[network_behaviour(base)]
    base: InhBase,
}

#[derive(NetworkBehaviour)]
pub(crate) struct InhMid {
    #[network_behaviour(base)]
    base: InhMidEmpty,
    #[sync_var]
    mid: SyncVar<f32>,
    #[sync_var]
    mid_set: SyncHashSet<Text>,
}

#[derive(NetworkBehaviour)]
pub(crate) struct InhLeaf {
    #[network_behaviour(base)]
    base: InhMid,
    #[sync_var]
    leaf_a: SyncVar<u8>,
    #[sync_var]
    leaf_b: SyncVar<i64>,
    #[sync_var]
    leaf_dict: SyncDictionary<i32, Text>,
}

#[derive(NetworkBehaviour)]
pub(crate) struct InhSibling {
    #[network_behaviour(base)]
    base: InhBase,
    #[sync_var]
    sib: SyncVar<i32>,
}

/// Its base is from another assembly.
#[derive(NetworkBehaviour)]
pub(crate) struct CrossLeaf {
    #[network_behaviour(base)]
    base: InhBase,
    #[sync_var]
    cross_a: SyncVar<i32>,
    #[sync_var]
    cross_b: SyncVar<i32>,
    #[sync_var]
    cross_list: SyncList<i32>,
}

impl Default for InhBase {
    fn default() -> Self {
        Self {
            base_a: 1.into(),
            base_b: Some("b".to_string()).into(),
            base_list: SyncList::new(),
        }
    }
}

impl Default for InhMid {
    fn default() -> Self {
        Self {
            base: InhMidEmpty::default(),
            mid: 0.5.into(),
            mid_set: SyncHashSet::new(),
        }
    }
}

impl Default for InhLeaf {
    fn default() -> Self {
        Self {
            base: InhMid::default(),
            leaf_a: 7.into(),
            leaf_b: (-1).into(),
            leaf_dict: SyncDictionary::new(),
        }
    }
}

impl Default for InhSibling {
    fn default() -> Self {
        Self {
            base: InhBase::default(),
            sib: 5.into(),
        }
    }
}

impl Default for CrossLeaf {
    fn default() -> Self {
        Self {
            base: InhBase::default(),
            cross_a: 31.into(),
            cross_b: 32.into(),
            cross_list: SyncList::new(),
        }
    }
}

subjects! {
    InhBase [base_a base_b base_list];
    InhMidEmpty: base [];
    InhMid: base [mid mid_set];
    InhLeaf: base [leaf_a leaf_b leaf_dict];
    InhSibling: base [sib];
    CrossLeaf: base [cross_a cross_b cross_list];
}
