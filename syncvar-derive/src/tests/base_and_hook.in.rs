#[derive(NetworkBehaviour)]
struct Car {
    #[network_behaviour(base)]
    vehicle: Vehicle,
    #[sync_var(hook = on_fuel)]
    fuel: SyncVar<f32>,
}
