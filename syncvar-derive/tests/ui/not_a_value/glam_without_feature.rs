mod glam {
    /// Stands for the type of the crate.
    pub struct Vec3;
}
use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    position: SyncVar<glam::Vec3>,
}

fn main() {}
