#[derive(NetworkBehaviour)]
struct Car {
    #[network_behaviour(base)]
    vehicle: Vehicle,
    #[sync_var(with = Half)]
    fuel: SyncVar<f32>,
}
