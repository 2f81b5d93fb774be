#[derive(NetworkBehaviour)]
struct Hero {
    #[sync_var]
    name: SyncVar<String>,
    #[sync_var(read = owner)]
    gold: SyncVar<u32>,
    #[sync_var(write = owner, with = Half, hook = on_aim)]
    aim: SyncVar<f32>,
    #[sync_var(read = others, initial_only)]
    outfit: SyncList<u32>,
}
