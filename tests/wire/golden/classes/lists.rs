//! Classes with lists.

use syncvar::{NetworkBehaviour, SyncList, SyncVar};

use super::structs::Buf;
use super::{Cell, Cells, cells};

#[derive(NetworkBehaviour, Default)]
pub(super) struct SyncListsOnly {
    #[sync_var]
    ints: SyncList<i32>,
    #[sync_var]
    strs: SyncList<String>,
    #[sync_var]
    floats: SyncList<f32>,
    #[sync_var]
    uints: SyncList<u32>,
    #[sync_var]
    bools: SyncList<bool>,
    #[sync_var]
    bufs: SyncList<Buf>,
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct ListsAndVars {
    #[sync_var]
    v0: SyncVar<i32>,
    #[sync_var]
    li: SyncList<i32>,
    #[sync_var]
    v1: SyncVar<String>,
    #[sync_var]
    lb: SyncList<Buf>,
    #[sync_var]
    v2: SyncVar<f32>,
    #[sync_var]
    ls: SyncList<String>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(channel = 1, send_interval = 0.5)]
pub(super) struct ListOnChannel1 {
    #[sync_var]
    li: SyncList<i32>,
    #[sync_var]
    v: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct InhListBase {
    #[sync_var]
    x: SyncVar<i32>,
    #[sync_var]
    bl: SyncList<i32>,
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct InhListDerived {
    #[network_behaviour(base)]
    base: InhListBase,
    #[sync_var]
    dl: SyncList<String>,
    #[sync_var]
    y: SyncVar<i32>,
}

cells! {
    SyncListsOnly [ints strs floats uints bools bufs];
    ListsAndVars [v0 li v1 lb v2 ls];
    ListOnChannel1 [li v];
    InhListBase [x bl];
    InhListDerived: base [dl y];
}
