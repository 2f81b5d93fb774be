//! Clients without compiled types: fields, writes, calls and messages by name.

use std::time::Duration;

use syncvar::behaviour::{BufferSerializer, Synchronize};
use syncvar::error::SynchronizeError;
use syncvar::prelude::*;
use syncvar::schema::Schema;
use syncvar::testing::{Conditions, MemoryNetwork};
use syncvar::untyped::{FieldErrorKind, UntypedBehaviour, Value};
use syncvar::{ClientConfig, Framing, SyncValue};

#[derive(SyncValue, Clone, Debug, PartialEq)]
struct Shot {
    at: NetRef,
    power: f32,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Body {
    #[sync_var]
    health: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, synchronize)]
struct Tank {
    #[network_behaviour(base)]
    body: Body,
    #[sync_var(read = owner)]
    fuel: SyncVar<u32>,
    #[sync_var(write = owner)]
    turret: SyncVar<f32>,
    #[sync_var]
    crew: SyncList<String>,
    #[sync_var]
    target: SyncVar<NetRef>,
    shots: Vec<Shot>,
}

impl Synchronize for Tank {
    fn on_synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError> {
        let mut colour = 300_u16;
        serializer.serialize_value(&mut colour)
    }
}

#[network_calls]
impl Tank {
    #[command]
    fn fire(&mut self, shot: Shot) {
        self.shots.push(shot);
    }

    #[client_rpc]
    fn shake(&mut self, strength: u8) {
        *self.body.health -= i32::from(strength);
    }

    #[sync_event]
    fn hit(by: NetRef);
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Tank>("tank")
        .register::<Optional<Body>>("ghost")
        .message::<Shot>("shot")
}

/// Returns a network with a client without compiled types, and its index.
fn network(framing: Framing) -> (MemoryNetwork, usize) {
    let mut net = MemoryNetwork::new(prefabs);
    let learned = Prefabs::from_schema(&prefabs().schema()).unwrap();
    let config = ClientConfig {
        framing,
        ..ClientConfig::default()
    };
    let client = net.connect_client(NetworkClient::with_config(learned, config));
    net.settle();
    (net, client)
}

fn events(net: &mut MemoryNetwork, client: usize) -> Vec<ClientEvent> {
    std::iter::from_fn(|| net.client_mut(client).poll_event()).collect()
}

fn tank_of(net: &mut MemoryNetwork, client: usize) -> NetId {
    let owner = Some(net.connection(client));
    let options = SpawnOptions {
        owner,
        ..SpawnOptions::default()
    };
    let id = net.server.try_spawn(Tank::default(), options).unwrap();
    net.settle();
    id
}

#[test]
fn fields_are_read_by_name_in_both_framings() {
    for framing in [Framing::Unet, Framing::Compact] {
        let (mut net, client) = network(framing);
        let id = tank_of(&mut net, client);
        assert_eq!(net.client(client).framing(), framing);
        let mut tank = net.server.get_mut::<Tank>(id).unwrap();
        tank.body.health.set(-7);
        tank.fuel.set(9);
        tank.crew.extend(["Ann".to_owned(), "Bob".to_owned()]);
        tank.target.set(id.into());
        drop(tank);
        net.settle();
        let tank = net.client(client).untyped(id, "Tank").unwrap();
        let fields: Vec<_> = tank
            .fields()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        let expected = [
            "health: -7",
            "fuel: 9",
            "turret: 0.0",
            "crew: [\"Ann\", \"Bob\"]",
            &format!("target: {id}"),
        ];
        assert_eq!(fields, expected);
        net.assert_replicas_equal();
    }
}

#[test]
fn changes_are_events_with_the_names_of_the_fields() {
    let (mut net, client) = network(Framing::Compact);
    let id = tank_of(&mut net, client);
    events(&mut net, client);
    net.server.get_mut::<Tank>(id).unwrap().body.health.set(5);
    net.settle();
    let changed = events(&mut net, client)
        .into_iter()
        .find_map(|event| match event {
            ClientEvent::Changed { object, fields, .. } => Some((object, fields)),
            _ => None,
        });
    let (object, fields) = changed.expect("a change");
    assert_eq!((object, fields.behaviour()), (id, "Tank"));
    assert_eq!(fields.names().collect::<Vec<_>>(), ["health"]);
}

