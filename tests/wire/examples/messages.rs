//! Sections 4 and 5: messages, and the handshake.

use std::time::Duration;
use syncvar_testing::ClientMessages as _;

use syncvar::join::{Refusal, SessionToken};
use syncvar::prelude::*;
use syncvar::{
    ClientConfig, Framing, NetworkSceneId, ServerConfig,
    behaviour::BehaviourList,
    values::{NetworkHash128, Vector3},
};

use crate::examples::{Lamp, One, Two, packets};

pub(crate) fn examples() -> Vec<(&'static str, String)> {
    [unet_examples(), program_examples()].concat()
}

/// Sessions, messages and players.
fn program_examples() -> Vec<(&'static str, String)> {
    vec![
        (
            "Disconnect 4 \"no\", with the payload 7",
            sent(|server, connection| {
                server.update(Duration::from_secs(1));
                let refusal = Refusal::new("no").with(vec![7].into());
                server.refuse(connection, refusal).expect("a connection");
            }),
        ),
        (
            "Session with the payload 7, before Connect",
            join_request_example(None),
        ),
        (
            "Session with the token `000102030405060708090a0b0c0d0e0f` and the payload 7, before \
             Connect",
            join_request_example(Some(SessionToken::new(token()))),
        ),
        (
            "Session to the client: a new one with this token, after one packet of the client",
            session_example(),
        ),
        (
            "Message 48 `chat` with `Chat { text: \"a\", to: 300 }`",
            chat_example(Framing::Unet),
        ),
        (
            "Message 48 `chat` with `Chat { text: \"a\", to: 300 }`, on a `Compact` connection",
            chat_example(Framing::Compact),
        ),
        (
            "Owner #300, player 0",
            sent(|server, connection| {
                spawn_300(server);
                let given = server.set_player(connection, 0, Some(NetId(300)));
                given.expect("an object");
            }),
        ),
        (
            "AddPlayer 2, with the payload `010203`",
            client_packet(false, |client| client.add_player(2, &vec![1, 2, 3].into())),
        ),
        (
            "RemovePlayer 2",
            client_packet(false, |client| client.remove_player(2)),
        ),
    ]
}

fn unet_examples() -> Vec<(&'static str, String)> {
    let spawn = "ObjectSpawn #1, asset `a55e7000000000000000000000000001`, one behaviour with `v = 5`, \
                 no rotation given";
    let destroyed = sent(|server, _| {
        server.update(Duration::from_secs(1));
        spawn_300(server);
        server.despawn(NetId(300)).unwrap();
    });
    let hidden = sent(|server, connection| {
        let options = SpawnOptions {
            net_id: Some(NetId(5)),
            ..SpawnOptions::default()
        };
        server
            .try_spawn(One::default(), options)
            .expect("a free id");
        server.update(Duration::from_secs(1));
        server.hide(NetId(5), connection).unwrap();
    });
    let owned = sent(|server, connection| {
        spawn_300(server);
        server.set_owner(NetId(300), Some(connection)).unwrap();
    });
    vec![
        ("ObjectDestroy #300", destroyed),
        (spawn, spawn_example()),
        (
            "UpdateVars #3: a clean behaviour, one with its second field 2, a clean one",
            update_example(),
        ),
        (
            "ObjectSpawnScene #6, scene id 12, at (1, 2, 3), one behaviour with `v = 5`",
            scene_spawn_example(),
        ),
        ("SpawnFinished 1", sent(|_, _| ())),
        ("SpawnFinished 2", to_ours(&[], NetworkServer::scene_loaded)),
        (
            "SetParent #300 below #5",
            to_ours(&[5, 300], |server| set_parent(server, Some(NetId(5)))),
        ),
        (
            "SetParent #300, no parent",
            to_ours(&[5, 300], |server| {
                set_parent(server, Some(NetId(5)));
                server.update(Duration::from_secs(9));
                packets(server);
                set_parent(server, None);
            }),
        ),
        (
            "the full state of #2 below #1, asset `a55e7000000000000000000000000001`, one behaviour \
             with `v = 5`",
            child_example(),
        ),
        ("ObjectHide #5", hidden),
        ("LocalClientAuthority #300, owned", owned),
        ("Resync #7", resync_example()),
        (
            "Disconnect 0 \"bye\"",
            client_packet(false, |client| client.disconnect("bye")),
        ),
        ("View: tick 300.5", view_example()),
        ("Ready", client_packet(false, NetworkClient::ready)),
        (
            "NotReady",
            sent(|server, connection| {
                server.update(Duration::from_secs(1));
                server.set_not_ready(connection);
            }),
        ),
        (
            "Connect 5, hash `0123456789abcdef`, asking for `Compact`",
            connect_example(),
        ),
        ("Classes, the request", classes_example().0),
        (
            "Classes of `lamp` with `Lamp { lit: bool }`, a reliable and an unreliable channel",
            classes_example().1,
        ),
        (
            "Schema of prefab `lamp` with `Lamp { lit: bool }` on channel 0",
            schema_example(),
        ),
    ]
}

