use syncvar::prelude::*;

struct Rigidbody;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[target_rpc]
    fn push(&mut self, _body: Rigidbody) {}
}

fn main() {}
