#[derive(NetworkBehaviour)]
struct Unit {
    #[sync_var(with = Half, hook = on_speed)]
    speed: SyncVar<f32>,
    #[sync_var(hook = on_health)]
    health: SyncVar<i32>,
}
