use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Name<'a> {
    text: &'a str,
}

fn main() {}
