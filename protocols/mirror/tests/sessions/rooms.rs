//! Rooms: players gather, play, and return.

use std::collections::BTreeMap;

use syncvar::mirror::batch::Unbatcher;
use syncvar::mirror::message::SceneOperation;
use syncvar::mirror::room::{NetworkRoom, NetworkRoomPlayer, RoomGame, RoomSettings};
use syncvar::mirror::{
    MirrorClient, MirrorClientConfig, MirrorClientEvent, MirrorPrefab, MirrorPrefabs, MirrorServer,
    MirrorSpawnError, hash16,
};
use syncvar::prelude::*;
use syncvar_testing::mirror::{FRAME, MirrorNetwork, Refusals};

/// A room player of the game, with Mirror's component as its base.
#[derive(NetworkBehaviour, Default)]
struct Guest {
    #[network_behaviour(base)]
    room: NetworkRoomPlayer,
    #[sync_var]
    color: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
struct Tank {
    #[sync_var]
    color: SyncVar<i32>,
}

#[derive(Default)]
struct Tanks {
    log: Vec<&'static str>,
    waits: bool,
}

impl AsRef<NetworkRoomPlayer> for Guest {
    fn as_ref(&self) -> &NetworkRoomPlayer {
        &self.room
    }
}

impl AsMut<NetworkRoomPlayer> for Guest {
    fn as_mut(&mut self) -> &mut NetworkRoomPlayer {
        &mut self.room
    }
}

impl RoomGame for Tanks {
    type RoomPlayer = Guest;

    fn add_room_player(
        &mut self,
        server: &mut MirrorServer,
        connection: ConnectionId,
    ) -> Result<NetId, MirrorSpawnError> {
        let color = 7.into();
        let room = NetworkRoomPlayer::default();
        server.add_player(connection, Guest { room, color })
    }

    fn add_game_player(
        &mut self,
        server: &mut MirrorServer,
        connection: ConnectionId,
        room_player: NetId,
    ) -> Result<NetId, MirrorSpawnError> {
        let color = *server.get::<Guest>(room_player).unwrap().room.index;
        let color = color.into();
        server.replace_player(connection, Tank { color })
    }

    fn players_ready(&mut self, _: &mut MirrorServer) -> bool {
        self.log.push("ready");
        !self.waits
    }

    fn players_not_ready(&mut self, _: &mut MirrorServer) {
        self.log.push("not ready");
    }
}

fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new()
        .register::<Tank>(MirrorPrefab::new("Tank", 1002.into()))
        .register::<Guest>(MirrorPrefab::new("Guest", 1001.into()))
}

/// Notes about a client.
#[derive(Default)]
struct Member {
    scenes: Vec<String>,
    /// Ids of the messages from the server.
    received: Vec<u16>,
    /// Whether the client never loads a scene.
    is_stuck: bool,
}

struct Rooms {
    net: MirrorNetwork,
    room: NetworkRoom<Tanks>,
    members: BTreeMap<ConnectionId, Member>,
}

impl Rooms {
    fn new(min_players: usize) -> Self {
        let mut server = MirrorServer::new(prefabs());
        let settings = RoomSettings {
            min_players,
            max_players: 3,
            ..RoomSettings::new("Room", "Arena")
        };
        let room = NetworkRoom::new(Tanks::default(), settings, &mut server).unwrap();
        let mut net = MirrorNetwork::new(server, || {
            let config = MirrorClientConfig {
                awaits_scene: true,
                ..MirrorClientConfig::default()
            };
            MirrorClient::with_config(prefabs(), config)
        });
        net.refusals = Refusals::Allowed;
        let members = BTreeMap::new();
        Self { net, room, members }
    }

    fn join(&mut self) -> ConnectionId {
        let connection = self.net.connect();
        self.members.insert(connection, Member::default());
        self.run(4);
        connection
    }

    fn run(&mut self, frames: u32) {
        for _ in 0..frames {
            self.frame();
        }
    }

