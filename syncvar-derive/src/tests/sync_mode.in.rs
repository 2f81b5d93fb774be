#[derive(NetworkBehaviour)]
#[network_behaviour(sync_mode = owner, sync_direction = client_to_server)]
struct Rider {
    #[sync_var]
    lean: SyncVar<f32>,
    #[sync_var(read = owner, server_override)]
    bag: SyncList<u32>,
}
