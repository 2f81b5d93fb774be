#[derive(NetworkBehaviour)]
#[network_behaviour(crate = net, send_interval = 0.25, channel = 1)]
struct Beacon {
    #[sync_var]
    lit: SyncVar<bool>,
}
