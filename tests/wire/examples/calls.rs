//! Section 4: remote calls and events.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{ClientConfig, Framing, ServerConfig};

use crate::examples::packets;

#[derive(NetworkBehaviour, Default)]
struct Gun;

#[network_calls]
impl Gun {
    #[command(requires_ownership = false)]
    fn fire(&mut self, _at: i32) {}
    #[client_rpc]
    fn reload(&mut self, _rounds: u8) {}
    #[target_rpc]
    fn hush(&mut self, _text: String) {}
    #[sync_event]
    fn burst(_at: i32);
}

pub(crate) fn examples() -> Vec<(&'static str, String)> {
    let unet = |id, act: fn(&mut World)| sent(Framing::Unet, id, act);
    let compact = |id, act: fn(&mut World)| sent(Framing::Compact, id, act);
    let hush = |world: &mut World| {
        let connection = world.connection;
        world.rpcs().hush(connection, "a".into()).expect("a call");
    };
    vec![
        ("Command #3 `fire(-4)`", unet(3, fire)),
        ("Rpc #300 `reload(7)`", unet(300, reload)),
        ("Rpc #3 `hush(\"a\")`", unet(3, hush)),
        ("SyncEvent #3 `burst(10)`", unet(3, burst)),
        ("Call #3 `fire(-4)`", compact(3, fire)),
        ("Call #300 `reload(7)`", compact(300, reload)),
        ("Call #3 `hush(\"a\")`", compact(3, hush)),
        ("Call #3 `burst(10)`", compact(3, burst)),
        ("Call #5 `reload(7)` on the first", compact(5, reload)),
        (
            "Call #5 `reload(7)` on the second",
            compact(5, |world| {
                let calls = world.server.calls_at::<Gun>(world.id, 1);
                calls.reload(7).expect("a call");
            }),
        ),
    ]
}

/// A server and a client that has the object.
struct World {
    server: NetworkServer,
    client: NetworkClient,
    connection: ConnectionId,
    id: NetId,
}

impl World {
    fn rpcs(&mut self) -> <Gun as syncvar::calls::NetworkCalls>::Rpcs<'_> {
        self.server.calls::<Gun>(self.id)
    }
}

fn fire(world: &mut World) {
    let calls = world.client.calls::<Gun>(world.id);
    calls.fire(-4).expect("a call");
}

fn reload(world: &mut World) {
    world.rpcs().reload(7).expect("a call");
}

fn burst(world: &mut World) {
    world.rpcs().burst(10).expect("a call");
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Gun>("gun")
        .register::<(Gun, Gun)>("guns")
}

/// What either side sends when something is done, the object having this id.
fn sent(dialect: Framing, id: u32, act: fn(&mut World)) -> String {
    let (mut server, mut client) = (ServerConfig::default(), ClientConfig::default());
    server.framing = dialect;
    client.framing = dialect;
    let mut server = NetworkServer::with_config(prefabs(), server);
    let mut client = NetworkClient::with_config(prefabs(), client);
    let connection = server.handle_connect();
    client.handle_connect();
    let options = SpawnOptions {
        net_id: Some(NetId(id)),
        ..SpawnOptions::default()
    };
    let spawned = match id {
        5 => server.try_spawn((Gun, Gun), options),
        _ => server.try_spawn(Gun, options),
    };
    let mut world = World {
        server,
        client,
        connection,
        id: spawned.expect("a free id"),
    };
    for second in 0..4 {
        world.exchange(Duration::from_secs(second));
    }
    act(&mut world);
    let mut sent = packets(&mut world.server);
    while let Some(packet) = world.client.poll_transmit() {
        let messages = match world.client.framing() {
            Framing::Compact => syncvar_testing::messages(0, &packet.bytes),
            Framing::Unet => &packet.bytes[..],
        };
        sent.push(hex::encode(messages));
    }
    sent.concat()
}

impl World {
    fn exchange(&mut self, now: Duration) {
        while let Some(packet) = self.client.poll_transmit() {
            let handled = self
                .server
                .handle_packet(self.connection, packet.channel, &packet.bytes);
            handled.expect("a client of ours");
        }
        self.server.update(now);
        while let Some(transmit) = self.server.poll_transmit() {
            let packet = transmit.to_bytes();
            let handled = self.client.handle_packet(transmit.channel, &packet);
            handled.expect("a server of ours");
        }
    }
}
