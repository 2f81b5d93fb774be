use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Slot<T> {
    #[sync_var(with = syncvar::codec::Half)]
    item: SyncVar<T>,
}

fn main() {
    syncvar::behaviour::BehaviourFields::clear_all_dirty_bits(&mut Slot::<String>::default());
}
