//! The update loop: what is looked at, what goes into a message, when it is sent, what is counted.

use std::time::Duration;

use bytes_of::{frames, hex_frames};
use syncvar::NetworkBehaviour;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;
use syncvar::{Channel, stats::MessageType};
use syncvar_testing::{Compass, Door, Player, change, network};

/// Drives a server by hand: one connection that is always ready, and the bytes it is sent.
mod bytes_of {
    use std::time::Duration;

    use syncvar::{ConnectionId, NetworkServer, Prefabs, ServerConfig};

    /// A server in literal UNet fashion, with a ready connection.
    pub(crate) fn server(
        prefabs: Prefabs,
        change: impl FnOnce(&mut ServerConfig),
    ) -> (NetworkServer, ConnectionId) {
        let mut config = ServerConfig {
            compare_schemas: false,
            ..ServerConfig::default()
        };
        change(&mut config);
        let mut server = NetworkServer::with_config(prefabs, config);
        let connection = server.handle_connect();
        server.set_ready(connection);
        server.update(Duration::ZERO);
        while server.poll_transmit().is_some() {}
        (server, connection)
    }

    /// The packets of an update, as channel and bytes.
    pub(crate) fn frames(server: &mut NetworkServer, now: Duration) -> Vec<(u8, Vec<u8>)> {
        server.update(now);
        let mut packets = Vec::new();
        while let Some(transmit) = server.poll_transmit() {
            packets.push((transmit.channel, transmit.to_bytes().to_vec()));
        }
        packets
    }

    /// The same in hexadecimal.
    pub(crate) fn hex_frames(server: &mut NetworkServer, now: Duration) -> Vec<(u8, String)> {
        let packets = frames(server, now);
        packets
            .into_iter()
            .map(|(channel, bytes)| (channel, hex::encode(bytes)))
            .collect()
    }
}

const SECOND: Duration = Duration::from_secs(1);

// checklist: U11 U18 U24
#[test]
fn one_message_holds_all_behaviours_of_a_channel() {
    let (mut server, _) = bytes_of::server(syncvar_testing::prefabs(), |_| ());
    let id = server.spawn((Door::default(), Player::default()));
    frames(&mut server, SECOND);
    server.get_mut::<Door>(id).unwrap().open.set(true);
    assert_eq!(
        hex_frames(&mut server, SECOND * 2),
        [(0, "04000800".to_owned() + "01010100")]
    );
    server.get_mut::<Player>(id).unwrap().health.set(5);
    assert_eq!(
        hex_frames(&mut server, SECOND * 3),
        [(0, "04000800".to_owned() + "01000105")]
    );
}

#[test]
fn behaviours_of_other_channels_have_separate_messages() {
    let (mut server, _) = bytes_of::server(syncvar_testing::prefabs(), |_| ());
    let id = server.spawn((Door::default(), Compass::default()));
    frames(&mut server, SECOND);
    server.get_mut::<Compass>(id).unwrap().heading.set(1.0);
    server.get_mut::<Door>(id).unwrap().open.set(true);
    let expected = [
        (0, "03000800010101".to_owned()),
        (1, "0600080001010000803f".to_owned()),
    ];
    assert_eq!(hex_frames(&mut server, SECOND * 2), expected);
}

// checklist: U22
#[test]
fn value_is_not_sent_again_until_it_changes() {
    let (mut server, _) = bytes_of::server(syncvar_testing::prefabs(), |_| ());
    let id = server.spawn(Door::default());
    frames(&mut server, SECOND);
    server.get_mut::<Door>(id).unwrap().open.set(true);
    assert_eq!(frames(&mut server, SECOND * 2).len(), 1);
    assert_eq!(frames(&mut server, SECOND * 3), []);
    server.get_mut::<Door>(id).unwrap().open.set(true);
    assert_eq!(frames(&mut server, SECOND * 4), []);
}

/// U32: several messages in a packet, up to its size; exactly that fits.
#[test]
fn updates_of_many_objects_share_packets_of_bounded_size() {
    let (mut server, _) =
        bytes_of::server(syncvar_testing::prefabs(), |config| config.packet_size = 70);
    let ids: Vec<_> = (0..25).map(|_| server.spawn(Door::default())).collect();
    frames(&mut server, SECOND);
    for id in &ids {
        server.get_mut::<Door>(*id).unwrap().open.set(true);
    }
    let lengths: Vec<_> = frames(&mut server, SECOND * 2)
        .iter()
        .map(|(_, bytes)| bytes.len())
        .collect();
    assert_eq!(lengths, [70, 70, 35], "messages of 7 bytes");
}

