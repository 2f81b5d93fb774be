//! Objects, fields and calls in a recording.

use std::time::Duration;

use syncvar::behaviour::FieldVisitor;
use syncvar::interest::{SpatialGrid, Tag};
use syncvar::prelude::*;
use syncvar::schema::{BehaviourSchema, FieldSchema};
use syncvar::values::{Quaternion, Vector3};
use syncvar::wire::{NetworkReader, NetworkWriter, ReadError, WriteErrorKind};
use syncvar::{Channel, NetworkBehaviour, NetworkIdentity, ServerConfig};
use syncvar_testing::{Compass, Door, Player};

#[derive(SyncValue, Clone)]
struct News(String);

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Spy {
    #[sync_var]
    public: SyncVar<String>,
    #[sync_var(read = owner)]
    secret: SyncVar<String>,
    #[sync_var(read = group)]
    plan: SyncVar<String>,
    #[sync_var(read = others)]
    disguise: SyncVar<String>,
    heard: Vec<String>,
}

#[network_calls]
impl Spy {
    #[client_rpc]
    fn shout(&mut self, text: String) {
        self.heard.push(text);
    }

    #[client_rpc(target = owner)]
    fn tell_owner(&mut self, text: String) {
        self.heard.push(text);
    }

    #[client_rpc(target = not_owner)]
    fn tell_others(&mut self, text: String) {
        self.heard.push(text);
    }

    #[target_rpc]
    fn whisper(&mut self, text: String) {
        self.heard.push(text);
    }
}

/// A height that has no form below 0, and a list with operations.
#[derive(Default)]
struct Kite {
    height: SyncVar<i32>,
    log: SyncList<i32>,
}

impl NetworkBehaviour for Kite {
    type Previous = ();
    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "Kite",
        base: None,
        fields: &[
            FieldSchema::of::<SyncVar<i32>>("height"),
            FieldSchema::of::<SyncList<i32>>("log"),
        ],
    };

    fn sync_var_dirty_bits(&self) -> u64 {
        u64::from(self.height.is_dirty()) | u64::from(self.log.is_dirty()) << 1
    }

    fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
        visitor.field(1, "Kite.height", &mut self.height);
        visitor.field(2, "Kite.log", &mut self.log);
    }

    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        if *self.height < 0 {
            writer.fail(WriteErrorKind::Custom("a kite below the ground"));
        }
        writer.write(&*self.height);
        if initial_state {
            self.log.write_full(writer);
        } else {
            self.log.write_delta(writer);
        }
        initial_state || self.sync_var_dirty_bits() != 0
    }

    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError> {
        self.height.set(reader.read()?);
        if initial_state {
            self.log.read_full(reader)
        } else {
            self.log.read_delta(reader)
        }
    }
}

fn prefabs() -> Prefabs {
    syncvar_testing::prefabs()
        .register::<Spy>("spy")
        .register::<Kite>("kite")
        .register::<Compass>("compass")
        .message::<News>("news")
}

/// A server with a recording, and a client that plays it.
struct Show {
    server: NetworkServer,
    player: NetworkClient,
    now: Duration,
    last: u64,
    /// Bytes of all records.
    bytes: Vec<u8>,
}

impl Show {
    fn new() -> Self {
        Self::of(NetworkServer::new(prefabs()))
    }

    fn of(mut server: NetworkServer) -> Self {
        server.start_recording();
        let mut show = Self {
            server,
            player: NetworkClient::new(prefabs()),
            now: Duration::from_secs(1),
            last: 0,
            bytes: Vec::new(),
        };
        show.server.update(show.now);
        let keyframe = show.server.keyframe().unwrap();
        show.player.handle_record(keyframe).unwrap();
        show.last = keyframe.seq();
        show
    }

    fn update(&mut self) {
        self.now += Duration::from_millis(200);
        self.server.update(self.now);
        for record in self.server.records_after(self.last) {
            self.player.handle_record(record).unwrap();
            self.bytes.extend(record.as_bytes());
            self.last = record.seq();
        }
        let poisoned = |event: ClientEvent| match event {
            ClientEvent::Poisoned { .. } | ClientEvent::EarlyMessagesDropped { .. } => Some(event),
            _ => None,
        };
        let failed = std::iter::from_fn(|| self.player.poll_event()).find_map(poisoned);
        assert_eq!(failed, None);
    }

    fn contains(&self, text: &str) -> bool {
        let mut places = self.bytes.windows(text.len());
        places.any(|bytes| bytes == text.as_bytes())
    }
}

