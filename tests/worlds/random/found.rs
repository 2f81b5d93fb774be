//! What the random worlds have found, one by one.

use syncvar::prelude::*;
use syncvar::{
    ClientConfig, Framing, ServerConfig, calls::CommandRefusal, stats::MessageType,
    wire::NetworkWriter,
};
use syncvar_testing::{ServerMessages as _, client, spawn_for};

use super::objects::{GATE, Hero, LITERAL, prefabs};

const DIALECTS: [Framing; 2] = [Framing::Compact, Framing::Unet];

fn network(dialect: Framing, clients: usize) -> MemoryNetwork {
    let config = ServerConfig {
        framing: dialect,
        ..ServerConfig::default()
    };
    let mut net =
        MemoryNetwork::with_config(prefabs, config, syncvar::testing::Conditions::default());
    for _ in 0..clients {
        let mut client = NetworkClient::new(prefabs());
        client.add_scene_object(GATE, Hero::default()).unwrap();
        net.connect_client(client);
    }
    net.settle();
    net
}

fn owned(net: &mut MemoryNetwork, client: usize) -> NetId {
    let id = spawn_for(net, Hero::default(), client);
    net.settle();
    id
}

fn events(net: &mut MemoryNetwork, client: usize) -> Vec<ClientEvent> {
    syncvar_testing::events(net.client_mut(client)).collect()
}

fn server_events(net: &mut MemoryNetwork) -> Vec<ServerEvent> {
    std::iter::from_fn(|| net.server.poll_event()).collect()
}

// checklist: B10 B13
#[test]
fn scene_object_data_arrives_in_each_framing() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 1);
        let gate = Hero {
            session: 42,
            ..Hero::default()
        };
        let id = net.server.spawn_scene_object(GATE, gate).unwrap();
        net.settle();
        let replica = net.client(0).get::<Hero>(id).expect("the gate");
        assert_eq!(replica.session, 42);
    }
}

// checklist: N24
#[test]
fn on_synchronize_cannot_set_owner_fields_on_the_server() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 2);
        let id = net.server.spawn(Hero::default());
        net.settle();
        assert_eq!(*net.server.get::<Hero>(id).unwrap().aim, 77, "no owner");
        let id = owned(&mut net, 0);
        let mut hero = net.client_mut(0).get_mut::<Hero>(id).unwrap();
        hero.aim.set(5);
        drop(hero);
        net.settle();
        server_events(&mut net);
        let shown = *net.server.get::<Hero>(id).unwrap().shown;
        net.connect();
        net.settle();
        let hero = net.server.get::<Hero>(id).unwrap();
        assert_eq!((*hero.aim, *hero.shown), (5, shown + 1));
        for client in 0..3 {
            let replica = net.client(client).get::<Hero>(id).unwrap();
            assert_eq!((*replica.aim, *replica.shown), (5, shown + 1));
        }
        let refused = server_events(&mut net)
            .into_iter()
            .any(|event| match event {
                ServerEvent::WriteRefused { object, fields } => {
                    object == id && fields.names().eq(["aim"])
                }
                _ => false,
            });
        assert!(refused, "the game is told");
    }
}

// checklist: T24
#[test]
fn call_before_a_disconnect_reaches_the_observers() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 2);
        let id = owned(&mut net, 0);
        for client in 0..2 {
            events(&mut net, client);
        }
        let [first, second] = [0, 1].map(|client| net.connection(client));
        net.server.calls::<Hero>(id).rang(1).unwrap();
        net.server.set_not_ready(first);
        net.server.calls::<Hero>(id).rang(2).unwrap();
        net.server.disconnect(second, "enough");
        net.settle();
        let rung = |net: &mut MemoryNetwork, client| -> Vec<u32> {
            let events = events(net, client).into_iter();
            let rung = events.filter_map(|event| match event {
                ClientEvent::SyncEvent(event) => event.arguments(Hero::RANG),
                _ => None,
            });
            rung.map(|(number,)| number).collect()
        };
        assert_eq!(rung(&mut net, 0), [1]);
        assert_eq!(rung(&mut net, 1), [1, 2]);
    }
}