#[test]
fn calls_and_events_arrive_with_their_arguments() {
    let (mut net, client) = network(Framing::Compact);
    let id = tank_of(&mut net, client);
    events(&mut net, client);
    net.server.calls::<Tank>(id).shake(3).unwrap();
    net.server.calls::<Tank>(id).hit(id.into()).unwrap();
    net.settle();
    let mut received = Vec::new();
    for event in events(&mut net, client) {
        match event {
            ClientEvent::Called(called) => received.push((called.name(), called.values().unwrap())),
            ClientEvent::SyncEvent(event) => {
                received.push((event.name(), event.values().unwrap()));
            }
            _ => {}
        }
    }
    let expected = [
        ("shake", vec![("strength", Value::from(3))]),
        ("hit", vec![("by", Value::object(id))]),
    ];
    assert_eq!(received, expected);
}

#[test]
fn commands_and_writes_of_the_owner_reach_the_server() {
    for framing in [Framing::Unet, Framing::Compact] {
        let (mut net, client) = network(framing);
        let id = tank_of(&mut net, client);
        let shot = Value::structure([("at", Value::object(id)), ("power", 0.5.into())]);
        let player = net.client_mut(client);
        player.call(id, "Tank", "fire", &[shot]).unwrap();
        assert!(player.set_value(id, "Tank", "turret", 1.25).unwrap());
        assert!(!player.set_value(id, "Tank", "turret", 1.25).unwrap());
        net.settle();
        let tank = net.server.get::<Tank>(id).unwrap();
        let shot = Shot {
            at: id.into(),
            power: 0.5,
        };
        assert_eq!((&tank.shots[..], *tank.turret), (&[shot][..], 1.25));
        net.assert_replicas_equal();
    }
}

#[test]
fn impossible_writes_and_calls_say_why() {
    let (mut net, client) = network(Framing::Compact);
    let id = tank_of(&mut net, client);
    let ghost = net.server.spawn(Optional::<Body>::default());
    net.settle();
    let player = net.client_mut(client);
    let mut write = |id, behaviour: &str, field: &str, value: Value| {
        let error = player.set_value(id, behaviour, field, value).unwrap_err();
        error.to_string()
    };
    let errors = [
        (
            write(NetId(99), "Tank", "turret", 1.into()),
            "Tank.turret: object #99 does not exist here",
        ),
        (
            write(id, "Plane", "turret", 1.into()),
            "Plane.turret: no such behaviour on the object",
        ),
        (
            write(id, "Tank", "wings", 1.into()),
            "Tank.wings: no such field",
        ),
        (
            write(id, "Tank", "fuel", 1.into()),
            "Tank.fuel: this client may not write the field",
        ),
        (
            write(id, "Tank", "turret", "up".into()),
            "Tank.turret: a float expected, not a text",
        ),
        (
            write(ghost, "Body", "health", 1.into()),
            "Optional<Body>.health: this client may not write the field",
        ),
    ];
    for (error, expected) in errors {
        assert_eq!(error, expected);
    }
    let player = net.client_mut(client);
    let mut call = |command: &str, arguments: &[Value]| {
        let error = player.call(id, "Tank", command, arguments).unwrap_err();
        error.to_string()
    };
    assert_eq!(
        call("jump", &[]),
        format!("object {id} has no command Tank.jump there")
    );
    // A call of the server is no command.
    assert_eq!(
        call("shake", &[1.into()]),
        format!("object {id} has no command Tank.shake there")
    );
    assert_eq!(
        call("fire", &[]),
        "an argument does not fit: 0 elements, 1 expected"
    );
    let shot = Value::structure([("at", 1)]);
    assert_eq!(
        call("fire", &[shot]),
        "an argument does not fit: shot: the member `power` is missing"
    );
    let error = net.client_mut(client).send_value("chat", 1).unwrap_err();
    assert_eq!(error.to_string(), "no message is named `chat`");
}

#[test]
fn an_optional_behaviour_comes_and_goes() {
    let (mut net, client) = network(Framing::Compact);
    let id = net.server.spawn(Optional::<Body>::default());
    net.settle();
    let names = |net: &MemoryNetwork| -> Vec<_> {
        let ghost = net.client(client).untyped(id, "Body").unwrap();
        ghost.fields().map(|(name, _)| name).collect()
    };
    assert_eq!(names(&net), ["present"]);
    assert_eq!(net.client(client).value(id, "Body", "health"), None);
    let body = Body { health: 4.into() };
    net.server
        .get_mut::<Optional<Body>>(id)
        .unwrap()
        .set(Some(body));
    net.settle();
    assert_eq!(names(&net), ["health", "present"]);
    assert_eq!(
        net.client(client).value(id, "Body", "health"),
        Some(&4.into())
    );
    net.server.get_mut::<Optional<Body>>(id).unwrap().set(None);
    net.settle();
    assert_eq!(names(&net), ["present"]);
}

