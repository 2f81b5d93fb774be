//! Section 3: what `on_synchronize` writes behind the full states.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{ClientConfig, ServerConfig, values::NetworkHash128};

use crate::examples::{Lamp, packets};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(synchronize)]
struct Door {
    #[sync_var]
    open: SyncVar<bool>,
    colour: u32,
    is_broken: bool,
}

impl Synchronize for Door {
    fn on_synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError> {
        serializer.serialize_value(&mut self.colour)?;
        if self.is_broken {
            return Err("broken".into());
        }
        Ok(())
    }
}

pub(crate) fn examples() -> Vec<(&'static str, String)> {
    let door = |is_broken| Door {
        open: true.into(),
        colour: 300,
        is_broken,
    };
    let gate = (Lamp { lit: true.into() }, door(true));
    vec![
        (
            "ObjectSpawn #1, asset `a55e7000000000000000000000000001`, `Door` with `open = true` and the data \
             `colour = 300`",
            in_unet(door(false)),
        ),
        (
            "SpawnBatch #1: `door` with `open = true` and the data `colour = 300`",
            in_compact(door(false)),
        ),
        (
            "SpawnBatch #1: `gate` with `lit = true`, which has no data, and `open = true`, whose data could not be \
             written",
            in_compact(gate),
        ),
        (
            "Schema of prefab `door` with `Door { open: bool }` on channel 0, with data",
            schema(),
        ),
    ]
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Door>("door")
        .register::<(Lamp, Door)>("gate")
}

fn in_unet(door: Door) -> String {
    let asset_id = NetworkHash128::parse("a55e7000000000000000000000000001");
    let prefabs = Prefabs::new().register_asset("door", asset_id, Door::default);
    let config = ServerConfig {
        compare_schemas: false,
        gather: false,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs, config);
    let connection = server.handle_connect();
    server.set_ready(connection);
    server.update(Duration::from_secs(1));
    server.spawn(door);
    server.update(Duration::from_secs(2));
    packets(&mut server).pop().expect("a packet")
}

fn in_compact(object: impl syncvar::behaviour::BehaviourSet) -> String {
    let mut server = NetworkServer::new(prefabs());
    let connection = server.handle_connect();
    let mut client = NetworkClient::with_config(prefabs(), ClientConfig::default());
    client.handle_connect();
    let connect = client.poll_transmit().expect("its Connect");
    server
        .handle_packet(connection, connect.channel, &connect.bytes)
        .expect("the same schema");
    server.set_ready(connection);
    server.update(Duration::from_secs(1));
    packets(&mut server);
    server.spawn(object);
    server.update(Duration::from_secs(2));
    packets(&mut server).concat()
}

/// What a server says of a prefab to a client of another build.
fn schema() -> String {
    let mut server = NetworkServer::new(Prefabs::new().register::<Door>("door"));
    let connection = server.handle_connect();
    let mut client = NetworkClient::new(Prefabs::new());
    client.handle_connect();
    let connect = client.poll_transmit().expect("its Connect");
    server
        .handle_packet(connection, connect.channel, &connect.bytes)
        .expect("a client of another build");
    let refusal = packets(&mut server).concat();
    let refusal = refusal.strip_suffix("03002100010000");
    refusal.expect("it ends with Disconnect 1").into()
}
