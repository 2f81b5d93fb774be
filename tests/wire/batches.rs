//! Messages of many objects, and who speaks which dialect.

use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;
use syncvar::{
    Channel, Framing, ServerConfig,
    stats::MessageType,
    wire::{Encoding, NetworkWriter},
};
use syncvar_testing::ClientMessages as _;
use syncvar_testing::{Compass, Door, Player, change, drain, frame, network, states};

const UPDATE_BATCH: i16 = 22;
const SPAWN_BATCH: i16 = 23;

/// D8: a length for each object, so that one that cannot be read does not hurt its neighbours.
#[test]
fn malformed_entry_poisons_its_object_and_spares_the_rest() {
    let mut net = network(1);
    let ids = [1, 2, 3].map(|health| net.server.spawn(Player::new(health, "x")));
    net.settle();
    drain(&mut net, 0);
    // Health 9; a name of 5 bytes of which one is there; health 10.
    let payload = b"\x02\x01\x12\x03\x02\x05A\x02\x01\x14";
    let handled = net
        .client_mut(0)
        .handle_messages(0, &frame(UPDATE_BATCH, payload));
    assert_eq!(handled, Ok(()));
    let poisoned = drain(&mut net, 0)
        .into_iter()
        .find_map(|event| match event {
            ClientEvent::Poisoned { object, error } => Some((object, error.to_string())),
            _ => None,
        });
    let error = "Player.name: 5 bytes needed, 1 left, at byte 2";
    assert_eq!(poisoned, Some((ids[1], error.into())));
    let health = |net: &MemoryNetwork, id| *net.client(0).get::<Player>(id).unwrap().health;
    assert_eq!((health(&net, ids[0]), health(&net, ids[2])), (9, 10));
    change(&mut net, ids[1], |player| player.health.set(20));
    net.settle();
    assert_eq!(states(&net, ids[1]), [Some((20, "x".into(), 0))]);
}

#[test]
fn entry_of_an_unknown_object_is_counted_and_skipped() {
    let mut net = network(1);
    net.server.spawn(Player::new(1, "x"));
    let second = net.server.spawn(Player::new(1, "x"));
    net.settle();
    net.server.despawn(NetId(1)).unwrap();
    net.settle();
    let payload = b"\x02\x01\x12\x02\x01\x14";
    net.client_mut(0)
        .handle_messages(0, &frame(UPDATE_BATCH, payload))
        .unwrap();
    assert_eq!(net.client(0).stats().unknown_objects, 1);
    assert_eq!(states(&net, second), [Some((10, "x".into(), 0))]);
}

#[test]
fn a_header_that_makes_no_sense_ends_its_message_and_no_other() {
    let mut net = network(1);
    let ids = [1, 2].map(|health| net.server.spawn(Player::new(health, "x")));
    net.settle();
    for nonsense in [
        &b"\x02\x01\x12\xff\xff\xff\xff\xff\x7f\x01"[..],
        b"\x02\x01\x12\x07\xff\x7f\x01",
        b"\x02\x01\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    ] {
        let packet = [
            frame(UPDATE_BATCH, nonsense),
            frame(UPDATE_BATCH, b"\x0a\x01\x14"),
        ];
        let handled = net.client_mut(0).handle_messages(0, &packet.concat());
        assert!(handled.is_err(), "{nonsense:x?}");
        let health = ids.map(|id| *net.client(0).get::<Player>(id).unwrap().health);
        assert_eq!(health, [9, 10], "{nonsense:x?}");
        for id in ids {
            net.server.get_mut::<Player>(id).unwrap().set_dirty_bit(1);
        }
        net.settle();
    }
}

/// T52 in a batch.
#[test]
fn unknown_prefab_is_an_error_and_the_next_spawn_is_read() {
    let mut net = network(1);
    // Of the prefabs by name: door, gatekeeper, player, weathervane. 99 is none of them.
    let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
    for (header, kind) in [(2, [0x98_u8, 0x06].to_vec()), (2, [0, 1].to_vec())] {
        writer.write_bytes(&[header]);
        writer.write_bytes(&kind);
    }
    let packet = frame(SPAWN_BATCH, writer.as_bytes());
    let error = net.client_mut(0).handle_messages(0, &packet).unwrap_err();
    let expected = "99 is not a valid number of a prefab";
    assert!(error.to_string().starts_with(expected), "{error}");
    let door = net.client(0).get::<Door>(NetId(2)).unwrap();
    assert_eq!(door.open, true);
}

