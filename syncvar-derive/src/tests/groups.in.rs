#[derive(NetworkBehaviour)]
struct Tank {
    #[sync_var]
    heading: SyncVar<f32>,
    #[sync_var(read = group)]
    ammunition: SyncVar<u32>,
    #[sync_var(read = others)]
    paint: SyncVar<u8>,
}