/// The packets that a server in literal UNet fashion sends to a client that is ready, each message
/// for itself, after something has been done to it.
fn server(prefabs: Prefabs, act: impl FnOnce(&mut NetworkServer, ConnectionId)) -> Vec<String> {
    let config = ServerConfig {
        compare_schemas: false,
        gather: false,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs, config);
    let connection = server.handle_connect();
    server.set_ready(connection);
    act(&mut server, connection);
    server.update(Duration::from_secs(9));
    packets(&mut server)
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
        .try_spawn(One::default(), options)
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

fn scene_spawn_example() -> String {
    sent(|server, _| {
        server.update(Duration::from_secs(1));
        let options = SpawnOptions {
            net_id: Some(NetId(6)),
            position: Vector3::new(1.0, 2.0, 3.0),
            scene_id: Some(NetworkSceneId(12)),
            ..SpawnOptions::default()
        };
        server
            .try_spawn(One { v: 5.into() }, options)
            .expect("free ids");
    })
}

/// What a client that has these objects, whose schema is compared and that is spoken to in `Unet`, is
/// sent after something has been done to the server.
fn to_ours(ids: &[u32], act: impl FnOnce(&mut NetworkServer)) -> String {
    let asset_id = NetworkHash128::parse("a55e7000000000000000000000000001");
    let prefabs = || Prefabs::new().register_asset("one", asset_id, One::default);
    let config = ClientConfig {
        framing: Framing::Unet,
        ..ClientConfig::default()
    };
    let mut client = NetworkClient::with_config(prefabs(), config);
    client.handle_connect();
    let mut server = NetworkServer::new(prefabs());
    let connection = server.handle_connect();
    let connect = client.poll_transmit().expect("Connect").bytes;
    server
        .handle_packet(connection, 0, &connect)
        .expect("both are alike");
    server.set_ready(connection);
    for id in ids {
        let options = SpawnOptions {
            net_id: Some(NetId(*id)),
            ..SpawnOptions::default()
        };
        server
            .try_spawn(One { v: 5.into() }, options)
            .expect("a free id");
    }
    server.update(Duration::from_secs(1));
    packets(&mut server);
    act(&mut server);
    server.update(Duration::from_secs(9));
    packets(&mut server).concat()
}

fn set_parent(server: &mut NetworkServer, parent: Option<NetId>) {
    server
        .set_parent(NetId(300), parent)
        .expect("they are there");
}

fn child_example() -> String {
    to_ours(&[1], |server| {
        let child = server.spawn(One { v: 5.into() });
        server
            .set_parent(child, Some(NetId(1)))
            .expect("they are there");
    })
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
        server.try_spawn(list(), options).expect("a free id");
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
    let config = ClientConfig {
        compare_schemas,
        ..ClientConfig::default()
    };
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
            .handle_messages(0, &[2, 0, 8, 0, 7, 1])
            .expect("a garbled update");
    })
}

/// The hash is replaced: it is that of this test's registry.
#[derive(SyncValue, Clone)]
struct Chat {
    text: String,
    to: u32,
}

