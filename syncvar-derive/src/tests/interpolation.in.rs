#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(interpolate = hermite, extrapolate = 0.1, snap = 5.0)]
    position: SyncVar<Vector3>,
    #[sync_var(interpolate = nearest, hook = on_stance)]
    stance: SyncVar<Stance>,
    #[sync_var(history = 0.5, on_view = on_alive_shown)]
    alive: SyncVar<bool>,
}
