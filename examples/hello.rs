//! The smallest whole program: spawn, change a field, see it on the client.
use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var(hook = on_health_changed)]
    health: SyncVar<i32>,
    #[sync_var]
    name: SyncVar<String>,
}
impl Player {
    fn on_health_changed(&mut self, previous: i32) {
        println!("{}: health {previous} -> {}", self.name, self.health);
    }
}
fn main() {
    let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Player>("player"));
    net.connect();
    let id = net.server.spawn(Player {
        health: 100.into(),
        name: "Ann".into(),
    });
    net.settle();
    net.server.get_mut::<Player>(id).unwrap().health -= 10;
    net.settle();
}