#[test]
fn restricted_fields_are_not_recorded() {
    let mut net = MemoryNetwork::pair(prefabs);
    net.settle();
    let connection = net.connection(0);
    let mut show = Show::of(net.server);
    let spy = Spy {
        secret: String::from("first secret").into(),
        plan: String::from("first plan").into(),
        ..Spy::default()
    };
    let options = SpawnOptions {
        owner: Some(connection),
        ..SpawnOptions::default()
    };
    let id = show.server.try_spawn(spy, options).unwrap();
    show.server.set_group(id, Some(Tag(1))).unwrap();
    show.server.join_group(connection, Tag(1)).unwrap();
    show.update();
    let mut spy = show.server.get_mut::<Spy>(id).unwrap();
    spy.public.set("for all".into());
    spy.secret.set("second secret".into());
    spy.plan.set("second plan".into());
    spy.disguise.set("a beard".into());
    drop(spy);
    show.update();
    show.server.request_keyframe();
    show.update();
    show.bytes
        .extend(show.server.keyframe().unwrap().as_bytes());
    for hidden in ["secret", "plan"] {
        assert!(!show.contains(hidden), "{hidden}");
    }
    let replica = show.player.get::<Spy>(id).unwrap();
    assert_eq!(
        (&**replica.public, &**replica.disguise),
        ("for all", "a beard")
    );
}

#[test]
fn calls_and_messages_to_chosen_clients_are_not_recorded() {
    let mut net = MemoryNetwork::pair(prefabs);
    net.settle();
    let connection = net.connection(0);
    let mut show = Show::of(net.server);
    let options = SpawnOptions {
        owner: Some(connection),
        ..SpawnOptions::default()
    };
    let id = show.server.try_spawn(Spy::default(), options).unwrap();
    // Deferred until the object is spawned.
    show.server.calls::<Spy>(id).shout("early".into()).unwrap();
    show.server
        .calls::<Spy>(id)
        .whisper(connection, "early whisper".into())
        .unwrap();
    show.update();
    show.server.calls::<Spy>(id).shout("to all".into()).unwrap();
    show.server
        .calls::<Spy>(id)
        .tell_owner("to the owner".into())
        .unwrap();
    show.server
        .calls::<Spy>(id)
        .tell_others("to others".into())
        .unwrap();
    show.server
        .calls::<Spy>(id)
        .whisper(connection, "a whisper".into())
        .unwrap();
    show.server
        .send(connection, &News("to one".into()))
        .unwrap();
    show.server.send_to_ready(&News("news".into())).unwrap();
    show.now += Duration::from_millis(200);
    show.server.update(show.now);
    let record = show.server.records_after(show.last).next().unwrap().clone();
    show.player.handle_record(&record).unwrap();
    show.bytes.extend(record.as_bytes());
    let replica = show.player.get::<Spy>(id).unwrap();
    assert_eq!(replica.heard, ["early", "to all", "to others"]);
    for hidden in ["whisper", "owner", "to one"] {
        assert!(!show.contains(hidden), "{hidden}");
    }
    let events = std::iter::from_fn(|| show.player.poll_event());
    let messages = events.filter(|event| matches!(event, ClientEvent::Message(_)));
    assert_eq!(messages.count(), 1);
}

#[test]
fn interest_management_does_not_limit_a_recording() {
    let grid = SpatialGrid::xz(10.0, 20.0);
    let server = NetworkServer::with_interest(prefabs(), ServerConfig::default(), grid);
    let mut show = Show::of(server);
    let ids = [-500.0, 0.0, 500.0].map(|x| {
        let options = SpawnOptions {
            position: Vector3::new(x, 0.0, 0.0),
            ..SpawnOptions::default()
        };
        show.server.try_spawn(Player::new(1, "a"), options).unwrap()
    });
    show.update();
    assert_eq!(show.player.object_count(), 3);
    // From one area to another.
    let far = Vector3::new(0.0, 0.0, 900.0);
    show.server
        .set_transform(ids[0], far, Quaternion::IDENTITY)
        .unwrap();
    let mut player = show.server.get_mut::<Player>(ids[0]).unwrap();
    player.health.set(8);
    drop(player);
    show.update();
    let replica = show.player.get::<Player>(ids[0]).unwrap();
    assert_eq!(
        replica.log,
        ["health 1 -> 8 (a, 0)"],
        "one change, and no new spawn"
    );
    // A recording that begins when the areas are there.
    show.server.stop_recording();
    show.server.start_recording();
    show.server.update(show.now + Duration::from_secs(1));
    let mut late = NetworkClient::new(prefabs());
    late.handle_record(show.server.keyframe().unwrap()).unwrap();
    assert_eq!(late.object_count(), 3);
}

#[test]
fn objects_hidden_from_all_are_not_recorded() {
    let mut net = MemoryNetwork::pair(prefabs);
    net.settle();
    let connection = net.connection(0);
    let mut show = Show::of(net.server);
    let options = SpawnOptions {
        hidden: true,
        ..SpawnOptions::default()
    };
    let hidden = show.server.try_spawn(Door::default(), options).unwrap();
    let shown = show.server.spawn(Door::default());
    show.server.show(hidden, connection).unwrap();
    show.server.hide(shown, connection).unwrap();
    show.update();
    let ids = |show: &Show| -> Vec<_> {
        show.player
            .identities()
            .map(NetworkIdentity::net_id)
            .collect()
    };
    assert_eq!(ids(&show), [shown]);
    show.server.show_to_all(hidden).unwrap();
    show.server.hide_from_all(shown).unwrap();
    show.update();
    assert_eq!(ids(&show), [hidden]);
    // The record has the change too, not the keyframe of the update alone.
    show.server.hide_from_all(hidden).unwrap();
    show.server.request_keyframe();
    show.update();
    assert_eq!(ids(&show), []);
    assert_eq!(show.server.keyframe().unwrap().items().count(), 0);
}

