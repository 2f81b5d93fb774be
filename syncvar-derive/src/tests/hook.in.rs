#[derive(NetworkBehaviour)]
struct Data {
    #[sync_var(hook = on_int1)]
    int1: SyncVar<i32>,
    #[sync_var]
    my_string: SyncVar<String>,
}
