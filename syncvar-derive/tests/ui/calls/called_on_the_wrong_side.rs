use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command]
    fn fire(&mut self) {}
}

fn call(server: &mut NetworkServer, id: NetId) {
    server.calls::<Player>(id).fire();
}

fn main() {}
