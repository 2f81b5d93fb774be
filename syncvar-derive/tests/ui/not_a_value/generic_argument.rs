use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Pair<T>(T, T);

#[derive(Clone)]
struct Buff;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    buffs: SyncVar<Pair<Buff>>,
}

fn main() {}
