#[derive(NetworkBehaviour)]
struct Lamp {
    #[network_behaviour(base)]
    base: Fixture,
    #[sync_var(hook = on_lit, initial_hook)]
    lit: SyncVar<bool>,
    #[sync_var(hook = on_colour)]
    colour: SyncVar<u32>,
}