#[test]
fn a_server_without_compiled_types_adds_and_removes_an_optional_behaviour() {
    let schema = prefabs().schema();
    let mut net = MemoryNetwork::new(move || Prefabs::from_schema(&schema).unwrap());
    net.connect_client(NetworkClient::new(prefabs()));
    net.settle();
    let id = net.server.spawn_prefab("ghost", SpawnOptions::default());
    let id = id.unwrap();
    net.settle();
    let health = |net: &MemoryNetwork| {
        let ghost = net.client(0).get::<Optional<Body>>(id).unwrap();
        ghost.as_ref().map(|body| *body.health)
    };
    for first in [5, 6] {
        let server = &mut net.server;
        server.set_value(id, "Body", "present", true).unwrap();
        server.set_value(id, "Body", "health", first).unwrap();
        net.settle();
        assert_eq!(health(&net), Some(first));
    }
    net.server.set_value(id, "Body", "present", false).unwrap();
    net.server.set_value(id, "Body", "present", true).unwrap();
    net.settle();
    assert_eq!(health(&net), Some(0), "a new instance");
    net.server.set_value(id, "Body", "present", false).unwrap();
    net.settle();
    assert_eq!(health(&net), None);
    let error = net.server.set_value(id, "Body", "health", 1).unwrap_err();
    assert_eq!(error.kind(), &FieldErrorKind::Absent);
}

#[test]
fn a_write_of_the_owner_that_crosses_an_override_returns_to_the_owner() {
    let text = "\
prefab door 5b882675757277b806e97060b8398901
  behaviour Door, channel 0
    class Door
      lock: u8, written by the owner and the server
";
    let schema = Schema::parse(text).unwrap();
    let mut net = MemoryNetwork::pair(move || Prefabs::from_schema(&schema).unwrap());
    net.settle();
    let owner = Some(net.connection(0));
    let options = SpawnOptions {
        owner,
        ..SpawnOptions::default()
    };
    let door = net.server.spawn_prefab("door", options).unwrap();
    net.settle();
    net.set_uplink(
        0,
        Conditions {
            delay: Duration::from_millis(200),
            ..Conditions::default()
        },
    );
    let client = net.client_mut(0);
    client.set_value(door, "Door", "lock", 3).unwrap();
    net.step();
    net.step();
    net.server.set_value(door, "Door", "lock", 9).unwrap();
    net.settle();
    let last = Some(&Value::from(3));
    assert_eq!(net.server.value(door, "Door", "lock"), last);
    assert_eq!(net.client(0).value(door, "Door", "lock"), last);
}

#[test]
fn a_former_owner_forgets_what_only_the_owner_reads() {
    let (mut net, client) = network(Framing::Compact);
    let id = tank_of(&mut net, client);
    net.server.get_mut::<Tank>(id).unwrap().fuel.set(8);
    net.settle();
    assert_eq!(
        net.client(client).value(id, "Tank", "fuel"),
        Some(&8.into())
    );
    net.server.set_owner(id, None).unwrap();
    net.settle();
    assert_eq!(
        net.client(client).value(id, "Tank", "fuel"),
        Some(&0.into())
    );
    let error = net
        .client_mut(client)
        .set_value(id, "Tank", "turret", 1.0)
        .unwrap_err();
    assert_eq!(error.kind(), &FieldErrorKind::NotWritable);
}

#[test]
fn behaviours_of_an_object_are_listed() {
    let (mut net, client) = network(Framing::Compact);
    let id = tank_of(&mut net, client);
    let client = net.client(client);
    let names: Vec<_> = client
        .untyped_behaviours(id)
        .map(UntypedBehaviour::name)
        .collect();
    assert_eq!(names, ["Tank"]);
    assert_eq!(client.untyped_behaviours(NetId(99)).count(), 0);
    assert!(client.get::<Tank>(id).is_none());
}

#[test]
fn values_are_json() {
    let value = Value::structure([
        ("position", Value::structure([("x", 1.5)])),
        ("pair", Value::tuple([1, 2])),
        ("mood", Value::variant("Calm")),
        ("effect", Value::variant_of("Burn", [("damage", 5)])),
        ("names", ["a", "b"].into()),
        ("scores", Value::map([("a", 1)])),
        ("none", Value::Optional(None)),
        ("some", Some(true).into()),
        ("friend", Value::object(NetId(7))),
    ]);
    let json = serde_json::to_string(&value).unwrap();
    let expected = r#"{"position":{"x":1.5},"pair":[1,2],"mood":"Calm","effect":{"Burn":{"damage":5}},"names":["a","b"],"scores":{"a":1},"none":null,"some":true,"friend":7}"#;
    assert_eq!(json, expected);
    let read: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), expected);
    assert_eq!(read["position"]["x"], 1.5.into());
}

