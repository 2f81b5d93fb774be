#[derive(NetworkBehaviour, Default)]
#[network_behaviour(previous)]
pub struct Player {
    #[sync_var]
    pub health: SyncVar<i32>,
    #[sync_var]
    items: SyncList<u32>,
}