// checklist: T24 T29
#[test]
fn call_precedes_a_later_owner_change() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 1);
        let id = owned(&mut net, 0);
        events(&mut net, 0);
        net.server.calls::<Hero>(id).rang(1).unwrap();
        net.server.set_owner(id, None).ok();
        net.settle();
        let events = events(&mut net, 0);
        let place = |is: fn(&ClientEvent) -> bool| events.iter().position(is).expect("an event");
        let rang = place(|event| matches!(event, ClientEvent::SyncEvent(_)));
        let lost = place(|event| matches!(event, ClientEvent::OwnerChanged { .. }));
        assert!(rang < lost, "{events:?}");
    }
}

// checklist: T24
#[test]
fn call_on_a_new_object_reaches_a_client_accepted_meanwhile() {
    for asked in DIALECTS {
        let mut server = NetworkServer::new(prefabs());
        let mut client = client(prefabs(), asked);
        client.handle_connect();
        let connection = server.handle_connect();
        let id = server.spawn(Hero::default());
        server.calls::<Hero>(id).rang(1).unwrap();
        for _ in 0..3 {
            while let Some(packet) = client.poll_transmit() {
                server
                    .handle_packet(connection, packet.channel, &packet.bytes)
                    .unwrap();
            }
            while let Some(transmit) = server.poll_transmit() {
                let (channel, packet) = (transmit.channel, transmit.to_bytes());
                client.handle_packet(channel, &packet).unwrap();
            }
        }
        server.calls::<Hero>(id).rang(2).unwrap();
        server.update(std::time::Duration::from_secs(1));
        while let Some(transmit) = server.poll_transmit() {
            let (channel, packet) = (transmit.channel, transmit.to_bytes());
            client.handle_packet(channel, &packet).unwrap();
        }
        let events = syncvar_testing::events(&mut client);
        let rung = events.filter(|event| matches!(event, ClientEvent::SyncEvent(_)));
        assert_eq!(rung.count(), 2, "{asked:?}");
    }
}

/// The owner of an object sends many writes that make no sense, each with the number that it would be
/// given in answer to the one before.
// checklist: T38
#[test]
fn malformed_writes_get_one_answer_per_update() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 1);
        let id = owned(&mut net, 0);
        let mut hero = net.client_mut(0).get_mut::<Hero>(id).unwrap();
        hero.path.extend(0..2_000);
        drop(hero);
        net.settle();
        let before = net.server.stats().encoded(MessageType::OwnerState);
        let mut writer = NetworkWriter::new();
        for permit in 1..300 {
            let start = writer.start_message(MessageType::OwnerWrite.number());
            writer.write_packed_u32(id.0);
            writer.write_packed_u32(permit);
            writer.write_u8(200);
            writer.finish_message(start);
        }
        let connection = net.connection(0);
        let handled = net.server.handle_messages(connection, 0, writer.as_bytes());
        assert!(handled.is_err());
        let ignored = net.server.stats().ignored_writes;
        assert_eq!(ignored, 299, "all of them are counted");
        net.settle();
        let after = net.server.stats().encoded(MessageType::OwnerState);
        assert_eq!(after.messages, before.messages + 1);
        // And then it is heard again.
        let mut hero = net.client_mut(0).get_mut::<Hero>(id).unwrap();
        hero.aim.set(9);
        drop(hero);
        net.settle();
        assert_eq!(*net.server.get::<Hero>(id).unwrap().aim, 9);
    }
}

// checklist: T23
#[test]
fn command_arguments_respect_the_configured_limits() {
    let mut config = ServerConfig::default();
    config.limits.max_elements = 3;
    let mut net =
        MemoryNetwork::with_config(prefabs, config, syncvar::testing::Conditions::default());
    net.connect();
    net.settle();
    let id = owned(&mut net, 0);
    server_events(&mut net);
    let calls = net.client_mut(0).calls::<Hero>(id);
    calls.list(vec![1; 3]).unwrap();
    let calls = net.client_mut(0).calls::<Hero>(id);
    calls.list(vec![1; 4]).unwrap();
    net.settle();
    let refused: Vec<_> = server_events(&mut net)
        .into_iter()
        .filter_map(|event| match event {
            ServerEvent::CommandRefused { reason, .. } => Some(reason),
            _ => None,
        })
        .collect();
    assert!(
        matches!(refused[..], [CommandRefusal::Malformed(_)]),
        "{refused:?}"
    );
}

