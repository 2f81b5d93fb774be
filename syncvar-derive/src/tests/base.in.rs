#[derive(NetworkBehaviour)]
struct Car {
    #[network_behaviour(base)]
    vehicle: Vehicle,
    #[sync_var]
    fuel: SyncVar<f32>,
}
