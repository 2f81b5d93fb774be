//! Mirror's protocol over KCP.

use std::net::SocketAddr;

use syncvar::NetworkIdentity;
use syncvar::mirror::{
    MirrorClient, MirrorClientEvent, MirrorHost, MirrorPeer, MirrorServer, MirrorServerConfig,
    SpawnPolicy, TransportCounters,
};
use syncvar::prelude::*;
use syncvar_testing::mirror::Dice;
use syncvar_testing::sockets::Remote;

use crate::piece::{Aim, Piece, Wallet, prefabs};
use crate::sockets::{Ends, MAX_OBJECTS, any};
use crate::stage::ensure;
use crate::unit::Numbers;

pub(crate) struct Kcp {
    addr: SocketAddr,
    counters: TransportCounters,
}

impl Ends for Kcp {
    const NAME: &'static str = "kcp";
    const SEED: u64 = 19;

    type Server = MirrorServer;
    type Peer = MirrorPeer;

    async fn listen() -> (Self, Remote<MirrorServer>) {
        let config = MirrorServerConfig {
            spawn_policy: SpawnPolicy::WhenReady,
            tick_rate: 200,
            ..MirrorServerConfig::default()
        };
        let server = MirrorServer::with_config(prefabs(), config);
        let host = MirrorHost::kcp("127.0.0.1:0", server).await;
        let host = host.expect("a free port");
        let this = Self {
            addr: host.local_addrs().expect("an open port")[0],
            counters: host.counters(),
        };
        let forget = |server: &mut MirrorServer| while server.poll_event().is_some() {};
        (this, Remote::spawn(forget, |tick| host.run(tick)))
    }

    async fn join(&self) -> Result<MirrorPeer, String> {
        let peer = MirrorPeer::kcp(self.addr, MirrorClient::new(prefabs())).await;
        peer.map_err(|error| error.to_string())
    }

    async fn leave(peer: MirrorPeer) {
        peer.disconnect().await;
    }

    async fn next_event(peer: &mut MirrorPeer) -> Result<(), String> {
        let event = peer.next_event().await;
        let event = event.ok_or("a client has lost its connection")?;
        ensure(!is_failure(&event), || {
            format!("a client reports {event:?}")
        })
    }

    fn operate(server: &mut MirrorServer, dice: &mut Dice) {
        operate(server, dice);
    }

    fn write(peer: &mut MirrorPeer, numbers: [u32; 2]) {
        write(peer.client_mut(), numbers);
    }

    fn objects(server: &MirrorServer) -> Vec<(NetId, String)> {
        objects(server.iter::<Piece>())
    }

    fn replicas(peer: &MirrorPeer) -> Vec<(NetId, String)> {
        objects(peer.client().iter::<Piece>())
    }

    fn despawn(server: &mut MirrorServer, id: NetId) {
        let _ = server.despawn(id);
    }

    fn check(&self) -> Result<(), String> {
        let stats = self.counters.stats();
        let is_honest = stats.refused_hellos + stats.queue_full + stats.silence_timeouts == 0;
        ensure(is_honest, || format!("the host reports {stats:?}"))
    }
}

fn is_failure(event: &MirrorClientEvent) -> bool {
    matches!(
        event,
        MirrorClientEvent::SpawnFailed { .. }
            | MirrorClientEvent::Mismatch(_)
            | MirrorClientEvent::HookFailed(_)
            | MirrorClientEvent::CallFailed(_)
    )
}

/// Returns the fields of each object, as text.
fn objects<'a>(pieces: impl Iterator<Item = (NetId, &'a Piece)>) -> Vec<(NetId, String)> {
    let mut objects: Vec<_> = pieces.map(|(id, piece)| (id, piece.text())).collect();
    objects.sort_unstable();
    objects
}

/// Operation of the server.
fn operate(server: &mut MirrorServer, dice: &mut Dice) {
    let count = server.object_count();
    let object = any(server.identities(), count, dice);
    match (dice.below(10), object) {
        (0 | 1, _) if count < MAX_OBJECTS => {
            server.spawn((Piece::default(), Wallet::default(), Aim::default()));
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
            let _ = server.calls::<Piece>(id).cheer("hurray".into());
        }
        (_, Some(id)) => {
            if let Ok(mut piece) = server.get_mut::<Piece>(id) {
                piece.write(dice);
            }
        }
        _ => {}
    }
}

/// Writes of a client, and a command.
fn write(client: &mut MirrorClient, numbers: [u32; 2]) {
    let owned = client.identities().map(NetworkIdentity::net_id);
    let owned = owned.filter(|id| client.is_owned(*id)).collect::<Vec<_>>();
    for id in owned {
        if let Ok(mut aim) = client.get_mut::<Aim>(id) {
            aim.yaw.set(numbers[0]);
        }
    }
    let count = client.object_count().max(1);
    let any = client.identities().nth(numbers[1] as usize % count);
    if let Some(id) = any.map(NetworkIdentity::net_id) {
        let _ = client.calls::<Piece>(id).strike(1);
    }
}
