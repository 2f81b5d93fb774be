use syncvar::prelude::*;

struct Player;

fn main() {
    let mut server = NetworkServer::new(Prefabs::new());
    server.spawn(Player);
}
