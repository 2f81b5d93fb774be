#[derive(NetworkBehaviour)]
#[network_behaviour(was = "Hero")]
struct Player {
    #[sync_var(was("hp", "life"))]
    health: SyncVar<i32>,
}
