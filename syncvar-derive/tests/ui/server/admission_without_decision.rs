use syncvar::prelude::*;

fn open(server: &mut NetworkServer) {
    server.set_admission(|request| println!("{request:?}"));
}

fn main() {}
