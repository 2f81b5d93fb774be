use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var]
    health: i32,
}

fn main() {
    let mut server = NetworkServer::new(Prefabs::new().register::<Player>("player"));
    let id = server.spawn(Player { health: 100 });
    server.get_mut::<Player>(id).unwrap().health -= 10;
}
