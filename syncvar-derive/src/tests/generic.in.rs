#[derive(NetworkBehaviour)]
struct Slot<T: Default>
where
    T: std::fmt::Debug,
{
    #[sync_var(hook = on_item)]
    item: SyncVar<T>,
}
