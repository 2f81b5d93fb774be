use syncvar::prelude::*;

struct Rigidbody;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[client_rpc]
    fn push(&mut self, _body: Rigidbody) {}
}

fn main() {}
