use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(hook = on_health)]
    health: SyncVar<i32>,
}

mod hooks {
    impl super::Player {
        fn on_health(&mut self, _previous: i32) {}
    }
}

fn main() {}
