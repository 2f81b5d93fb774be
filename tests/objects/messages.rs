//! Messages of the program without an object: both directions, both framings, limits, schema.

use std::time::Duration;
use syncvar_testing::{ClientMessages as _, ServerMessages as _};

use syncvar::calls::ReceivedMessage;
use syncvar::error::MessageError;
use syncvar::join::Builds;
use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::{DisconnectReason, Framing, ServerConfig};
use syncvar_testing::Player;

#[derive(SyncValue, Clone, PartialEq, Debug)]
struct Chat {
    text: String,
    to: Option<u32>,
}

#[derive(SyncValue, Clone, PartialEq, Debug)]
struct Vote(bool);

fn prefabs() -> Prefabs {
    syncvar_testing::prefabs()
        .message::<Vote>("vote")
        .message::<Chat>("chat")
}

fn chat(text: &str) -> Chat {
    let (text, to) = (text.into(), Some(300));
    Chat { text, to }
}

fn network(change: impl FnOnce(&mut ServerConfig), clients: usize) -> MemoryNetwork {
    let mut config = ServerConfig::default();
    change(&mut config);
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    for _ in 0..clients {
        net.connect();
    }
    net.settle();
    for client in 0..clients {
        received(&mut net, client);
    }
    sent_to_server(&mut net);
    net
}

/// Returns the messages that a client has received.
fn received(net: &mut MemoryNetwork, client: usize) -> Vec<ReceivedMessage> {
    let events = syncvar_testing::events(net.client_mut(client));
    let messages = events.filter_map(|event| match event {
        ClientEvent::Message(message) => Some(message),
        _ => None,
    });
    messages.collect()
}

/// Returns the messages that the server has received.
fn sent_to_server(net: &mut MemoryNetwork) -> Vec<(ConnectionId, ReceivedMessage)> {
    let events = std::iter::from_fn(|| net.server.poll_event());
    let messages = events.filter_map(|event| match event {
        ServerEvent::Message {
            connection,
            message,
        } => Some((connection, message)),
        _ => None,
    });
    messages.collect()
}

#[test]
fn messages_arrive_in_both_directions_and_framings() {
    for (framing, compared) in [
        (Framing::Compact, true),
        (Framing::Unet, true),
        (Framing::Unet, false),
    ] {
        let mut net = network(
            |config| (config.framing, config.compare_schemas) = (framing, compared),
            2,
        );
        let connection = net.connection(1);
        net.server.send(connection, &chat("é")).unwrap();
        net.server.send_to_ready(&Vote(true)).unwrap();
        net.client_mut(0).send(&chat("hello")).unwrap();
        net.client_mut(0).send(&Vote(false)).unwrap();
        net.settle();
        let [first] = &received(&mut net, 0)[..] else {
            panic!("one message");
        };
        assert_eq!(first.get(), Some(&Vote(true)));
        let both = received(&mut net, 1);
        assert_eq!(both[0].get(), Some(&chat("é")));
        assert_eq!((both[0].name(), both[0].get::<Vote>()), ("chat", None));
        assert_eq!(both[1].get(), Some(&Vote(true)));
        let messages = sent_to_server(&mut net);
        let senders: Vec<_> = messages.iter().map(|(sender, _)| *sender).collect();
        assert_eq!(senders, [net.connection(0); 2]);
        assert_eq!(messages[0].1.get(), Some(&chat("hello")));
        assert_eq!(messages[1].1.get(), Some(&Vote(false)));
        let stats = net.server.stats();
        assert_eq!(stats.program_sent.messages, 3);
        assert_eq!(stats.program_received.messages, 2);
        assert_eq!(stats.program_received, net.client(0).stats().program_sent);
    }
}

