use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
union Number {
    int: i32,
    float: f32,
}

fn main() {}
