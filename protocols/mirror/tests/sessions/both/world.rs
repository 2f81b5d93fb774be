//! A server and its clients in one program.

use syncvar::NetworkIdentity;
use syncvar::mirror::{MirrorClient, MirrorClientEvent, MirrorServer, MirrorServerEvent};
use syncvar::prelude::*;
use syncvar_testing::mirror::{FRAME, MirrorNetwork, Refusals};

use crate::client::game::{self, Aim, DOOR, Door, Monster, Player, Wallet, prefabs};

/// Returns a world with the game of the recordings.
pub(crate) fn world() -> MirrorNetwork {
    let mut world = MirrorNetwork::new(MirrorServer::new(prefabs()), || {
        let mut client = MirrorClient::new(prefabs());
        client.add_scene_object(DOOR, Door::default()).unwrap();
        client
    });
    world.refusals = Refusals::AfterClose;
    world
}

/// Returns a world with one client and its player.
pub(crate) fn joined() -> (MirrorNetwork, ConnectionId, NetId) {
    let mut world = world();
    let me = world.connect();
    settle(&mut world);
    let player = world.client(me).local_player().unwrap();
    assert_eq!(world.server.player_of(me), Some(player));
    (world, me, player)
}

/// Runs four frames, gives each asking client a player, and returns the events of the server.
pub(crate) fn settle(world: &mut MirrorNetwork) -> Vec<MirrorServerEvent> {
    let mut events = Vec::new();
    for _ in 0..4 {
        world.advance(FRAME);
        world.send_all();
        for event in world.events() {
            if let MirrorServerEvent::AddPlayerRequested { connection } = event {
                world.server.add_player(connection, game::player()).unwrap();
            }
            events.push(event);
        }
        world.server.update(world.now);
        world.deliver();
    }
    let packets = world.take_packets();
    let known = |connection| world.links.contains_key(&connection);
    assert!(packets.iter().all(|packet| known(packet.connection)));
    events
}

/// Checks that each client has its observed objects in the server's state.
pub(crate) fn check(world: &mut MirrorNetwork) {
    for (connection, client) in &mut world.clients {
        let observed = world.server.identities().map(NetworkIdentity::net_id);
        let observed: Vec<_> = observed
            .filter(|id| world.server.is_observer(*id, *connection))
            .collect();
        let seen: Vec<_> = client.identities().map(NetworkIdentity::net_id).collect();
        assert_eq!(seen, observed, "{connection}");
        for id in seen {
            let owned = world.server.owner(id) == Some(*connection);
            assert_eq!(client.is_owned(id), owned);
            assert_eq!(
                view(client.identity(id).unwrap(), owned),
                view(world.server.identity(id).unwrap(), owned),
                "{id}"
            );
        }
        while let Some(event) = client.poll_event() {
            assert!(
                !matches!(
                    event,
                    MirrorClientEvent::Mismatch(_) | MirrorClientEvent::SpawnFailed { .. }
                ),
                "{event:?}"
            );
        }
        let stats = client.stats();
        assert_eq!(
            (stats.unknown_objects, stats.unknown_calls),
            (0, 0),
            "{connection}"
        );
    }
}
/// Returns the state of an object as text, with the private fields for its owner.
fn view(object: NetworkIdentity<'_>, owned: bool) -> String {
    if let Some(monster) = object.behaviour::<Monster>() {
        let mut buffs: Vec<_> = monster.buffs.iter().collect();
        buffs.sort_unstable();
        let mut tags: Vec<_> = monster.tags.iter().collect();
        tags.sort_unstable();
        let values = (
            *monster.kind,
            *monster.hp,
            monster.target.id(),
            *monster.bounty,
        );
        return format!("{buffs:?} {tags:?} {:?} {values:?}", &monster.loot[..]);
    }
    if let Some(player) = object.behaviour::<Player>() {
        let wallet: &Wallet = object.behaviour().unwrap();
        let aim: &Aim = object.behaviour().unwrap();
        let gold = owned.then_some((*wallet.gold, *wallet.secret));
        let values = (&*player.player_name, *player.health, gold);
        return format!(
            "{values:?} {:?} {:?}",
            &player.inventory[..],
            (*aim.yaw, *aim.firing)
        );
    }
    format!("{:?}", *object.behaviour::<Door>().unwrap().open)
}