#[test]
fn a_schema_with_a_fault_names_its_place() {
    let schema = |line: &str| {
        let text = format!(
            "prefab lamp 00000000000000000000000000000001\n  behaviour Lamp, channel 0\n    class Lamp\n      {line}\n"
        );
        Prefabs::from_schema(&Schema::parse(&text).unwrap())
    };
    assert!(schema("level: u8").is_ok());
    let errors = [
        (
            "level: [Percent]",
            "prefab `lamp`, Lamp.level: the layout of the type `Percent` is unknown",
        ),
        (
            "level: [u8; 70000]",
            "prefab `lamp`, Lamp.level: the type has no first value, or a too large one",
        ),
        (
            "command a = Cmd(x: Percent)",
            "prefab `lamp`, Lamp.a: the layout of the type `Percent` is unknown",
        ),
    ];
    for (line, expected) in errors {
        assert_eq!(schema(line).unwrap_err().to_string(), expected);
    }
    // UNet knows a call by the hash of its name.
    let twice = schema("command a = Cmd()\n      command b = Cmd()").unwrap_err();
    let expected =
        "prefab `lamp`, Lamp.b: a name, number or hash occurs twice, or a part is missing";
    assert_eq!(twice.to_string(), expected);
}

#[test]
fn a_client_without_prefabs_learns_the_schema_of_its_server() {
    for framing in [Framing::Unet, Framing::Compact] {
        let mut net = MemoryNetwork::new(prefabs);
        let config = ClientConfig {
            framing,
            ..ClientConfig::default()
        };
        let client = net.connect_client(NetworkClient::learning_with_config(config));
        net.settle();
        let id = tank_of(&mut net, client);
        let player = net.client_mut(client);
        assert_eq!(player.framing(), framing);
        assert_eq!(player.prefabs().schema(), prefabs().schema());
        player.set_value(id, "Tank", "turret", 2.0).unwrap();
        net.server.get_mut::<Tank>(id).unwrap().fuel.set(6);
        net.settle();
        assert_eq!(
            net.client(client).value(id, "Tank", "fuel"),
            Some(&6.into())
        );
        net.assert_replicas_equal();
    }
}

#[test]
fn a_learning_client_returns_with_the_learned_schema() {
    let mut net = MemoryNetwork::new(prefabs);
    let client = net.connect_client(NetworkClient::learning());
    net.settle();
    let id = net.server.spawn(Tank::default());
    net.settle();
    net.cut(client);
    net.settle();
    net.reconnect(client);
    net.settle();
    assert_eq!(
        net.client(client).value(id, "Tank", "health"),
        Some(&0.into())
    );
    net.assert_replicas_equal();
}

/// Connects a client to a server until both are quiet.
fn handshake(server: &mut NetworkServer, client: &mut NetworkClient) {
    client.handle_connect();
    let connection = server.handle_connect();
    for _ in 0..8 {
        while let Some(packet) = client.poll_transmit() {
            drop(server.handle_packet(connection, packet.channel, &packet.bytes));
        }
        while let Some(transmit) = server.poll_transmit() {
            drop(client.handle_packet(transmit.channel, &transmit.to_bytes()));
        }
        server.update(Duration::from_millis(100));
    }
}

#[test]
fn a_server_of_a_different_schema_is_learned_anew() {
    let mut client = NetworkClient::learning();
    let mut first = NetworkServer::new(prefabs());
    first.spawn(Tank::default());
    handshake(&mut first, &mut client);
    assert_eq!((client.is_connected(), client.object_count()), (true, 1));
    client.handle_disconnect();
    let other = || Prefabs::new().register::<Body>("body");
    let mut second = NetworkServer::new(other());
    let id = second.spawn(Body { health: 3.into() });
    handshake(&mut second, &mut client);
    assert!(client.is_connected());
    assert_eq!(client.prefabs().schema(), other().schema());
    assert_eq!(client.value(id, "Body", "health"), Some(&3.into()));
    assert_eq!(client.object_count(), 1);
}

