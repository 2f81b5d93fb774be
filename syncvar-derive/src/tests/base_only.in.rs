#[derive(NetworkBehaviour)]
struct Van {
    #[network_behaviour(base)]
    vehicle: Vehicle,
    load: Vec<Parcel>,
}
