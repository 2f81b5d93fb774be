//! Section 3: data of `on_synchronize` behind the full states.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{PacketLimits, ServerConfig, values::NetworkHash128};
use syncvar_testing::Pair;

use crate::examples::{Examples, Lamp, packets};

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

#[test]
pub(crate) fn data_behind_the_fields_are_written_as_documented() -> Examples {
    let door = |is_broken| Door {
        open: true.into(),
        colour: 300,
        is_broken,
    };
    let gate = (Lamp { lit: true.into() }, door(true));
    Examples::check(vec![
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
    ])
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
    let client = NetworkClient::new(prefabs());
    let mut pair = Pair::connect(NetworkServer::new(prefabs()), client, PacketLimits::STREAM);
    pair.up();
    pair.server.set_ready(pair.connection);
    pair.server.update(Duration::from_secs(1));
    packets(&mut pair.server);
    pair.server.spawn(object);
    pair.server.update(Duration::from_secs(2));
    packets(&mut pair.server).concat()
}
