//! Rooms: players gather, play, and return.

use std::time::Duration;

use syncvar::Channel;
use syncvar::mirror::batch::Unbatcher;
use syncvar::mirror::message::SceneOperation;
use syncvar::mirror::room::{NetworkRoom, NetworkRoomPlayer, RoomGame, RoomSettings};
use syncvar::mirror::{
    Limits, MirrorClient, MirrorClientConfig, MirrorClientEvent, MirrorPrefab, MirrorPrefabs,
    MirrorServer, MirrorSpawnError, hash16,
};
use syncvar::prelude::*;

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

struct Member {
    connection: ConnectionId,
    client: MirrorClient,
    scenes: Vec<String>,
    /// Ids of the messages from the server.
    received: Vec<u16>,
    loads: bool,
}

struct World {
    server: MirrorServer,
    room: NetworkRoom<Tanks>,
    clients: Vec<Member>,
    now: Duration,
}

impl World {
    fn new(min_players: usize) -> Self {
        let mut server = MirrorServer::new(prefabs());
        let settings = RoomSettings {
            min_players,
            max_players: 3,
            ..RoomSettings::new("Room", "Arena")
        };
        let room = NetworkRoom::new(Tanks::default(), settings, &mut server).unwrap();
        Self {
            server,
            room,
            clients: Vec::new(),
            now: Duration::ZERO,
        }
    }

    fn join(&mut self) -> usize {
        let config = MirrorClientConfig {
            awaits_scene: true,
            ..MirrorClientConfig::default()
        };
        let mut client = MirrorClient::with_config(prefabs(), config);
        let connection = self.server.handle_connect(Limits::TELEPATHY);
        client.handle_connect(Limits::TELEPATHY);
        self.clients.push(Member {
            connection,
            client,
            scenes: Vec::new(),
            received: Vec::new(),
            loads: true,
        });
        self.run(4);
        self.clients.len() - 1
    }

    fn run(&mut self, frames: u32) {
        for _ in 0..frames {
            self.frame();
        }
    }

    fn frame(&mut self) {
        self.now += Duration::from_secs(1) / 60;
        while let Some(event) = self.server.poll_event() {
            self.room.handle_event(&mut self.server, &event);
        }
        self.room.update(&mut self.server);
        self.server.update(self.now);
        while let Some(transmit) = self.server.poll_transmit() {
            let (channel, bytes) = (transmit.channel, transmit.to_bytes());
            let to = transmit.connection;
            let member = self.clients.iter_mut().find(|it| it.connection == to);
            member.unwrap().receive(channel, &bytes);
        }
        while let Some(connection) = self.server.poll_close() {
            self.server.handle_disconnect(connection);
            let member = self
                .clients
                .iter_mut()
                .find(|it| it.connection == connection);
            member.unwrap().client.handle_disconnect();
        }
        for member in &mut self.clients {
            member.update(self.now);
            while let Some(packet) = member.client.poll_transmit() {
                let (channel, bytes) = (packet.channel, &packet.bytes);
                let _ = self.server.handle_packet(member.connection, channel, bytes);
            }
        }
    }

    fn set_ready(&mut self, index: usize, is_ready: bool) {
        let client = &mut self.clients[index].client;
        let player = client.local_player().unwrap();
        let calls = client.calls::<NetworkRoomPlayer>(player);
        calls.change_ready_state(is_ready).unwrap();
        self.run(4);
    }

    /// The players in the room as a client sees them: index and readiness.
    fn seen(&self, index: usize) -> Vec<(i32, bool)> {
        let players = self.clients[index].client.iter::<Guest>();
        let seen = players.map(|(_, guest)| (*guest.room.index, *guest.room.ready_to_begin));
        seen.collect()
    }

    /// The color of a client's own tank.
    fn tank(&self, index: usize) -> Option<i32> {
        let client = &self.clients[index].client;
        Some(*client.get::<Tank>(client.local_player()?)?.color)
    }
}

impl Member {
    fn receive(&mut self, channel: Channel, batch: &[u8]) {
        for message in Unbatcher::new(batch).unwrap() {
            let message = message.unwrap();
            self.received
                .push(u16::from_le_bytes([message[0], message[1]]));
        }
        self.client.handle_packet(channel, batch).unwrap();
    }

    fn update(&mut self, now: Duration) {
        while let Some(event) = self.client.poll_event() {
            if let MirrorClientEvent::SceneChange(change) = event {
                assert_eq!(change.operation, SceneOperation::Normal);
                self.scenes.push(change.scene);
            }
        }
        if self.loads && self.client.is_loading_scene() {
            self.client.scene_loaded();
        }
        self.client.update(now);
    }
}

