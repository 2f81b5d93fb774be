use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[client_rpc]
    fn flash(&mut self) {}
}

fn call(client: &mut NetworkClient, id: NetId) {
    client.calls::<Player>(id).flash();
}

fn main() {}
