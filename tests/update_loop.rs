//! The update loop: what is looked at, what goes into a message, when it is sent, what is counted.

mod support;

use std::time::Duration;

use bytes_of::{frames, hex_frames};
use support::{Compass, Door, Player, change, network};
use syncvar::prelude::*;
use syncvar::{Channel, MessageType, ServerConfig};

/// Drives a server by hand: one connection that is always ready, and the bytes it is sent.
mod bytes_of {
    use std::time::Duration;

    use syncvar::{ConnectionId, NetworkServer, Prefabs, ServerConfig};

    /// A server in literal UNet fashion, with a ready connection.
    pub(crate) fn server(
        prefabs: Prefabs,
        change: impl FnOnce(&mut ServerConfig),
    ) -> (NetworkServer, ConnectionId) {
        let mut config = ServerConfig::default();
        config.compare_schemas = false;
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

#[test]
fn u11_u18_u24_one_message_holds_every_behaviour_of_the_channel_the_clean_ones_as_a_zero() {
    let (mut server, _) = bytes_of::server(support::prefabs(), |_| ());
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
fn behaviours_of_different_channels_travel_in_messages_of_their_own() {
    let (mut server, _) = bytes_of::server(support::prefabs(), |_| ());
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

#[test]
fn u22_nothing_is_sent_again_until_a_value_changes_again() {
    let (mut server, _) = bytes_of::server(support::prefabs(), |_| ());
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
fn u32_updates_of_many_objects_share_packets_of_bounded_size() {
    let (mut server, _) = bytes_of::server(support::prefabs(), |config| config.packet_size = 70);
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
fn a_message_larger_than_a_packet_travels_whole_on_a_reliable_channel() {
    let (mut server, _) = bytes_of::server(support::prefabs(), |_| ());
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
fn t26_a_behaviour_waits_for_its_interval_and_is_then_sent_without_being_touched_again() {
    let (mut server, _) = bytes_of::server(support::prefabs(), |_| ());
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
fn dirty_and_not_due_rides_along_with_a_due_behaviour_of_the_same_channel() {
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
fn b14_nothing_leaves_before_the_update() {
    let (mut server, _) = bytes_of::server(support::prefabs(), |_| ());
    let id = server.spawn(Door::default());
    server.get_mut::<Door>(id).unwrap().open.set(true);
    assert!(server.poll_transmit().is_none());
    assert!(!server.is_idle());
    assert_eq!(frames(&mut server, SECOND).len(), 1);
    assert!(server.is_idle());
}

#[test]
fn an_object_that_nobody_sees_is_not_serialised_and_is_clean_after_the_update() {
    let mut server = NetworkServer::new(support::prefabs());
    let id = server.spawn(Door::default());
    server.update(SECOND);
    server.get_mut::<Door>(id).unwrap().open.set(true);
    server.update(SECOND * 2);
    assert_eq!(server.get::<Door>(id).unwrap().sync_var_dirty_bits(), 0);
    assert_eq!(server.stats().encoded(MessageType::UpdateVars).messages, 0);
}

#[test]
fn t29_all_are_dirty_after_the_writes_and_clean_after_the_update() {
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
fn a_change_is_encoded_once_however_many_see_it_and_counted_by_type_and_behaviour() {
    let mut net = network(20);
    let id = net.server.spawn((Door::default(), Player::new(1, "a")));
    net.settle();
    let before = net.server.stats().clone();
    change(&mut net, id, |player| player.health.set(2));
    net.settle();
    let after = net.server.stats();
    let updates = |stats: &syncvar::Stats| stats.encoded(MessageType::UpdateVars);
    assert_eq!(updates(after).messages - updates(&before).messages, 1);
    assert_eq!(updates(after).bytes - updates(&before).bytes, 8);
    assert_eq!(after.sent.messages - before.sent.messages, 20);
    assert_eq!(after.sent.bytes - before.sent.bytes, 20 * 8);
    let of = |stats: &syncvar::Stats, name: &str| {
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
            .decoded(MessageType::UpdateVars)
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
        assert_eq!(transmit.segments.len(), 1);
        places.push(transmit.segments[0].as_ptr());
    }
    assert_eq!(places.len(), 2);
    assert_eq!(places[0], places[1], "the same memory for both");
}

#[test]
fn a_behaviour_on_a_channel_that_the_server_does_not_have_is_reported_and_never_sent() {
    let (mut server, _) = bytes_of::server(support::prefabs(), |config| {
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

/// Lesson 24: the limit is an error on the sender that names the field; nothing is lost.
#[test]
fn a_value_without_a_form_on_the_wire_is_reported_with_its_field_and_sent_once_it_has_one() {
    let mut net = network(1);
    let id = net.server.spawn(Player::new(1, "a"));
    net.settle();
    while net.server.poll_event().is_some() {}
    change(&mut net, id, |player| {
        player.health.set(2);
        player.name.set("n".repeat(40_000));
    });
    net.settle();
    let event = net.server.poll_event().unwrap();
    let ServerEvent::SerializeFailed {
        object,
        behaviour,
        field,
        error,
    } = event
    else {
        panic!()
    };
    assert_eq!(
        (object, behaviour, field),
        (id, Some("Player"), Some("name"))
    );
    assert!(
        error
            .to_string()
            .starts_with("a string of 40000 bytes is longer than the limit of 32767")
    );
    assert_eq!(support::states(&net, id), [Some((1, "a".into(), 0))]);
    let late = net.connect();
    net.settle();
    assert!(
        net.client(late).get::<Player>(id).is_none(),
        "there is no full state to send"
    );
    change(&mut net, id, |player| player.name.set("short".into()));
    net.settle();
    let expected = Some((2, "short".into(), 0));
    assert_eq!(support::states(&net, id), [expected.clone(), expected]);
}

#[test]
fn an_object_too_large_to_spawn_is_spawned_once_it_fits() {
    let mut net = network(1);
    let id = net.server.spawn(Player::new(1, &"n".repeat(40_000)));
    net.settle();
    assert!(net.client(0).get::<Player>(id).is_none());
    change(&mut net, id, |player| player.name.set("short".into()));
    net.settle();
    assert_eq!(support::states(&net, id), [Some((1, "short".into(), 0))]);
}

#[test]
fn a_message_that_does_not_fit_an_unreliable_packet_is_reported_and_kept() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0, channel = 1)]
    struct Chatter {
        #[sync_var]
        text: SyncVar<String>,
    }
    let prefabs = || Prefabs::new().register::<Chatter>("chatter");
    let mut net =
        MemoryNetwork::with_config(prefabs, ServerConfig::default(), syncvar::Link::default());
    let client = net.connect();
    let id = net.server.spawn(Chatter::default());
    net.settle();
    while net.server.poll_event().is_some() {}
    net.server
        .get_mut::<Chatter>(id)
        .unwrap()
        .text
        .set("t".repeat(2000));
    net.settle();
    let event = net.server.poll_event().unwrap();
    let ServerEvent::SerializeFailed { error, .. } = event else {
        panic!("{event:?}")
    };
    assert!(
        error
            .to_string()
            .contains("does not fit a packet of 1340 on an unreliable channel")
    );
    net.server
        .get_mut::<Chatter>(id)
        .unwrap()
        .text
        .set("t".repeat(20));
    net.settle();
    assert_eq!(
        net.client(client).get::<Chatter>(id).unwrap().text.len(),
        20
    );
}
