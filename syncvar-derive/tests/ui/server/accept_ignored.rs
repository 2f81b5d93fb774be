#![deny(unused_must_use)]

use syncvar::prelude::*;

fn admit(server: &mut NetworkServer, connection: ConnectionId) {
    server.accept(connection);
    server.refuse(connection, "full");
}

fn main() {}
