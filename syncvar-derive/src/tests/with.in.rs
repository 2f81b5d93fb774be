#[derive(NetworkBehaviour)]
struct Unit {
    #[sync_var(with = Metres)]
    position: SyncVar<Vector3>,
    #[sync_var(with = Half, hook = on_speed)]
    speed: SyncVar<f32>,
}
