//! The native protocol over TCP.

use std::net::SocketAddr;

use syncvar::prelude::*;
use syncvar::tcp::{TcpClient, TcpServer, TransportOptions};
use syncvar::{NetRef, NetworkIdentity, ServerConfig};
use syncvar_testing::mirror::Dice;
use syncvar_testing::sockets::Remote;

use crate::sockets::{Ends, MAX_OBJECTS, any};
use crate::stage::ensure;
use crate::unit::{Numbers, Unit, prefabs};

pub(crate) struct Tcp(SocketAddr);

impl Ends for Tcp {
    const NAME: &'static str = "tcp";
    const SEED: u64 = 17;

    type Server = NetworkServer;
    type Peer = TcpClient;

    async fn listen() -> (Self, Remote<NetworkServer>) {
        let config = ServerConfig {
            tick_rate: 200,
            ..ServerConfig::default()
        };
        let server = NetworkServer::with_config(prefabs(), config);
        let server = TcpServer::bind("127.0.0.1:0", server, TransportOptions::default()).await;
        let server = server.expect("a free port");
        let addr = server.local_addr().expect("an open port");
        let forget = |server: &mut NetworkServer| while server.poll_event().is_some() {};
        (Self(addr), Remote::spawn(forget, |tick| server.run(tick)))
    }

    async fn join(&self) -> Result<TcpClient, String> {
        let client = TcpClient::connect(self.0, NetworkClient::new(prefabs())).await;
        client.map_err(|error| error.to_string())
    }

    async fn leave(peer: TcpClient) {
        peer.disconnect("bye").await;
    }

    async fn next_event(peer: &mut TcpClient) -> Result<(), String> {
        let event = peer.next_event().await;
        let event = event.ok_or("a client has lost its connection")?;
        let is_failure = matches!(
            event,
            ClientEvent::SpawnFailed { .. }
                | ClientEvent::Poisoned { .. }
                | ClientEvent::HookFailed(_)
                | ClientEvent::CallFailed(_)
        );
        ensure(!is_failure, || format!("a client reports {event:?}"))
    }

    fn operate(server: &mut NetworkServer, dice: &mut Dice) {
        operate(server, dice);
    }

    fn write(peer: &mut TcpClient, numbers: [u32; 2]) {
        write(peer.client_mut(), numbers);
    }

    fn objects(server: &NetworkServer) -> Vec<(NetId, String)> {
        objects(server.iter::<Unit>())
    }

    fn replicas(peer: &TcpClient) -> Vec<(NetId, String)> {
        objects(peer.client().iter::<Unit>())
    }

    fn despawn(server: &mut NetworkServer, id: NetId) {
        let _ = server.despawn(id);
    }

    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

fn objects<'a>(units: impl Iterator<Item = (NetId, &'a Unit)>) -> Vec<(NetId, String)> {
    let mut objects: Vec<_> = units.map(|(id, unit)| (id, unit.text())).collect();
    objects.sort_unstable();
    objects
}

/// Operation of the server.
fn operate(server: &mut NetworkServer, dice: &mut Dice) {
    let count = server.object_count();
    let object = any(server.identities(), count, dice);
    match (dice.below(10), object) {
        (0 | 1, _) if count < MAX_OBJECTS => {
            server.spawn(Unit::default());
        }
        (0 | 1, Some(id)) => {
            let _ = server.despawn(id);
        }
        (2, Some(id)) => {
            let connections = server.connections().collect::<Vec<_>>();
            let owner = dice
                .index(connections.len())
                .map(|index| connections[index]);
            let _ = server.set_owner(id, owner);
        }
        (3, Some(id)) => {
            let _ = server.calls::<Unit>(id).cheer("hurray".into());
        }
        (_, Some(id)) => {
            if let Ok(mut unit) = server.get_mut::<Unit>(id) {
                unit.write(dice, NetRef::from(id));
            }
        }
        _ => {}
    }
}

/// Writes of a client, and a command.
fn write(client: &mut NetworkClient, numbers: [u32; 2]) {
    let owned = client.identities().map(NetworkIdentity::net_id);
    let owned = owned.filter(|id| client.is_owner(*id)).collect::<Vec<_>>();
    for id in owned {
        if let Ok(mut unit) = client.get_mut::<Unit>(id) {
            unit.aim.set(numbers[0]);
        }
    }
    let count = client.object_count().max(1);
    let any = client.identities().nth(numbers[1] as usize % count);
    if let Some(id) = any.map(NetworkIdentity::net_id) {
        let _ = client.calls::<Unit>(id).strike(1);
    }
}
