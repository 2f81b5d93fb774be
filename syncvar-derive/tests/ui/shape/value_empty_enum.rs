use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
enum Never {}

fn main() {}