#[test]
fn players_gather_play_and_return() {
    let mut world = World::new(2);
    let [first, second] = [world.join(), world.join()];
    assert_eq!(world.seen(first), [(0, false), (1, false)]);
    let room_player = world.clients[second].client.local_player();
    world.set_ready(first, true);
    assert_eq!(world.seen(second), [(0, true), (1, false)]);
    assert!(world.room.is_open() && !world.room.all_players_ready());

    world.set_ready(second, true);
    assert!(world.room.is_loading());
    assert_eq!(world.clients[first].scenes, ["Room", "Arena"]);
    // The clients are faster than the server: they wait for their tanks.
    assert_eq!(world.tank(first), None);
    world.room.scene_loaded(&mut world.server);
    world.run(4);
    assert_eq!([world.tank(first), world.tank(second)], [Some(0), Some(1)]);
    // The room player stays with its owner.
    let client = &world.clients[second].client;
    assert!(client.is_owned(room_player.unwrap()));
    assert_ne!(client.local_player(), room_player);

    world.room.return_to_room(&mut world.server);
    world.run(6);
    assert_eq!(world.clients[second].scenes, ["Room", "Arena", "Room"]);
    assert_eq!(world.clients[second].client.local_player(), room_player);
    assert_eq!(world.seen(first), [(0, false), (1, false)]);
    assert_eq!(world.clients[first].client.iter::<Tank>().count(), 0);
    assert_eq!(world.room.game().log, ["ready"]);
}

#[test]
fn owner_of_a_replaced_player_is_not_announced_anew() {
    let mut world = World::new(1);
    let only = world.join();
    world.set_ready(only, true);
    world.clients[only].received.clear();
    world.room.scene_loaded(&mut world.server);
    world.run(2);
    let received = &world.clients[only].received;
    let count = |name| received.iter().filter(|id| **id == hash16(name)).count();
    assert_eq!(count("Mirror.SpawnMessage"), 1);
    assert_eq!(count("Mirror.ChangeOwnerMessage"), 0);
}

#[test]
fn late_client_of_the_scene_gets_its_player_when_it_has_loaded() {
    let mut world = World::new(1);
    let [fast, slow] = [world.join(), world.join()];
    world.clients[slow].loads = false;
    world.set_ready(fast, true);
    world.set_ready(slow, true);
    world.room.scene_loaded(&mut world.server);
    world.run(10);
    assert_eq!((world.tank(fast), world.tank(slow)), (Some(0), None));
    world.clients[slow].loads = true;
    world.run(4);
    assert_eq!(world.tank(slow), Some(1));
    assert_eq!(world.clients[fast].client.iter::<Tank>().count(), 2);
}

#[test]
fn end_of_a_connection_renumbers_the_others_and_clears_readiness() {
    let mut world = World::new(3);
    let [first, second, third] = [world.join(), world.join(), world.join()];
    world.set_ready(second, true);
    world.set_ready(third, true);
    let leaves = world.clients[first].connection;
    world.server.handle_disconnect(leaves);
    world.run(3);
    assert_eq!(world.seen(third), [(0, false), (1, false)]);
    assert_eq!(world.room.slots().len(), 2);
}

#[test]
fn connections_during_a_game_and_beyond_the_room_are_refused() {
    let mut world = World::new(1);
    for _ in 0..3 {
        world.join();
    }
    let beyond = world.join();
    assert!(!world.clients[beyond].client.is_connected());
    assert_eq!(world.room.slots().len(), 3);
    for index in 0..3 {
        world.set_ready(index, true);
    }
    assert!(!world.room.is_open());
    let late = world.join();
    assert!(!world.clients[late].client.is_connected());
    assert!(world.clients[0].client.is_connected());
}

#[test]
fn game_that_waits_begins_when_it_wants() {
    let mut world = World::new(1);
    world.room.game_mut().waits = true;
    let only = world.join();
    world.set_ready(only, true);
    assert!(world.room.all_players_ready());
    world.set_ready(only, false);
    assert!(!world.room.all_players_ready());
    world.set_ready(only, true);
    world.room.start(&mut world.server);
    world.room.scene_loaded(&mut world.server);
    world.run(4);
    assert_eq!(world.tank(only), Some(0));
    assert_eq!(world.room.game().log, ["ready", "not ready", "ready"]);
}

#[test]
fn command_has_the_number_and_bytes_of_mirror() {
    let mut world = World::new(2);
    let only = world.join();
    let client = &mut world.clients[only].client;
    let player = client.local_player().unwrap();
    let calls = client.calls::<NetworkRoomPlayer>(player);
    calls.change_ready_state(true).unwrap();
    client.update(world.now + Duration::from_millis(20));
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
    let mut world = World::new(1);
    let only = world.join();
    let client = &mut world.clients[only].client;
    let guest = client.local_player().unwrap();
    assert_eq!(client.get::<Guest>(guest).unwrap().color, 7);
    // The command of the base reaches the class.
    world.room.game_mut().waits = true;
    world.set_ready(only, true);
    let guest = world.clients[only].client.get::<Guest>(guest).unwrap();
    assert_eq!((*guest.room.ready_to_begin, *guest.room.index), (true, 0));
}