fn chat_example(framing: Framing) -> String {
    let prefabs = || Prefabs::new().message::<Chat>("chat");
    let config = ServerConfig {
        framing,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs(), config);
    let connection = server.handle_connect();
    let mut client = NetworkClient::new(prefabs());
    client.handle_connect();
    let connect = client.poll_transmit().expect("a packet").bytes;
    server
        .handle_packet(connection, 0, &connect)
        .expect("a client");
    packets(&mut server);
    let text = "a".into();
    server
        .send(connection, &Chat { text, to: 300 })
        .expect("a connection");
    packets(&mut server).concat()
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Runner {
    #[sync_var(history = 0.5)]
    x: SyncVar<u32>,
}

/// The client shows a tick less than the newest one, and draws half a tick after it.
fn view_example() -> String {
    let tick = Duration::from_millis(20);
    let prefabs = || {
        Prefabs::new()
            .register::<Runner>("runner")
            .message::<Chat>("chat")
    };
    let config = ServerConfig {
        tick_rate: 50,
        ..ServerConfig::default()
    };
    let mut net =
        MemoryNetwork::with_config(prefabs, config, syncvar::testing::Conditions::default());
    net.tick = tick;
    net.connect();
    let id = net.server.spawn(Runner::default());
    net.step();
    let last = |net: &MemoryNetwork| net.client(0).tick().map(|_| net.server.network_time().tick);
    let first = net.server.network_time().tick;
    while last(&net).is_none_or(|tick| tick < first + 300) {
        net.server.get_mut::<Runner>(id).expect("an object").x += 1;
        net.step();
    }
    let now = net.now() + tick / 2;
    let client = net.client_mut(0);
    client.show_view(now);
    let text = "a".into();
    client.send(&Chat { text, to: 300 }).expect("connected");
    let packet = hex::encode(client.poll_transmit().expect("a packet").bytes);
    let start = packet.find("04002900").expect("a view");
    packet[start..start + 16].into()
}

fn token() -> [u8; 16] {
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
}

fn session_example() -> String {
    let config = ServerConfig {
        reconnect_grace: Duration::from_secs(1),
        session_tokens: Some(token),
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(Prefabs::new(), config);
    let connection = server.handle_connect();
    let mut client = NetworkClient::new(Prefabs::new());
    client.handle_connect();
    let connect = client.poll_transmit().expect("a packet").bytes;
    server
        .handle_packet(connection, 0, &connect)
        .expect("a client");
    // Connect follows in the same packet.
    first_message(&packets(&mut server).concat()).into()
}

/// Returns the first message of a packet without a header.
fn first_message(packet: &str) -> &str {
    let length = hex::decode(&packet[..2]).expect("hexadecimal")[0];
    &packet[..2 * (4 + usize::from(length))]
}

fn join_request_example(token: Option<SessionToken>) -> String {
    let mut client = NetworkClient::new(Prefabs::new());
    client.set_session_token(token);
    client.set_join_payload(vec![7].into());
    client.handle_connect();
    let packet = client.poll_transmit().expect("a packet").bytes;
    hex::encode(&packet[..packet.len() - 14])
}

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
    let connect = hex::decode("0a00200005efcdab896745230101").expect("hexadecimal");
    server
        .handle_packet(connection, 0, &connect)
        .expect("a client of another build");
    let refusal = packets(&mut server).concat();
    let disconnect = "03002100010000";
    refusal
        .strip_suffix(disconnect)
        .expect("the refusal ends with Disconnect 1")
        .into()
}

/// The request for the schema, and the message behind the descriptions.
fn classes_example() -> (String, String) {
    let mut server = NetworkServer::new(Prefabs::new().register::<Lamp>("lamp"));
    let connection = server.handle_connect();
    let request = "00002200";
    server
        .handle_packet(connection, 0, &hex::decode(request).expect("hexadecimal"))
        .expect("a client without types");
    let answer = packets(&mut server).concat();
    let classes = answer
        .strip_prefix(&schema_example())
        .expect("the answer begins with the descriptions");
    (request.into(), classes.into())
}
