#[derive(NetworkBehaviour)]
struct Car {
    #[network_behaviour(base)]
    base: Mob,
    #[sync_var(hook = on_fuel)]
    fuel: SyncVar<f32>,
}
