#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    pub health: SyncVar<i32>,
    #[sync_var]
    pub name: SyncVar<String>,
    pub last_input: u32,
}
