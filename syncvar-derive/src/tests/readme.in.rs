#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var(hook = on_health_changed)]
    health: SyncVar<i32>,
    #[sync_var]
    name: SyncVar<String>,
}