#[test]
fn oversized_reliable_message_travels_whole() {
    let (mut server, _) = bytes_of::server(syncvar_testing::prefabs(), |_| ());
    let id = server.spawn(Player::default());
    frames(&mut server, SECOND);
    server
        .get_mut::<Player>(id)
        .unwrap()
        .name
        .set("n".repeat(5000));
    let packets = frames(&mut server, SECOND * 2);
    assert_eq!(
        packets
            .iter()
            .map(|(_, bytes)| bytes.len())
            .collect::<Vec<_>>(),
        [5008]
    );
}

/// T26: the interval is honoured by behaviour; what is not due rides along with what is.
#[test]
fn delayed_behaviour_is_sent_when_its_interval_ends() {
    let (mut server, _) = bytes_of::server(syncvar_testing::prefabs(), |_| ());
    let id = server.spawn((Door::default(), Compass::default()));
    let at = |millis| Duration::from_millis(millis);
    frames(&mut server, at(1000));
    server.get_mut::<Compass>(id).unwrap().heading.set(1.0);
    assert_eq!(
        frames(&mut server, at(1001)).len(),
        1,
        "its last send is long ago"
    );
    server.get_mut::<Compass>(id).unwrap().heading.set(2.0);
    assert_eq!(frames(&mut server, at(1200)), []);
    server.get_mut::<Door>(id).unwrap().open.set(true);
    assert_eq!(
        frames(&mut server, at(1300)).len(),
        1,
        "the other behaviour does not wait for it"
    );
    assert_eq!(
        frames(&mut server, at(1501)),
        [],
        "exactly the interval is not yet more than it"
    );
    let due = frames(&mut server, at(1502));
    assert_eq!(due.len(), 1);
    assert_eq!(due[0].0, 1);
    assert!(server.is_idle());
}

#[test]
fn early_dirty_behaviour_joins_a_due_one_of_its_channel() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 5)]
    struct Slow {
        #[sync_var]
        v: SyncVar<u8>,
    }
    let prefabs = Prefabs::new().register::<(Slow, Door)>("both");
    let (mut server, _) = bytes_of::server(prefabs, |_| ());
    let id = server.spawn((Slow::default(), Door::default()));
    frames(&mut server, SECOND);
    server.get_mut::<Slow>(id).unwrap().v.set(7);
    assert_eq!(frames(&mut server, SECOND * 2), []);
    server.get_mut::<Door>(id).unwrap().open.set(true);
    assert_eq!(
        hex_frames(&mut server, SECOND * 3),
        [(0, "05000800".to_owned() + "0101070101")]
    );
    assert_eq!(
        frames(&mut server, SECOND * 9),
        [],
        "it was sent, and is clean"
    );
}

/// B14: state is sent by the update only.
#[test]
fn changes_wait_for_the_update() {
    let (mut server, _) = bytes_of::server(syncvar_testing::prefabs(), |_| ());
    let id = server.spawn(Door::default());
    server.get_mut::<Door>(id).unwrap().open.set(true);
    assert!(server.poll_transmit().is_none());
    assert!(!server.is_idle());
    assert_eq!(frames(&mut server, SECOND).len(), 1);
    assert!(server.is_idle());
}

#[test]
fn unobserved_object_is_clean_after_the_update_without_bytes() {
    let mut server = NetworkServer::new(syncvar_testing::prefabs());
    let id = server.spawn(Door::default());
    server.update(SECOND);
    server.get_mut::<Door>(id).unwrap().open.set(true);
    server.update(SECOND * 2);
    assert_eq!(server.get::<Door>(id).unwrap().sync_var_dirty_bits(), 0);
    let encoded = |message_type| server.stats().encoded(message_type).messages;
    assert_eq!(encoded(MessageType::UpdateVars), 0);
    assert_eq!(encoded(MessageType::UpdateBatch), 0);
}

