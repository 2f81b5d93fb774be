use syncvar::prelude::*;

fn run(server: &mut NetworkServer) {
    server.update(0.016);
}

fn main() {}
