use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

#[network_calls]
impl Player {
    #[client_rpc]
    fn fx(&mut self, _power: f32) {}
    #[command]
    fn fire(&mut self, ctx: &mut CallContext<'_>) {
        self.fx(1.0);
        self.run_fire(ctx);
    }
}

impl Player {
    fn hit(&mut self, ctx: &mut CallContext<'_>) {
        self.fire(ctx);
    }
}

fn call(client: &mut NetworkClient, id: NetId) {
    client.calls::<Player>(id).fx(1.0);
}

fn main() {}