// checklist: T29
#[test]
fn all_are_dirty_after_the_writes_and_clean_after_the_update() {
    let mut net = network(2);
    let ids: Vec<_> = (0..3)
        .map(|_| net.server.spawn((Door::default(), Player::default())))
        .collect();
    net.settle();
    for id in &ids {
        net.server.get_mut::<Door>(*id).unwrap().open.set(true);
        change(&mut net, *id, |player| player.set_dirty_bit(0b111));
        assert_eq!(
            net.server.get::<Player>(*id).unwrap().sync_var_dirty_bits(),
            0b111
        );
    }
    net.step();
    for id in &ids {
        assert_eq!(
            net.server.get::<Player>(*id).unwrap().sync_var_dirty_bits(),
            0
        );
        assert_eq!(
            net.server.get::<Door>(*id).unwrap().sync_var_dirty_bits(),
            0
        );
        assert!(
            net.replicas::<Door>(*id)
                .all(|door| door.unwrap().open == true)
        );
    }
}

#[test]
fn change_is_encoded_once_and_counted_by_type_and_behaviour() {
    let mut net = network(20);
    let id = net.server.spawn((Door::default(), Player::new(1, "a")));
    net.settle();
    let before = net.server.stats().clone();
    change(&mut net, id, |player| player.health.set(2));
    net.settle();
    let after = net.server.stats();
    let updates = |stats: &syncvar::stats::Stats| stats.encoded(MessageType::UpdateBatch);
    assert_eq!(updates(after).messages - updates(&before).messages, 1);
    assert_eq!(updates(after).bytes - updates(&before).bytes, 8);
    assert_eq!(after.sent.messages - before.sent.messages, 20);
    // Behind a header of 2 bytes: flags and a step of ticks.
    assert_eq!(after.sent.bytes - before.sent.bytes, 20 * (2 + 8));
    let of = |stats: &syncvar::stats::Stats, name: &str| {
        let found = stats
            .behaviours
            .iter()
            .find(|b| b.prefab == "gatekeeper" && b.behaviour == name);
        found.unwrap().delta.bytes
    };
    assert_eq!(of(after, "Player") - of(&before, "Player"), 2);
    assert_eq!(of(after, "Door") - of(&before, "Door"), 1);
    assert_eq!(
        net.client(0)
            .stats()
            .decoded(MessageType::UpdateBatch)
            .messages,
        1
    );
}

#[test]
fn the_pieces_of_a_packet_are_shared_by_the_connections() {
    let mut net = network(2);
    let id = net.server.spawn(Door::default());
    net.settle();
    net.server.get_mut::<Door>(id).unwrap().open.set(true);
    net.server.update(net.now() + SECOND);
    let mut places = Vec::new();
    while let Some(transmit) = net.server.poll_transmit() {
        assert_eq!(transmit.chunks.len(), 1);
        places.push(transmit.chunks[0].as_ptr());
    }
    assert_eq!(places.len(), 2);
    assert_eq!(places[0], places[1], "the same memory for both");
}

#[test]
fn unknown_channel_is_reported_and_never_used() {
    let (mut server, _) = bytes_of::server(syncvar_testing::prefabs(), |config| {
        config.channels = vec![Channel::Reliable];
    });
    while server.poll_event().is_some() {}
    let id = server.spawn((Door::default(), Compass::default()));
    let event = ServerEvent::UnknownChannel {
        object: id,
        behaviour: "Compass",
        channel: 1,
    };
    assert_eq!(server.poll_event(), Some(event));
    frames(&mut server, SECOND);
    server.get_mut::<Compass>(id).unwrap().heading.set(1.0);
    assert_eq!(frames(&mut server, SECOND * 2), []);
    assert_eq!(
        server.get::<Compass>(id).unwrap().sync_var_dirty_bits(),
        1,
        "never cleared either"
    );
    server.get_mut::<Door>(id).unwrap().open.set(true);
    assert_eq!(frames(&mut server, SECOND * 3).len(), 1);
    assert!(server.is_idle());
}

