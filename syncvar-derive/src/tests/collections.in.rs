#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var(hook = on_item, batch_hook = on_items)]
    items: SyncList<u32>,
    #[sync_var(hook = on_buff)]
    buffs: SyncDictionary<String, Buff>,
    #[sync_var]
    tags: SyncHashSet<String>,
}