#[test]
fn message_keeps_its_order_among_the_changes() {
    let mut net = network(|_| (), 1);
    let player = net.server.spawn(Player::new(1, "Ann"));
    net.settle();
    let connection = net.connection(0);
    net.server.get_mut::<Player>(player).unwrap().health.set(2);
    net.server.update(Duration::from_secs(100));
    net.server.send(connection, &Vote(true)).unwrap();
    net.server.get_mut::<Player>(player).unwrap().health.set(3);
    while net.client_mut(0).poll_event().is_some() {}
    net.settle();
    let mut order = String::new();
    for event in syncvar_testing::events(net.client_mut(0)) {
        order.push(match event {
            ClientEvent::Changed { .. } => 'c',
            ClientEvent::Message(_) => 'm',
            _ => '?',
        });
    }
    assert_eq!(order, "cmc");
}

#[test]
fn client_without_objects_receives_messages() {
    let mut net = MemoryNetwork::new(prefabs);
    let config = ClientConfig {
        auto_ready: false,
        ..ClientConfig::default()
    };
    let client = net.connect_client(NetworkClient::with_config(prefabs(), config));
    net.settle();
    let connection = net.connection(client);
    net.server.send(connection, &chat("lobby")).unwrap();
    net.server.send_to_ready(&chat("game")).unwrap();
    net.server.send_on([connection], 1, &Vote(true)).unwrap();
    net.client_mut(client).send_on(1, &Vote(true)).unwrap();
    net.settle();
    let messages = received(&mut net, client);
    assert_eq!(messages[0].get(), Some(&chat("lobby")));
    assert_eq!(messages[1].get(), Some(&Vote(true)));
    assert_eq!((messages.len(), sent_to_server(&mut net).len()), (2, 1));
}

#[test]
fn ended_member_of_a_list_leaves_the_message_to_the_others() {
    let mut net = network(|_| (), 3);
    let team: Vec<_> = (0..3).map(|index| net.connection(index)).collect();
    net.cut(1);
    net.server.send_on(team.clone(), 0, &chat("all")).unwrap();
    net.server.disconnect(team[2], "goodbye");
    net.server.send_on(team, 0, &chat("rest")).unwrap();
    net.settle();
    let texts = |net: &mut MemoryNetwork, client| -> Vec<_> {
        let messages = received(net, client);
        messages
            .iter()
            .map(|message| message.get::<Chat>().cloned())
            .collect()
    };
    let (all, rest) = (Some(chat("all")), Some(chat("rest")));
    assert_eq!(texts(&mut net, 0), [all.clone(), rest]);
    assert_eq!(texts(&mut net, 1), []);
    assert_eq!(texts(&mut net, 2), [all]);
}

#[test]
fn errors_name_the_reason() {
    #[derive(SyncValue, Clone, PartialEq, Debug)]
    struct Unknown;

    let mut net = network(|_| (), 1);
    let connection = net.connection(0);
    let error = net.server.send(connection, &Unknown).unwrap_err();
    assert!(matches!(error, MessageError::NotRegistered(name) if name.ends_with("Unknown")));
    let error = net.client_mut(0).send(&Unknown).unwrap_err();
    assert!(matches!(error, MessageError::NotRegistered(_)));
    let nobody = ConnectionId(99);
    let error = net.server.send(nobody, &Vote(true));
    assert_eq!(error, Err(MessageError::NotConnected(nobody)));
    let error = net.server.send_on([connection], 9, &Vote(true));
    assert_eq!(error, Err(MessageError::UnknownChannel(9)));
    let error = net.client_mut(0).send_on(9, &Vote(true));
    assert_eq!(error, Err(MessageError::UnknownChannel(9)));
    let long = chat(&"x".repeat(2000));
    let error = net.server.send_on([connection], 1, &long);
    assert!(matches!(error, Err(MessageError::Write(_))));
    let error = net.client_mut(0).send_on(1, &long);
    assert!(matches!(error, Err(MessageError::Write(_))));
    let error = net.server.send(connection, &chat(&"x".repeat(40_000)));
    assert!(matches!(error, Err(MessageError::Write(_))));
    net.settle();
    assert!(received(&mut net, 0).is_empty() && sent_to_server(&mut net).is_empty());
    net.cut(0);
    let error = net.client_mut(0).send(&Vote(true));
    assert!(matches!(error, Err(MessageError::NotConnected(_))));
}

