use syncvar::prelude::*;

fn more(health: &SyncVar<i32>, owned: SyncVar<i32>) -> i32 {
    let fine = **health + health.clamp(0, 100) + health.max(0);
    owned + fine
}

fn main() {}