#[test]
fn unreadable_spawn_poisons_an_existing_object() {
    let mut net = network(1);
    let id = net.server.spawn(Player::new(1, "x"));
    net.settle();
    drain(&mut net, 0);
    // A position is announced, and cut off.
    let packet = frame(SPAWN_BATCH, b"\x02\x11\x00");
    assert_eq!(net.client_mut(0).handle_messages(0, &packet), Ok(()));
    let events = drain(&mut net, 0);
    assert!(matches!(events[..], [ClientEvent::Poisoned { object, .. }] if object == id));
    net.settle();
    assert_eq!(drain(&mut net, 0), [ClientEvent::Restored { object: id }]);
}

/// Datagrams are within the packet size. A longer entry takes the stream.
#[test]
fn unreliable_batches_fit_the_packet_and_long_state_takes_the_stream() {
    /// A text on the unreliable channel.
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0, channel = 1)]
    struct Note {
        #[sync_var]
        text: SyncVar<String>,
    }

    let config = ServerConfig {
        packet_size: 100,
        ..ServerConfig::default()
    };
    let link = syncvar::testing::Conditions::default();
    let mut net = MemoryNetwork::with_config(prefabs_with_notes, config, link);
    net.datagrams = true;
    let vanes = [(); 50].map(|()| net.server.spawn((Door::default(), Compass::default())));
    let note = net.server.spawn(Note::default());
    let client = net.connect();
    net.settle();
    for id in vanes {
        net.server.get_mut::<Compass>(id).unwrap().heading.set(1.5);
    }
    let text = "n".repeat(100);
    net.server.get_mut::<Note>(note).unwrap().text.set(text);
    net.server
        .update(net.now() + std::time::Duration::from_secs(9));
    let (mut datagrams, mut stream) = (0, 0);
    while let Some(transmit) = net.server.poll_transmit() {
        assert_eq!(transmit.channel, 1);
        match transmit.delivery {
            Channel::Reliable => stream += 1,
            Channel::Unreliable => {
                assert!(transmit.len() <= 100, "{}", transmit.len());
                datagrams += 1;
            }
        }
        let packet = transmit.to_bytes();
        let delivery = transmit.delivery;
        let handled = match delivery {
            Channel::Reliable => net.client_mut(client).handle_packet(1, &packet),
            Channel::Unreliable => net.client_mut(client).handle_datagram(1, &packet),
        };
        assert_eq!(handled, Ok(()));
    }
    assert!(datagrams > 2);
    assert_eq!(stream, 1);
    assert_eq!(
        net.client(client).get::<Note>(note).unwrap().text.len(),
        100
    );

    fn prefabs_with_notes() -> Prefabs {
        syncvar_testing::prefabs().register::<Note>("note")
    }
}

#[test]
fn framing_is_compact_if_both_sides_support_it() {
    use Framing::{Compact, Unet};
    for (server, client, spoken) in [
        (Compact, Compact, Compact),
        (Compact, Unet, Unet),
        (Unet, Compact, Unet),
        (Unet, Unet, Unet),
    ] {
        let config = ServerConfig {
            framing: server,
            ..ServerConfig::default()
        };
        let mut net = MemoryNetwork::with_config(
            syncvar_testing::prefabs,
            config,
            syncvar::testing::Conditions::default(),
        );
        let client = syncvar_testing::client(syncvar_testing::prefabs(), client);
        net.connect_client(client);
        let id = net.server.spawn(Player::new(1, "x"));
        net.settle();
        change(&mut net, id, |player| player.health.set(2));
        net.settle();
        assert_eq!(net.client(0).framing(), spoken);
        assert_eq!(states(&net, id), [Some((2, "x".into(), 0))]);
        let literal = net.server.stats().encoded(MessageType::UpdateVars).messages;
        let batches = net
            .server
            .stats()
            .encoded(MessageType::UpdateBatch)
            .messages;
        let expected = if spoken == Unet { (1, 0) } else { (0, 1) };
        assert_eq!((literal, batches), expected);
    }
}

#[test]
fn without_comparison_of_schemas_the_dialect_is_literal() {
    let config = ServerConfig {
        compare_schemas: false,
        ..ServerConfig::default()
    };
    let mut net = MemoryNetwork::with_config(
        syncvar_testing::prefabs,
        config,
        syncvar::testing::Conditions::default(),
    );
    net.connect();
    net.server.spawn(Door::default());
    net.settle();
    assert_eq!(net.client(0).framing(), Framing::Unet);
    assert_eq!(net.client(0).object_count(), 1);
}
