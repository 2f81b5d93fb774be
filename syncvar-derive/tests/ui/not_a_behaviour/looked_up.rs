use syncvar::prelude::*;

struct Player;

fn main() {
    let mut server = NetworkServer::new(Prefabs::new());
    server.get_mut::<Player>(NetId(1));
}