#[test]
fn a_schema_with_an_unknown_type_ends_the_connection_with_its_name() {
    #[derive(Clone, Debug, Default, PartialEq)]
    struct Percent(u8);

    impl SyncValue for Percent {
        const SCHEMA: syncvar::schema::TypeSchema = syncvar::schema::TypeSchema::Named("Percent");

        fn write(&self, writer: &mut syncvar::wire::NetworkWriter) {
            writer.write_u8(self.0);
        }
        fn read(
            reader: &mut syncvar::wire::NetworkReader<'_>,
        ) -> Result<Self, syncvar::wire::ReadError> {
            reader.read_u8().map(Self)
        }
        fn same(&self, other: &Self) -> bool {
            self == other
        }
    }

    #[derive(NetworkBehaviour, Default)]
    struct Lamp {
        #[sync_var]
        level: SyncVar<Percent>,
    }

    let mut client = NetworkClient::learning();
    let mut server = NetworkServer::new(Prefabs::new().register::<Lamp>("lamp"));
    server.spawn(Lamp::default());
    handshake(&mut server, &mut client);
    assert!(!client.is_connected());
    let refused = std::iter::from_fn(|| client.poll_event()).find_map(|event| match event {
        ClientEvent::Refused { reason } => Some(reason.to_string()),
        _ => None,
    });
    let expected = "prefab `lamp`, Lamp.level: the layout of the type `Percent` is unknown";
    assert!(refused.is_some_and(|reason| reason.contains(expected)));
}

#[test]
fn records_are_played_without_compiled_types() {
    let mut server = NetworkServer::new(prefabs());
    server.start_recording();
    let id = server.spawn(Tank::default());
    server.request_keyframe();
    server.update(Duration::from_secs(1));
    let keyframe = server.keyframe().unwrap().clone();
    let learned = Prefabs::from_schema(&server.prefabs().schema()).unwrap();
    let mut client = NetworkClient::new(learned);
    client.handle_record(&keyframe).unwrap();
    assert_eq!(client.value(id, "Tank", "health"), Some(&0.into()));
    server.get_mut::<Tank>(id).unwrap().body.health.set(-3);
    server.update(Duration::from_secs(2));
    for record in server
        .records_after(keyframe.seq())
        .filter(|it| !it.is_keyframe())
    {
        client.handle_record(record).unwrap();
    }
    assert_eq!(client.value(id, "Tank", "health"), Some(&(-3).into()));
}

#[test]
fn an_unreadable_object_is_poisoned_and_asked_for_again() {
    let (mut net, client) = network(Framing::Unet);
    let id = net.server.spawn(Tank::default());
    net.settle();
    events(&mut net, client);
    // UpdateVars: the mask names the crew, and an operation that no list has.
    let delta = [5, 0, 8, 0, u8::try_from(id.0).unwrap(), 0x08, 0x08, 1, 3];
    assert!(net.client_mut(client).handle_packet(0, &delta).is_ok());
    let poisoned = events(&mut net, client)
        .into_iter()
        .find_map(|event| match event {
            ClientEvent::Poisoned { object, error } => Some((object, error.field())),
            _ => None,
        });
    assert_eq!(poisoned, Some((id, Some("Tank.crew"))));
    net.server
        .get_mut::<Tank>(id)
        .unwrap()
        .crew
        .push("Eve".into());
    net.settle();
    let restored = |event: &ClientEvent| matches!(event, ClientEvent::Restored { .. });
    assert!(events(&mut net, client).iter().any(restored));
    net.assert_replicas_equal();
}

#[test]
fn impossible_schemas_are_refused() {
    let of = |body: &str| {
        let text = format!("prefab a 00000000000000000000000000000001\n{body}");
        let schema = Schema::parse(&text).map_err(|error| error.to_string())?;
        Prefabs::from_schema(&schema).map_err(|error| error.to_string())
    };
    let behaviour = "  behaviour A, channel 0\n    class A\n      x: u8\n";
    assert!(of(&behaviour.repeat(64)).is_ok());
    assert!(of(&behaviour.repeat(65)).is_err());
    let optional = "  behaviour A, channel 0, optional\n    class A\n      x: u8\n";
    assert!(of(optional).is_err());
    assert!(of("  behaviour A, channel 0, optional\n").is_err());
    let present = format!("{optional}    class present\n      present: bool\n");
    assert!(of(&present).is_ok());
    // First values are limited in all fields together.
    let fields = |field: &str, count: usize| {
        let field = format!("      f: {field}\n");
        of(&format!(
            "  behaviour A, channel 0\n    class A\n{}",
            field.repeat(count)
        ))
    };
    assert!(fields("[[u8; 100]; 100]", 6).is_ok());
    assert!(fields("[[u8; 100]; 100]", 7).is_err());
    assert!(fields("u8", 64).is_ok());
    assert!(fields("u8", 65).is_err());
}
