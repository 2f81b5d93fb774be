#[derive(NetworkBehaviour)]
struct r#Gate {
    #[sync_var(hook = r#match)]
    r#type: SyncVar<u8>,
}