#[test]
fn server_limits_rate_and_size_of_messages() {
    let mut net = network(
        |config| {
            config.limits.program_message_rate = 5.0;
            config.limits.max_program_message = 20;
        },
        1,
    );
    for _ in 0..50 {
        net.client_mut(0).send(&Vote(true)).unwrap();
    }
    net.client_mut(0).send(&chat("own rate")).unwrap();
    net.client_mut(0)
        .send(&chat("longer than all limits"))
        .unwrap();
    net.settle();
    assert_eq!(sent_to_server(&mut net).len(), 6);
    assert_eq!(net.server.stats().refused.program_messages, 45);
    let [fits, long] = [20, 21].map(|length| [&[length, 0, 48, 0][..], &[0; 40]].concat());
    let connection = net.connection(0);
    assert!(
        net.server
            .handle_messages(connection, 0, &long[..25])
            .is_err()
    );
    assert!(
        net.server
            .handle_messages(connection, 0, &fits[..24])
            .is_err(),
        "surplus bytes"
    );
    let unknown = [0, 0, 90, 0];
    assert!(net.server.handle_messages(connection, 0, &unknown).is_err());
    assert!(net.client_mut(0).handle_messages(0, &unknown).is_err());
    assert!(net.server.is_connected(connection));
}

#[test]
fn other_messages_are_a_schema_difference() {
    fn more() -> Prefabs {
        prefabs().message::<u32>("ready")
    }
    fn other() -> Prefabs {
        let prefabs = syncvar_testing::prefabs();
        prefabs.message::<Vote>("vote").message::<u32>("chat")
    }
    fn numbered() -> Prefabs {
        let prefabs = syncvar_testing::prefabs();
        prefabs
            .message_as::<Vote>("vote", 1000)
            .message::<Chat>("chat")
    }
    let texts = [syncvar_testing::prefabs, more, other, numbered].map(|client| {
        let mut net = MemoryNetwork::new(prefabs);
        let config = ClientConfig {
            builds: Builds::Exact,
            ..ClientConfig::default()
        };
        let client = net.connect_client(NetworkClient::with_config(client(), config));
        net.settle();
        let event = net.client_mut(client).poll_event();
        let Some(ClientEvent::Refused {
            reason: DisconnectReason::SchemaMismatch(Some(report)),
        }) = event
        else {
            panic!("{event:?}");
        };
        report.to_string()
    });
    assert_eq!(
        texts,
        [
            "message `chat`: only the server has it; message `vote`: only the server has it",
            "message `ready`: only the client has it",
            "message `chat`: `Chat { text: String, to: u32? }` of the server is converted to `u32`; \
             message `chat`: refused: `Chat { text: String, to: u32? }` cannot become `u32`; \
             message `chat`: refused: `u32` cannot become `Chat { text: String, to: u32? }`",
            "the order of behaviours, the classes of fields, the numbers of messages or the asset ids of prefabs \
             differ",
        ]
    );
}

#[test]
fn host_sends_and_receives_messages() {
    let mut net = network(|_| (), 1);
    let local = net.server.connect_local();
    net.server.send_to_ready(&Vote(true)).unwrap();
    net.server.local_send(&chat("from the host")).unwrap();
    let event = std::iter::from_fn(|| net.server.poll_local_event()).last();
    let Some(ClientEvent::Message(message)) = event else {
        panic!("{event:?}");
    };
    assert_eq!(message.get(), Some(&Vote(true)));
    let messages = sent_to_server(&mut net);
    assert_eq!(
        (messages[0].0, messages[0].1.get()),
        (local, Some(&chat("from the host")))
    );
}