#[test]
fn object_that_could_not_be_written_is_recorded_later() {
    let mut show = Show::new();
    let options = SpawnOptions {
        hidden: true,
        ..SpawnOptions::default()
    };
    let id = show.server.try_spawn(Kite::default(), options).unwrap();
    show.update();
    let set = |show: &mut Show, height| {
        let mut kite = show.server.get_mut::<Kite>(id).unwrap();
        kite.height.set(height);
        kite.log.push(height);
    };
    set(&mut show, -1);
    show.server.show_to_all(id).unwrap();
    show.update();
    assert!(show.player.identity(id).is_none());
    for height in [1, 2] {
        set(&mut show, height);
        show.update();
        let (kite, replica) = (show.server.get::<Kite>(id), show.player.get::<Kite>(id));
        let (kite, replica) = (kite.unwrap(), replica.unwrap());
        assert_eq!(*replica.height, height);
        assert_eq!(*replica.log, *kite.log, "each operation is applied once");
    }
}

#[test]
fn state_of_unreliable_channels_is_recorded() {
    let mut show = Show::new();
    let id = show.server.spawn(Compass::default());
    show.update();
    show.server
        .get_mut::<Compass>(id)
        .unwrap()
        .heading
        .set(90.0);
    show.now += Duration::from_secs(1);
    show.server.update(show.now);
    let record = show.server.records_after(show.last).next().unwrap();
    let item = record.items().next().unwrap();
    assert_eq!((item.channel, item.delivery), (1, Channel::Unreliable));
    show.player.handle_record(record).unwrap();
    assert!((*show.player.get::<Compass>(id).unwrap().heading - 90.0).abs() < f32::EPSILON);
}

#[test]
fn parents_and_the_scene_are_recorded() {
    let mut show = Show::new();
    let [above, below] = [(); 2].map(|()| show.server.spawn(Door::default()));
    show.server.set_parent(below, Some(above)).unwrap();
    show.update();
    let parent = |show: &Show| show.player.identity(below).unwrap().parent();
    assert_eq!(parent(&show), Some(above));
    show.server.set_parent(below, None).unwrap();
    show.update();
    assert_eq!(parent(&show), None);
}

#[test]
fn clients_receive_the_same_bytes_beside_a_recording() {
    let run = |records: bool| {
        let mut net = MemoryNetwork::pair(prefabs);
        net.settle();
        let mut server = net.server;
        if records {
            server.start_recording();
        }
        let mut packets = Vec::new();
        let mut players = Vec::new();
        for round in 0..40_u32 {
            if round % 4 == 0 {
                players.push(server.spawn(Player::new(1, "a")));
            }
            for (number, id) in (0_u32..).zip(&players) {
                if (round + number) % 3 == 0 {
                    let mut player = server.get_mut::<Player>(*id).unwrap();
                    *player.score += round;
                }
            }
            if round % 7 == 6 {
                server.despawn(players.remove(0)).unwrap();
            }
            server.update(Duration::from_mins(1) + round * Duration::from_millis(40));
            while let Some(transmit) = server.poll_transmit() {
                packets.push((transmit.connection, transmit.channel, transmit.to_bytes()));
            }
        }
        packets
    };
    let packets = run(false);
    assert!(packets.len() > 20);
    assert_eq!(run(true), packets);
}

#[test]
fn recording_is_invisible_to_the_program() {
    let mut show = Show::new();
    let connection = show.server.handle_connect();
    assert_eq!(show.server.connections().collect::<Vec<_>>(), [connection]);
    assert_eq!(show.server.poll_event(), None);
    assert!(show.server.poll_transmit().is_none());
    show.update();
    assert!(show.server.poll_transmit().is_none());
    // Numbers of connections can be guessed.
    for number in (0..10).filter(|number| *number != connection.0) {
        let guess = ConnectionId(number);
        let id = show.server.spawn(Door::default());
        assert!(show.server.hide(id, guess).is_err());
        assert!(show.server.set_owner(id, Some(guess)).is_err());
        assert!(show.server.handle_packet(guess, 0, &[]).is_err());
        assert!(!show.server.is_connected(guess) && !show.server.is_ready(guess));
        show.server.disconnect(guess, "enough");
        show.server.set_not_ready(guess);
        show.server.handle_disconnect(guess);
    }
    show.update();
    assert_eq!(show.player.object_count(), 9);
}
