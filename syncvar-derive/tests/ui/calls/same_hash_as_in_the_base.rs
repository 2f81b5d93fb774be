use syncvar::prelude::*;

mod base {
    use syncvar::prelude::*;

    #[derive(NetworkBehaviour)]
    pub struct Player;

    #[network_calls]
    impl Player {
        #[command]
        fn fire(&mut self) {}
    }
}

#[derive(NetworkBehaviour)]
struct Player {
    #[network_behaviour(base)]
    base: base::Player,
}

#[network_calls]
impl Player {
    #[command]
    fn fire(&mut self) {}
}

fn main() {}