    fn frame(&mut self) {
        self.net.advance(FRAME);
        for (connection, member) in &mut self.members {
            member.load(self.net.client(*connection));
        }
        self.net.send_all();
        for event in self.net.events() {
            self.room.handle_event(&mut self.net.server, &event);
        }
        self.room.update(&mut self.net.server);
        self.net.server.update(self.net.now);
        self.net.deliver();
        for packet in self.net.take_packets() {
            if !packet.from_client {
                let member = self.members.get_mut(&packet.connection).unwrap();
                let messages = Unbatcher::new(&packet.bytes).unwrap().map(Result::unwrap);
                let ids = messages.map(|message| u16::from_le_bytes([message[0], message[1]]));
                member.received.extend(ids);
            }
        }
    }

    fn client(&mut self, connection: ConnectionId) -> &mut MirrorClient {
        self.net.client(connection)
    }

    fn set_ready(&mut self, connection: ConnectionId, is_ready: bool) {
        let client = self.client(connection);
        let player = client.local_player().unwrap();
        let calls = client.calls::<NetworkRoomPlayer>(player);
        calls.change_ready_state(is_ready).unwrap();
        self.run(4);
    }

    fn scene_loaded(&mut self) {
        self.room.scene_loaded(&mut self.net.server);
    }

    /// Returns the players in the room as a client sees them: index and readiness.
    fn seen(&mut self, connection: ConnectionId) -> Vec<(i32, bool)> {
        let players = self.client(connection).iter::<Guest>();
        let seen = players.map(|(_, guest)| (*guest.room.index, *guest.room.ready_to_begin));
        seen.collect()
    }

    /// Returns the color of a client's tank.
    fn tank(&mut self, connection: ConnectionId) -> Option<i32> {
        let client = self.client(connection);
        Some(*client.get::<Tank>(client.local_player()?)?.color)
    }
}

impl Member {
    /// Loads the scene of the server.
    fn load(&mut self, client: &mut MirrorClient) {
        while let Some(event) = client.poll_event() {
            if let MirrorClientEvent::SceneChange(change) = event {
                assert_eq!(change.operation, SceneOperation::Normal);
                self.scenes.push(change.scene);
            }
        }
        if !self.is_stuck && client.is_loading_scene() {
            client.scene_loaded();
        }
    }
}

#[test]
fn players_gather_play_and_return() {
    let mut rooms = Rooms::new(2);
    let [first, second] = [rooms.join(), rooms.join()];
    assert_eq!(rooms.seen(first), [(0, false), (1, false)]);
    let room_player = rooms.client(second).local_player();
    rooms.set_ready(first, true);
    assert_eq!(rooms.seen(second), [(0, true), (1, false)]);
    assert!(rooms.room.is_open() && !rooms.room.all_players_ready());

    rooms.set_ready(second, true);
    assert!(rooms.room.is_loading());
    assert_eq!(rooms.members[&first].scenes, ["Room", "Arena"]);
    // The clients are faster than the server: they wait for their tanks.
    assert_eq!(rooms.tank(first), None);
    rooms.scene_loaded();
    rooms.run(4);
    assert_eq!([rooms.tank(first), rooms.tank(second)], [Some(0), Some(1)]);
    // The room player stays with its owner.
    let client = rooms.client(second);
    assert!(client.is_owned(room_player.unwrap()));
    assert_ne!(client.local_player(), room_player);

    rooms.room.return_to_room(&mut rooms.net.server);
    rooms.run(6);
    assert_eq!(rooms.members[&second].scenes, ["Room", "Arena", "Room"]);
    assert_eq!(rooms.client(second).local_player(), room_player);
    assert_eq!(rooms.seen(first), [(0, false), (1, false)]);
    assert_eq!(rooms.client(first).iter::<Tank>().count(), 0);
    assert_eq!(rooms.room.game().log, ["ready"]);
}

#[test]
fn owner_of_a_replaced_player_is_not_announced_anew() {
    let mut rooms = Rooms::new(1);
    let only = rooms.join();
    rooms.set_ready(only, true);
    rooms.members.get_mut(&only).unwrap().received.clear();
    rooms.scene_loaded();
    rooms.run(2);
    let received = &rooms.members[&only].received;
    let count = |name| received.iter().filter(|id| **id == hash16(name)).count();
    assert_eq!(count("Mirror.SpawnMessage"), 1);
    assert_eq!(count("Mirror.ChangeOwnerMessage"), 0);
}

