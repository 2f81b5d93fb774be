#[derive(NetworkBehaviour)]
struct Marker;
