//! Sections 4 and 5: messages, and the handshake.

use std::time::Duration;

use syncvar::join::{Refusal, SessionToken};
use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::{
    ClientConfig, Framing, NetworkSceneId, PacketLimits, ServerConfig,
    behaviour::BehaviourList,
    values::{NetworkHash128, Vector3},
};

use syncvar_testing::{ClientMessages as _, Pair, client, frame, spawn_with_id};

use crate::examples::{Examples, Lamp, One, Two, packets};

const STREAM: PacketLimits = PacketLimits::STREAM;

#[test]
pub(crate) fn sessions_and_messages_are_written_as_documented() -> Examples {
    Examples::check(vec![
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
            join_request(None),
        ),
        (
            "Session with the token `000102030405060708090a0b0c0d0e0f` and the payload 7, before \
             Connect",
            join_request(Some(SessionToken::new(token()))),
        ),
        (
            "Message 48 `chat` with `Chat { text: \"a\", to: 300 }`",
            chat(Framing::Unet),
        ),
        (
            "Message 48 `chat` with `Chat { text: \"a\", to: 300 }`, on a `Compact` connection",
            chat(Framing::Compact),
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
    ])
}

#[test]
pub(crate) fn a_new_session_is_written_as_documented() -> Examples {
    let config = ServerConfig {
        reconnect_grace: Duration::from_secs(1),
        session_tokens: Some(token),
        ..ServerConfig::default()
    };
    let server = NetworkServer::with_config(Prefabs::new(), config);
    let mut pair = Pair::connect(server, NetworkClient::new(Prefabs::new()), STREAM);
    pair.up();
    // Connect follows in the same packet.
    let packet = packets(&mut pair.server).concat();
    let length = hex::decode(&packet[..2]).expect("hexadecimal")[0];
    let session = &packet[..2 * (4 + usize::from(length))];
    Examples::check(vec![(
        "Session to the client: a new one with this token, after one packet of the client",
        session.into(),
    )])
}

#[test]
pub(crate) fn objects_in_unet_are_written_as_documented() -> Examples {
    let asset_id = NetworkHash128::parse("a55e7000000000000000000000000001");
    let prefabs = Prefabs::new().register_asset("one", asset_id, One::default);
    let spawned = server(prefabs, |server, _| {
        server.update(Duration::from_secs(1));
        server.spawn(One { v: 5.into() });
    });
    let list = || {
        BehaviourList::new()
            .with(One::default())
            .with(Two::default())
            .with(One::default())
    };
    let updated = server(Prefabs::new().register_with("three", list), |server, _| {
        let id = spawn_with_id(server, list(), 3);
        server.update(Duration::from_secs(1));
        server.get_mut::<Two>(id).expect("the behaviour").k.set(2);
    });
    let in_scene = sent(|server, _| {
        server.update(Duration::from_secs(1));
        let options = SpawnOptions {
            net_id: Some(NetId(6)),
            position: Vector3::new(1.0, 2.0, 3.0),
            scene_id: Some(NetworkSceneId(12)),
            ..SpawnOptions::default()
        };
        let one = One { v: 5.into() };
        server.try_spawn(one, options).expect("free ids");
    });
    Examples::check(vec![
        (
            "ObjectSpawn #1, asset `a55e7000000000000000000000000001`, one behaviour with `v = 5`, \
             no rotation given",
            spawned.last().expect("a packet").clone(),
        ),
        (
            "UpdateVars #3: a clean behaviour, one with its second field 2, a clean one",
            updated.last().expect("a packet").clone(),
        ),
        (
            "ObjectSpawnScene #6, scene id 12, at (1, 2, 3), one behaviour with `v = 5`",
            in_scene,
        ),
        (
            "ObjectDestroy #300",
            sent(|server, _| {
                server.update(Duration::from_secs(1));
                spawn_300(server);
                server.despawn(NetId(300)).unwrap();
            }),
        ),
        (
            "ObjectHide #5",
            sent(|server, connection| {
                let id = spawn_with_id(server, One::default(), 5);
                server.update(Duration::from_secs(1));
                server.hide(id, connection).unwrap();
            }),
        ),
        (
            "LocalClientAuthority #300, owned",
            sent(|server, connection| {
                spawn_300(server);
                server.set_owner(NetId(300), Some(connection)).unwrap();
            }),
        ),
    ])
}

#[test]
pub(crate) fn parents_are_written_as_documented() -> Examples {
    let child = |server: &mut NetworkServer| {
        let child = server.spawn(One { v: 5.into() });
        let parent = Some(NetId(1));
        server.set_parent(child, parent).expect("an object");
    };
    Examples::check(vec![
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
            to_ours(&[1], child),
        ),
    ])
}

