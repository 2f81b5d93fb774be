//! The smallest whole program: spawn an object, change a field, see it on the client.
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
        println!("health {previous} -> {}", self.health);
    }
}
fn main() {
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Player>("player"));
    let id = net.server.spawn(Player::default());
    net.settle();
    net.server.get_mut::<Player>(id).unwrap().health += 100;
    net.settle();
}
