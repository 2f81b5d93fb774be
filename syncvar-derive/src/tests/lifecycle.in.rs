#[derive(NetworkBehaviour)]
#[network_behaviour(lifecycle)]
struct Chest {
    #[sync_var]
    coins: SyncVar<u32>,
}