// checklist: B16 T35
#[test]
fn owner_only_reference_is_notified_when_its_object_appears() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 1);
        let [holder, target] = [(); 2].map(|()| net.server.spawn(Hero::default()));
        let connection = net.connection(0);
        net.server.hide(target, connection).ok();
        let mut hero = net.server.get_mut::<Hero>(holder).unwrap();
        hero.mark.set(target.into());
        drop(hero);
        net.settle();
        net.server.set_owner(holder, Some(connection)).ok();
        net.settle();
        events(&mut net, 0);
        net.server.show(target, connection).ok();
        net.settle();
        let resolved = ClientEvent::ReferenceResolved {
            object: holder,
            target,
        };
        assert!(events(&mut net, 0).contains(&resolved));
    }
}

// checklist: T38
#[test]
fn owner_writes_are_bounded_in_memory_and_time() {
    for dialect in DIALECTS {
        let mut config = ServerConfig {
            framing: dialect,
            ..ServerConfig::default()
        };
        config.limits.max_owner_memory = 10_000;
        config.limits.max_work = 300_000;
        let mut net =
            MemoryNetwork::with_config(prefabs, config, syncvar::testing::Conditions::default());
        net.connect();
        net.settle();
        let id = owned(&mut net, 0);
        for _ in 0..100 {
            let mut hero = net.client_mut(0).get_mut::<Hero>(id).unwrap();
            hero.path.extend(0..200);
            drop(hero);
            net.settle();
        }
        let length = net.server.get::<Hero>(id).unwrap().path.len();
        assert!((1_000..10_000).contains(&length), "{length}");
        assert_eq!(net.client(0).get::<Hero>(id).unwrap().path.len(), length);
        assert!(net.server.stats().ignored_writes > 0);
        server_events(&mut net);
        // It writes the same again and again, which is found out only by looking at all of it.
        for number in 0..100 {
            let mut hero = net.client_mut(0).get_mut::<Hero>(id).unwrap();
            hero.notes.set(number + 1);
            drop(hero);
            let now = net.now() + std::time::Duration::from_secs(number.into());
            net.client_mut(0).update(now);
            while let Some(packet) = net.client_mut(0).poll_transmit() {
                let connection = net.connection(0);
                let handled =
                    { &mut net.server }.handle_packet(connection, packet.channel, &packet.bytes);
                if let Err(error) = handled {
                    assert!(error.to_string().contains("max_work"), "{error}");
                }
            }
        }
        let written = server_events(&mut net).into_iter();
        let written = written.filter(|event| matches!(event, ServerEvent::Written { .. }));
        assert!((4..12).contains(&written.count()));
        net.settle();
        let [server, replica] = [net.server.get::<Hero>(id), net.client(0).get(id)];
        assert_eq!(*server.unwrap().notes, *replica.unwrap().notes);
        // Less it may always write.
        let mut hero = net.client_mut(0).get_mut::<Hero>(id).unwrap();
        hero.path.clear();
        drop(hero);
        net.settle();
        assert!(net.server.get::<Hero>(id).unwrap().path.is_empty());
    }
}

/// Without the handshake an owner cannot write: what the server says is what it has.
// checklist: M2
#[test]
fn owner_equals_the_server_in_unets_literal_bytes() {
    let config = ServerConfig {
        compare_schemas: false,
        ..ServerConfig::default()
    };
    let mut net =
        MemoryNetwork::with_config(prefabs, config, syncvar::testing::Conditions::default());
    let config = ClientConfig {
        compare_schemas: false,
        ..ClientConfig::default()
    };
    LITERAL.set(true);
    net.connect_client(NetworkClient::with_config(prefabs(), config));
    net.settle();
    let id = owned(&mut net, 0);
    net.client_mut(0).get_mut::<Hero>(id).unwrap().names = 1;
    let connection = net.connection(0);
    for owner in [None, Some(connection)] {
        net.server.set_owner(id, owner).ok();
        if let Ok(mut hero) = net.server.get_mut::<Hero>(id) {
            hero.path.push(4);
            hero.mode.set(4);
        }
        net.settle();
        net.server.restore(id, connection).ok();
        net.settle();
        let [server, replica] = [net.server.get::<Hero>(id), net.client(0).get(id)];
        let (server, replica) = (server.unwrap(), replica.unwrap());
        assert_eq!(replica.path, server.path);
        assert_eq!(*replica.mode, *server.mode);
    }
    LITERAL.set(false);
}