#[test]
fn replaced_variable_is_a_change() {
    let mut net = network(1);
    let id = net.server.spawn(Player::new(1, "Ann"));
    net.settle();
    let replica = |net: &MemoryNetwork| syncvar_testing::states(net, id).remove(0).unwrap();
    change(&mut net, id, |player| player.health = 5.into());
    net.settle();
    assert_eq!(replica(&net), (5, "Ann".into(), 0));
    change(&mut net, id, |player| {
        drop(std::mem::take(&mut player.name));
        player.score = SyncVar::new(7).clone();
    });
    net.settle();
    assert_eq!(replica(&net), (5, String::new(), 7));
    change(&mut net, id, |player| *player = Player::new(9, "Bob"));
    net.settle();
    assert_eq!(replica(&net), (9, "Bob".into(), 0));
    change(&mut net, id, |player| player.last_input = 1);
    assert!(net.server.is_idle(), "the variables are no longer new");
}

#[test]
fn unwritable_behaviour_does_not_block_another_channel() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 1)]
    struct Slow {
        #[sync_var]
        value: SyncVar<i32>,
    }
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0, channel = 1)]
    struct Large {
        #[sync_var]
        text: SyncVar<String>,
    }
    let prefabs = Prefabs::new().register::<(Slow, Large)>("both");
    let (mut server, _) = bytes_of::server(prefabs, |_| ());
    let id = server.spawn((Slow::default(), Large::default()));
    frames(&mut server, SECOND);
    server.get_mut::<Slow>(id).unwrap().value.set(1);
    assert_eq!(frames(&mut server, SECOND * 5).len(), 1);
    server.get_mut::<Slow>(id).unwrap().value.set(2);
    let large = "t".repeat(2000);
    server.get_mut::<Large>(id).unwrap().text.set(large);
    assert_eq!(frames(&mut server, SECOND * 11 / 2).len(), 0, "not due");
    assert_eq!(frames(&mut server, SECOND * 7).len(), 1);
    assert_eq!(server.get::<Slow>(id).unwrap().sync_var_dirty_bits(), 0);
}

#[test]
fn an_interval_without_end_is_waited_for_without_end() {
    struct Once(SyncVar<i32>);
    impl NetworkBehaviour for Once {
        type Previous = ();
        const SCHEMA: syncvar::schema::BehaviourSchema = syncvar::schema::BehaviourSchema {
            name: "Once",
            base: None,
            fields: &[syncvar::schema::FieldSchema::of::<SyncVar<i32>>("0")],
        };
        const INFO: syncvar::behaviour::BehaviourInfo =
            syncvar::behaviour::BehaviourInfo::DEFAULT.send_interval(Duration::MAX);

        fn sync_var_dirty_bits(&self) -> u64 {
            self.0.is_dirty().into()
        }
        fn visit(&mut self, (): &mut (), visitor: &mut impl syncvar::behaviour::FieldVisitor) {
            visitor.field(1, "Once.0", &mut self.0);
        }
    }
    let prefabs = Prefabs::new().register_with("once", || Once(0.into()));
    let (mut server, _) = bytes_of::server(prefabs, |_| ());
    let id = server.spawn(Once(1.into()));
    frames(&mut server, SECOND);
    server.get_mut::<Once>(id).unwrap().0.set(2);
    let late = server.handle_connect();
    server.set_ready(late);
    frames(&mut server, SECOND * 2);
    server.get_mut::<Once>(id).unwrap().0.set(3);
    assert_eq!(frames(&mut server, SECOND * 3), []);
    assert_eq!(frames(&mut server, Duration::MAX), []);
}

#[test]
fn messages_leave_in_writing_order_across_channels() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0, channel = 1)]
    struct Gauge {
        #[sync_var]
        value: SyncVar<i32>,
    }
    let prefabs = || Prefabs::new().register::<Gauge>("gauge");
    let (mut server, connection) = bytes_of::server(prefabs(), |config| {
        config.channels = vec![Channel::Reliable; 2];
    });
    let config = ClientConfig {
        compare_schemas: false,
        ..ClientConfig::default()
    };
    let mut client = NetworkClient::with_config(prefabs(), config);
    client.handle_connect();
    let id = server.spawn(Gauge::default());
    server.update(SECOND);
    server.get_mut::<Gauge>(id).unwrap().value.set(1);
    server.update(SECOND * 2);
    server.hide(id, connection).unwrap();
    server.update(SECOND * 3);
    server.get_mut::<Gauge>(id).unwrap().value.set(2);
    server.show(id, connection).unwrap();
    for (channel, packet) in frames(&mut server, SECOND * 4) {
        client.handle_packet(channel, &packet).unwrap();
    }
    assert_eq!(client.get::<Gauge>(id).unwrap().value, 2);
}