#[test]
pub(crate) fn the_states_of_a_client_are_written_as_documented() -> Examples {
    // The client receives an object and a garbled update of the object.
    let garble = |client: &mut NetworkClient| {
        let asset_id = NetworkHash128::of("one").0;
        let spawn = [&[7][..], &asset_id, &[0; 12], &[1, 0, 5]].concat();
        client.handle_packet(0, &frame(3, &spawn)).expect("a spawn");
        let handled = client.handle_messages(0, &frame(8, &[7, 1]));
        handled.expect("a garbled update");
    };
    Examples::check(vec![
        ("SpawnFinished 1", sent(|_, _| ())),
        ("SpawnFinished 2", to_ours(&[], NetworkServer::scene_loaded)),
        ("Resync #7", client_packet(false, garble)),
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
    ])
}

#[test]
pub(crate) fn handshakes_are_written_as_documented() -> Examples {
    // The hash is that of this test's registry.
    let hash = Prefabs::new().register::<One>("one").schema_hash();
    let hash = hex::encode(hash.to_le_bytes());
    let connect = client_packet(true, |_| ()).replace(&hash, "efcdab8967452301");
    let mut server = NetworkServer::new(Prefabs::new().register::<Lamp>("lamp"));
    let connection = server.handle_connect();
    let learning = [&[20, 0, 32, 0, 7][..], &[0; 8], &[1], &[0; 8], &[0, 0]].concat();
    let handled = server.handle_packet(connection, 0, &learning);
    handled.expect("a client without compiled types");
    let schema = packets(&mut server).concat();
    Examples::check(vec![
        (
            "Connect 7, both hashes `0123456789abcdef`, asking for `Compact`, without a name of the build",
            connect,
        ),
        (
            "Connect 7 of a client without compiled types, asking for `Compact`",
            hex::encode(learning),
        ),
        (
            "Schema of prefab `lamp` with `Lamp { lit: bool }` on channel 0, in one part",
            schema,
        ),
    ])
}

/// Returns the packets of a server to a ready client of UNet, each with one message, after changes.
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

/// Returns the last packet of [`server`].
fn sent(act: impl FnOnce(&mut NetworkServer, ConnectionId)) -> String {
    let prefabs = Prefabs::new().register::<One>("one");
    server(prefabs, act).pop().expect("a packet")
}

fn spawn_300(server: &mut NetworkServer) {
    spawn_with_id(server, One::default(), 300);
    server.update(Duration::from_secs(1));
}

/// Returns the messages to a client with these objects, which compares schemas and asks for `Unet`, after a change of
/// the server.
fn to_ours(ids: &[u32], act: impl FnOnce(&mut NetworkServer)) -> String {
    let asset_id = NetworkHash128::parse("a55e7000000000000000000000000001");
    let prefabs = || Prefabs::new().register_asset("one", asset_id, One::default);
    let client = client(prefabs(), Framing::Unet);
    let mut pair = Pair::connect(NetworkServer::new(prefabs()), client, STREAM);
    pair.up();
    let mut server = pair.server;
    server.set_ready(pair.connection);
    for id in ids {
        spawn_with_id(&mut server, One { v: 5.into() }, *id);
    }
    server.update(Duration::from_secs(1));
    packets(&mut server);
    act(&mut server);
    server.update(Duration::from_secs(9));
    packets(&mut server).concat()
}

fn set_parent(server: &mut NetworkServer, parent: Option<NetId>) {
    server.set_parent(NetId(300), parent).expect("an object");
}

/// Returns the first packet of a client after an action; without a comparison of schemas, the second one.
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

/// Message of the program.
#[derive(SyncValue, Clone)]
struct Chat {
    text: String,
    to: u32,
}

fn chat(framing: Framing) -> String {
    let prefabs = || Prefabs::new().message::<Chat>("chat");
    let config = ServerConfig {
        framing,
        ..ServerConfig::default()
    };
    let server = NetworkServer::with_config(prefabs(), config);
    let mut pair = Pair::connect(server, NetworkClient::new(prefabs()), STREAM);
    pair.up();
    packets(&mut pair.server);
    let (text, to) = ("a".into(), 300);
    let sent = pair.server.send(pair.connection, &Chat { text, to });
    sent.expect("a connection");
    packets(&mut pair.server).concat()
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Runner {
    #[sync_var(history = 0.5)]
    x: SyncVar<u32>,
}

/// The client shows a tick less than the newest one, and draws half a tick after it.
#[test]
pub(crate) fn a_view_is_written_as_documented() -> Examples {
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
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
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
    let view = packet[start..start + 16].into();
    Examples::check(vec![("View: tick 300.5", view)])
}

fn token() -> [u8; 16] {
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
}

fn join_request(token: Option<SessionToken>) -> String {
    let mut client = NetworkClient::new(Prefabs::new());
    client.set_session_token(token);
    client.set_join_payload(vec![7].into());
    client.handle_connect();
    let packet = client.poll_transmit().expect("a packet").bytes;
    // Without the Connect behind it.
    hex::encode(&packet[..packet.len() - 24])
}
