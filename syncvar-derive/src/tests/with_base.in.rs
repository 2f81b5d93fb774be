#[derive(NetworkBehaviour)]
struct Orc {
    #[network_behaviour(base)]
    base: Mob,
    #[sync_var(with = Half)]
    hp: SyncVar<f32>,
}