#[test]
fn late_client_of_the_scene_gets_its_player_when_it_has_loaded() {
    let mut rooms = Rooms::new(1);
    let [fast, slow] = [rooms.join(), rooms.join()];
    rooms.members.get_mut(&slow).unwrap().is_stuck = true;
    rooms.set_ready(fast, true);
    rooms.set_ready(slow, true);
    rooms.scene_loaded();
    rooms.run(10);
    assert_eq!((rooms.tank(fast), rooms.tank(slow)), (Some(0), None));
    rooms.members.get_mut(&slow).unwrap().is_stuck = false;
    rooms.run(4);
    assert_eq!(rooms.tank(slow), Some(1));
    assert_eq!(rooms.client(fast).iter::<Tank>().count(), 2);
}

#[test]
fn end_of_a_connection_renumbers_the_others_and_clears_readiness() {
    let mut rooms = Rooms::new(3);
    let [first, second, third] = [rooms.join(), rooms.join(), rooms.join()];
    rooms.set_ready(second, true);
    rooms.set_ready(third, true);
    rooms.net.server.handle_disconnect(first);
    rooms.run(3);
    assert_eq!(rooms.seen(third), [(0, false), (1, false)]);
    assert_eq!(rooms.room.slots().len(), 2);
}

#[test]
fn connections_during_a_game_and_beyond_the_room_are_refused() {
    let mut rooms = Rooms::new(1);
    let members = [(); 3].map(|()| rooms.join());
    let beyond = rooms.join();
    assert!(!rooms.client(beyond).is_connected());
    assert_eq!(rooms.room.slots().len(), 3);
    for member in members {
        rooms.set_ready(member, true);
    }
    assert!(!rooms.room.is_open());
    let late = rooms.join();
    assert!(!rooms.client(late).is_connected());
    assert!(rooms.client(members[0]).is_connected());
}

#[test]
fn game_that_waits_begins_when_it_wants() {
    let mut rooms = Rooms::new(1);
    rooms.room.game_mut().waits = true;
    let only = rooms.join();
    rooms.set_ready(only, true);
    assert!(rooms.room.all_players_ready());
    rooms.set_ready(only, false);
    assert!(!rooms.room.all_players_ready());
    rooms.set_ready(only, true);
    rooms.room.start(&mut rooms.net.server);
    rooms.scene_loaded();
    rooms.run(4);
    assert_eq!(rooms.tank(only), Some(0));
    assert_eq!(rooms.room.game().log, ["ready", "not ready", "ready"]);
}

#[test]
fn command_has_the_number_and_bytes_of_mirror() {
    let mut rooms = Rooms::new(2);
    let only = rooms.join();
    let now = rooms.net.now;
    let client = rooms.client(only);
    let player = client.local_player().unwrap();
    let calls = client.calls::<NetworkRoomPlayer>(player);
    calls.change_ready_state(true).unwrap();
    client.update(now + FRAME);
    let packets = std::iter::from_fn(|| client.poll_transmit());
    let packets: Vec<_> = packets.map(|packet| packet.bytes).collect();
    let messages = packets.iter().flat_map(|it| Unbatcher::new(it).unwrap());
    let id = hash16("Mirror.CommandMessage").to_le_bytes();
    let mut commands = messages
        .map(Result::unwrap)
        .filter(|message| message.starts_with(&id));
    // The object, the component, 23366, and one byte of arguments.
    let command = commands.next().unwrap();
    assert_eq!(command[2..], [1, 0, 0x46, 0x5b, 2, 1]);
}

#[test]
fn class_of_the_game_has_the_room_player_as_its_base() {
    let mut rooms = Rooms::new(1);
    let only = rooms.join();
    let client = rooms.client(only);
    let guest = client.local_player().unwrap();
    assert_eq!(client.get::<Guest>(guest).unwrap().color, 7);
    // The command of the base reaches the class.
    rooms.room.game_mut().waits = true;
    rooms.set_ready(only, true);
    let guest = rooms.client(only).get::<Guest>(guest).unwrap();
    assert_eq!((*guest.room.ready_to_begin, *guest.room.index), (true, 0));
}
