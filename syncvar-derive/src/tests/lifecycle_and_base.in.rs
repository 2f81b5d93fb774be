#[derive(NetworkBehaviour)]
#[network_behaviour(lifecycle, synchronize)]
struct Mimic {
    #[network_behaviour(base)]
    chest: Chest,
}
