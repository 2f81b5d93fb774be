use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Door;

fn call(server: &mut NetworkServer, id: NetId) {
    server.calls::<Door>(id);
}

fn main() {}
