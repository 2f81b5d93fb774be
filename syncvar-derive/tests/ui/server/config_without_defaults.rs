use syncvar::prelude::*;

fn open(prefabs: Prefabs) -> NetworkServer {
    NetworkServer::with_config(prefabs, ServerConfig { tick_rate: 60 })
}

fn main() {}
