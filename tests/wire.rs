//! Every example of WIRE.md, byte for byte: the document is read, each left side is written by the
//! real code, and the right side is what must come out.

use std::collections::BTreeMap;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{
    BehaviourList, Color32, Decimal, Dialect, NetworkHash128, NetworkReader, NetworkSceneId,
    NetworkWriter, Ray, ReadErrorKind, ServerConfig, Vector3,
};

#[derive(NetworkBehaviour)]
struct Data {
    #[sync_var]
    int1: SyncVar<i32>,
    #[sync_var]
    int2: SyncVar<i32>,
    #[sync_var]
    my_string: SyncVar<String>,
}

impl Data {
    fn example() -> Self {
        Self {
            int1: 66.into(),
            int2: 23487.into(),
            my_string: "Example string".into(),
        }
    }
}

#[derive(NetworkBehaviour, Default)]
struct Creature {
    #[sync_var]
    hp: SyncVar<i32>,
    #[sync_var]
    speed: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
struct Orc {
    #[network_behaviour(base)]
    base: Creature,
    #[sync_var]
    rage: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct One {
    #[sync_var]
    v: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Two {
    #[sync_var]
    w: SyncVar<String>,
    #[sync_var]
    k: SyncVar<u8>,
}

#[derive(NetworkBehaviour, Default)]
struct Lamp {
    #[sync_var]
    lit: SyncVar<bool>,
}

#[derive(SyncValue, Clone)]
#[allow(dead_code, reason = "the example is the third")]
enum Gait {
    Stand,
    Walk,
    Run,
}

#[derive(SyncValue, Clone)]
#[allow(dead_code, reason = "the example is the second")]
enum Effect {
    None,
    Burn { damage: u32, seconds: f32 },
}

#[derive(SyncValue, Clone)]
struct Buff {
    id: u32,
    name: String,
    timer: f32,
}

/// The bytes of anything that is written, in UNet's dialect.
fn bytes(write: impl FnOnce(&mut NetworkWriter)) -> String {
    bytes_in(Dialect::Unet, write)
}

fn bytes_in(dialect: Dialect, write: impl FnOnce(&mut NetworkWriter)) -> String {
    let mut writer = NetworkWriter::with_dialect(dialect);
    write(&mut writer);
    hex::encode(writer.as_bytes())
}

fn compact(value: &impl SyncValue) -> String {
    bytes_in(Dialect::Compact, |writer| writer.write(value))
}

fn compact_delta<B: NetworkBehaviour>(mut behaviour: B, change: impl FnOnce(&mut B)) -> String {
    change(&mut behaviour);
    bytes_in(Dialect::Compact, |writer| {
        behaviour.on_serialize(writer, false);
    })
}

fn value(value: &impl SyncValue) -> String {
    bytes(|writer| writer.write(value))
}

fn full(mut behaviour: impl NetworkBehaviour) -> String {
    bytes(|writer| assert!(behaviour.on_serialize(writer, true)))
}

fn delta<B: NetworkBehaviour>(mut behaviour: B, change: impl FnOnce(&mut B)) -> String {
    change(&mut behaviour);
    bytes(|writer| {
        behaviour.on_serialize(writer, false);
    })
}

/// The packets that a server in literal UNet fashion sends to a client that is ready, each message
/// for itself, after something has been done to it.
fn server(prefabs: Prefabs, act: impl FnOnce(&mut NetworkServer, ConnectionId)) -> Vec<String> {
    let mut config = ServerConfig::default();
    config.compare_schemas = false;
    config.gather = false;
    let mut server = NetworkServer::with_config(prefabs, config);
    let connection = server.handle_connect();
    server.set_ready(connection);
    act(&mut server, connection);
    server.update(Duration::from_secs(9));
    packets(&mut server)
}

fn packets(server: &mut NetworkServer) -> Vec<String> {
    let mut packets = Vec::new();
    while let Some(transmit) = server.poll_transmit() {
        packets.push(hex::encode(transmit.to_bytes()));
    }
    packets
}

/// The last packet that is sent.
fn sent(act: impl FnOnce(&mut NetworkServer, ConnectionId)) -> String {
    let prefabs = Prefabs::new().register::<One>("one");
    server(prefabs, act).pop().expect("a packet")
}

fn spawn_300(server: &mut NetworkServer) {
    let options = SpawnOptions {
        net_id: Some(NetId(300)),
        ..SpawnOptions::default()
    };
    server
        .spawn_with(One::default(), options)
        .expect("a free id");
    server.update(Duration::from_secs(1));
}

fn spawn_example() -> String {
    let asset_id = NetworkHash128::parse("a55e7000000000000000000000000001");
    let prefabs = Prefabs::new().register_asset("one", asset_id, One::default);
    let packets = server(prefabs, |server, _| {
        server.update(Duration::from_secs(1));
        server.spawn(One { v: 5.into() });
    });
    packets.into_iter().next_back().expect("a packet")
}

fn update_example() -> String {
    let list = || {
        BehaviourList::new()
            .with(One::default())
            .with(Two::default())
            .with(One::default())
    };
    let prefabs = Prefabs::new().register_with("three", list);
    let packets = server(prefabs, |server, _| {
        let options = SpawnOptions {
            net_id: Some(NetId(3)),
            ..SpawnOptions::default()
        };
        server.spawn_with(list(), options).expect("a free id");
        server.update(Duration::from_secs(1));
        server
            .get_mut::<Two>(NetId(3))
            .expect("the behaviour")
            .k
            .set(2);
    });
    packets.into_iter().next_back().expect("a packet")
}

/// What a client says first, and after an object has been garbled.
fn client_packet(compare_schemas: bool, act: impl FnOnce(&mut NetworkClient)) -> String {
    let mut config = syncvar::ClientConfig::default();
    config.compare_schemas = compare_schemas;
    let mut client = NetworkClient::with_config(Prefabs::new().register::<One>("one"), config);
    client.handle_connect();
    if !compare_schemas {
        client.poll_transmit();
    }
    act(&mut client);
    hex::encode(client.poll_transmit().expect("a packet").bytes)
}

fn resync_example() -> String {
    client_packet(false, |client| {
        let asset_id = NetworkHash128::of("one").0;
        let spawn = [&[7][..], &asset_id, &[0; 12], &[1, 0, 5]].concat();
        let frame = [
            &[u8::try_from(spawn.len()).expect("short"), 0, 3, 0][..],
            &spawn,
        ]
        .concat();
        client.handle_packet(0, &frame).expect("a spawn");
        client
            .handle_packet(0, &[2, 0, 8, 0, 7, 1])
            .expect("a garbled update");
    })
}

/// The hash is replaced: it is that of this test's registry.
fn connect_example() -> String {
    let packet = client_packet(true, |_| ());
    let hash = Prefabs::new()
        .register::<One>("one")
        .schema_hash()
        .to_le_bytes();
    packet.replace(
        &hex::encode(hash),
        &hex::encode(0x0123_4567_89ab_cdef_u64.to_le_bytes()),
    )
}

fn schema_example() -> String {
    let mut server = NetworkServer::new(Prefabs::new().register::<Lamp>("lamp"));
    let connection = server.handle_connect();
    let connect = hex::decode("0a00200002efcdab896745230101").expect("hexadecimal");
    server
        .handle_packet(connection, &connect)
        .expect("a client of another build");
    let refusal = packets(&mut server).concat();
    let disconnect = "03002100010000";
    refusal
        .strip_suffix(disconnect)
        .expect("the refusal ends with Disconnect 1")
        .into()
}

/// What each example comes to.
fn examples() -> BTreeMap<&'static str, String> {
    let packed = |number| bytes(|writer| writer.write_packed_u64(number));
    let (origin, direction) = (Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.0, 0.0, 1.0));
    let one = [
        ("packed 240", packed(240)),
        ("packed 241", packed(241)),
        ("packed 2287", packed(2287)),
        ("packed 2288", packed(2288)),
        ("packed 67824", packed(67824)),
        ("packed 16777216", packed(16_777_216)),
        ("packed 2^32", packed(1 << 32)),
        ("packed 2^64 - 1", packed(u64::MAX)),
        ("`300_u16`", value(&300_u16)),
        ("`-1_i32`", value(&-1_i32)),
        ("`-2_i64`", value(&-2_i64)),
        ("`'あ'`", value(&'あ')),
        ("`true`", value(&true)),
        ("`1.5_f32`", value(&1.5_f32)),
        ("`\"é\"`", value(&String::from("é"))),
        ("`Decimal::new(110, 2)`", value(&Decimal::new(110, 2))),
        ("`Vector3::new(1.0, 2.0, 3.0)`", value(&origin)),
        (
            "`Ray` from (1, 2, 3) to (0, 0, 1)",
            value(&Ray { origin, direction }),
        ),
        (
            "`Color32::new(255, 128, 0, 255)`",
            value(&Color32::new(255, 128, 0, 255)),
        ),
        ("`NetId(300)`", value(&NetId(300))),
        (
            "`Gait::Run` of `enum Gait { Stand, Walk, Run }`",
            value(&Gait::Run),
        ),
        (
            "`Effect::Burn { damage: 5, seconds: 0.5 }`, the second variant",
            value(&Effect::Burn {
                damage: 5,
                seconds: 0.5,
            }),
        ),
        (
            "`Buff { id: 1, name: \"x\", timer: 2.0 }`",
            value(&Buff {
                id: 1,
                name: "x".into(),
                timer: 2.0,
            }),
        ),
        ("`vec![5_i32, 300]`", value(&vec![5_i32, 300])),
        ("`vec![1_u8, 2, 255]`", value(&vec![1_u8, 2, 255])),
        ("`Some(7_u8)`", value(&Some(7_u8))),
        ("`None::<u8>`", value(&None::<u8>)),
        ("`[1_u8, 2]`", value(&[1_u8, 2])),
        ("`(1_u8, true)`", value(&(1_u8, true))),
    ];
    one.into_iter()
        .chain(compact_examples())
        .chain(behaviour_examples())
        .chain(message_examples())
        .collect()
}

fn compact_examples() -> Vec<(&'static str, String)> {
    let burn = Effect::Burn {
        damage: 5,
        seconds: 0.5,
    };
    let buff = Buff {
        id: 1,
        name: "x".into(),
        timer: 2.0,
    };
    let hurt = |orc: &mut Orc| {
        orc.base.hp.set(5);
        orc.rage.set(9);
    };
    vec![
        ("varint 127", compact(&127_u64)),
        ("varint 128", compact(&128_u64)),
        ("varint 16383", compact(&16_383_u64)),
        ("varint 16384", compact(&16_384_u64)),
        ("varint 2^32 - 1", compact(&u32::MAX)),
        ("varint 2^63", compact(&(1_u64 << 63))),
        ("varint 2^64 - 1", compact(&u64::MAX)),
        ("zigzag -1", compact(&-1_i64)),
        ("zigzag 64", compact(&64_i64)),
        ("zigzag -2^63", compact(&i64::MIN)),
        ("compact `200_u8`", compact(&200_u8)),
        ("compact `300_u16`", compact(&300_u16)),
        ("compact `-1_i32`", compact(&-1_i32)),
        ("compact `-2_i64`", compact(&-2_i64)),
        ("compact `'あ'`", compact(&'あ')),
        ("compact `1.5_f32`", compact(&1.5_f32)),
        ("compact `\"é\"`", compact(&String::from("é"))),
        ("compact `NetId(300)`", compact(&NetId(300))),
        ("compact `NetworkSceneId(5)`", compact(&NetworkSceneId(5))),
        ("compact `Gait::Run`", compact(&Gait::Run)),
        (
            "compact `Effect::Burn { damage: 5, seconds: 0.5 }`",
            compact(&burn),
        ),
        (
            "compact `Buff { id: 1, name: \"x\", timer: 2.0 }`",
            compact(&buff),
        ),
        ("compact `vec![5_i32, 300]`", compact(&vec![5_i32, 300])),
        ("compact `vec![1_u8, 2, 255]`", compact(&vec![1_u8, 2, 255])),
        ("compact `Some(7_u8)`", compact(&Some(7_u8))),
        (
            "compact full `Data`",
            bytes_in(Dialect::Compact, |writer| {
                assert!(Data::example().on_serialize(writer, true));
            }),
        ),
        (
            "compact `Data` with `int1 = 77` changed",
            compact_delta(Data::example(), |data| _ = data.int1.set(77)),
        ),
        (
            "compact `Data` clean",
            compact_delta(Data::example(), |_| ()),
        ),
        (
            "compact `Orc` with `hp = 5`, `rage = 9` changed",
            compact_delta(Orc::default(), hurt),
        ),
    ]
}

fn behaviour_examples() -> Vec<(&'static str, String)> {
    let name = "full `Data { int1: 66, int2: 23487, my_string: \"Example string\" }`";
    let hurt = |orc: &mut Orc| {
        orc.base.hp.set(5);
        orc.rage.set(9);
    };
    vec![
        (name, full(Data::example())),
        (
            "`Data` with `int1 = 77` changed",
            delta(Data::example(), |data| _ = data.int1.set(77)),
        ),
        ("`Data` clean", delta(Data::example(), |_| ())),
        (
            "`Data` with `int1 = 77` and `my_string = \"hi\"` changed",
            delta(Data::example(), |data| {
                data.int1.set(77);
                data.my_string.set("hi".into());
            }),
        ),
        (
            "`Orc { base: Creature { hp, speed }, rage }` with `hp = 5`, `rage = 9` changed",
            delta(Orc::default(), hurt),
        ),
        (
            "`Orc` with `rage = 9` changed",
            delta(Orc::default(), |orc| _ = orc.rage.set(9)),
        ),
        ("`Orc` clean", delta(Orc::default(), |_| ())),
    ]
}

fn message_examples() -> Vec<(&'static str, String)> {
    let spawn = "ObjectSpawn #1, asset `a55e7000000000000000000000000001`, one behaviour with `v = 5`, \
                 no rotation given";
    let destroyed = sent(|server, _| {
        server.update(Duration::from_secs(1));
        spawn_300(server);
        server.despawn(NetId(300));
    });
    let hidden = sent(|server, connection| {
        let options = SpawnOptions {
            net_id: Some(NetId(5)),
            ..SpawnOptions::default()
        };
        server
            .spawn_with(One::default(), options)
            .expect("a free id");
        server.update(Duration::from_secs(1));
        server.hide(NetId(5), connection);
    });
    let owned = sent(|server, connection| {
        spawn_300(server);
        server.set_owner(NetId(300), Some(connection));
    });
    vec![
        ("ObjectDestroy #300", destroyed),
        (spawn, spawn_example()),
        (
            "UpdateVars #3: a clean behaviour, one with its second field 2, a clean one",
            update_example(),
        ),
        ("SpawnFinished 1", sent(|_, _| ())),
        ("ObjectHide #5", hidden),
        ("LocalClientAuthority #300, owned", owned),
        ("Resync #7", resync_example()),
        (
            "Disconnect 0 \"bye\"",
            client_packet(false, |client| client.disconnect("bye")),
        ),
        ("Ready", client_packet(false, NetworkClient::ready)),
        (
            "NotReady",
            sent(|server, connection| {
                server.update(Duration::from_secs(1));
                server.set_not_ready(connection);
            }),
        ),
        (
            "Connect 2, hash `0123456789abcdef`, asking for `Compact`",
            connect_example(),
        ),
        (
            "Schema of prefab `lamp` with `Lamp { lit: bool }` on channel 0",
            schema_example(),
        ),
    ]
}

/// The examples of the document: left side and right side.
fn documented() -> BTreeMap<String, String> {
    let document = include_str!("../WIRE.md");
    let mut examples = BTreeMap::new();
    let mut in_examples = false;
    for line in document.lines() {
        in_examples = line.starts_with("| example |") || in_examples && line.starts_with('|');
        if !in_examples || line.starts_with("| example |") || line.starts_with("| ---") {
            continue;
        }
        let (left, right) = line
            .trim_matches(['|', ' '])
            .rsplit_once(" | ")
            .expect("two columns");
        let bytes: String = right.chars().filter(char::is_ascii_hexdigit).collect();
        let twice = examples.insert(left.to_owned(), bytes);
        assert!(twice.is_none(), "two examples are called {left}");
    }
    examples
}

#[test]
fn every_example_of_the_document_is_what_the_code_writes() {
    let documented = documented();
    let written = examples();
    assert!(
        documented.len() > 40,
        "the examples are found: {}",
        documented.len()
    );
    for (name, bytes) in &documented {
        let written = written.get(name.as_str());
        assert_eq!(written, Some(bytes), "{name}");
    }
    assert_eq!(
        documented.len(),
        written.len(),
        "every example that is written is in the document"
    );
}

#[test]
fn a_behaviour_with_a_base_reads_what_it_wrote_in_every_dialect() {
    for dialect in [Dialect::Unet, Dialect::Compact] {
        let mut orc = Orc::default();
        orc.base.hp.set(-5);
        orc.rage.set(90_000);
        let mut replica = Orc::default();
        for initial_state in [false, true] {
            let mut writer = NetworkWriter::with_dialect(dialect);
            assert!(orc.on_serialize(&mut writer, initial_state));
            let mut reader = NetworkReader::with_dialect(writer.as_bytes(), dialect);
            replica
                .on_deserialize(&mut reader, initial_state)
                .expect("it was written");
            reader.finish().expect("all of it is read");
            assert_eq!((*replica.base.hp, *replica.rage), (-5, 90_000));
        }
        let mut reader = NetworkReader::with_dialect(&[8], dialect);
        let error = replica.on_deserialize(&mut reader, false).unwrap_err();
        let unknown = ReadErrorKind::UnknownDirtyBits { unknown: 8 };
        assert_eq!((error.kind(), error.offset()), (unknown, 0));
    }
}
