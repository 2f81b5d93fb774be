#[derive(NetworkBehaviour)]
struct Orc {
    #[network_behaviour(base)]
    base: Mob,
    #[sync_var(write = owner, server_override, threshold = far)]
    rage: SyncVar<f32>,
}
