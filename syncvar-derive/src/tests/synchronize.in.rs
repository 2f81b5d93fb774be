#[derive(NetworkBehaviour)]
#[network_behaviour(synchronize)]
struct Door<T> {
    #[sync_var]
    open: SyncVar<T>,
}
