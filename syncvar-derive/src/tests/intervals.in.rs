#[derive(NetworkBehaviour)]
struct Probe {
    #[sync_var(threshold = moved_far, max_interval = 2.0)]
    place: SyncVar<Vector3>,
    #[sync_var(min_interval = 0.5)]
    heat: SyncVar<f32>,
}
