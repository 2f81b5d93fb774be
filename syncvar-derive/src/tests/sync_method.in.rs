#[derive(NetworkBehaviour)]
#[network_behaviour(send_interval = 0.05, sync_method = hybrid)]
struct Steering {
    #[sync_var]
    yaw: SyncVar<f32>,
}
