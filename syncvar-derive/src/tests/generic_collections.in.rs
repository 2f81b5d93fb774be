#[derive(NetworkBehaviour)]
struct Bag<K, V> {
    #[sync_var(hook = on_item)]
    items: SyncList<V>,
    #[sync_var(batch_hook = on_entries)]
    entries: SyncDictionary<K, Vec<V>>,
    #[sync_var]
    order: SyncSortedSet<K>,
}
