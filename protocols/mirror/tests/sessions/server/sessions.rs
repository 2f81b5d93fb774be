//! Connections: how they come, stay and go.

use std::time::Duration;

use syncvar::DisconnectReason;
use syncvar::mirror::message::{
    AddPlayerMessage, NetworkMessage, NetworkPingMessage, NetworkPongMessage, SceneOperation,
};
use syncvar::mirror::*;
use syncvar::{Channel, NetId};

use super::net::{Chat, Chest, Net, prefabs, whole};

#[test]
fn a_server_can_go_to_another_thread() {
    let mut net = Net::new();
    let (connection, player) = net.join();
    let thread = std::thread::spawn(move || {
        net.step();
        net
    });
    let net = thread.join().unwrap();
    assert_eq!(net.server.player_of(connection), Some(player));
    assert!(net.server.observers(player).eq([connection]));
}

#[test]
fn frames_carry_the_time_and_pings_come_ten_times_a_second() {
    let mut net = Net::new();
    let connection = net.connect();
    net.ready(connection);
    let mut lengths = Vec::new();
    for frame in 0..12 {
        net.server.update(Duration::from_millis(20 * frame));
        let transmit = net.server.poll_transmit().unwrap();
        assert_eq!(transmit.channel, Channel::Unreliable);
        lengths.push(transmit.len());
        assert!(net.server.poll_transmit().is_none());
    }
    assert_eq!(lengths, [38, 19, 19, 19, 19, 38, 19, 19, 19, 19, 38, 19]);
}

#[test]
fn pings_are_answered_with_the_time_of_the_last_update() {
    let mut net = Net::new();
    let connection = net.connect();
    net.server.update(Duration::from_millis(1500));
    while net.server.poll_transmit().is_some() {}
    let question = NetworkPingMessage {
        local_time: 1.0,
        predicted_time_adjusted: 1.25,
    };
    net.say(connection, &[&question.to_bytes().unwrap()])
        .unwrap();
    net.server.update(Duration::from_millis(1510));
    let transmit = net.server.poll_transmit().unwrap();
    let answer = NetworkPongMessage {
        local_time: 1.0,
        prediction_error_unadjusted: 0.5,
        prediction_error_adjusted: 0.25,
    };
    let mut expected = 1.5_f64.to_le_bytes().to_vec();
    expected.push(26);
    expected.extend_from_slice(&answer.to_bytes().unwrap());
    assert_eq!(transmit.to_bytes(), expected);
    assert_eq!(transmit.channel, Channel::Unreliable);
}

#[test]
fn round_trip_time_follows_the_pongs() {
    let mut net = Net::new();
    let connection = net.connect();
    net.server.update(Duration::from_secs(2));
    assert_eq!(net.server.rtt(connection), None);
    for local_time in [1.75, f64::NAN, 1e300, -1e300] {
        let answer = NetworkPongMessage {
            local_time,
            prediction_error_unadjusted: 0.0,
            prediction_error_adjusted: 0.0,
        };
        net.say(connection, &[&answer.to_bytes().unwrap()]).unwrap();
    }
    assert_eq!(net.server.rtt(connection), Some(Duration::from_millis(250)));
}

#[test]
fn leaving_client_despawns_its_objects_except_scene_objects() {
    let mut net = Net::new();
    let options = MirrorSpawnOptions::default;
    let door = net
        .server
        .spawn_scene_object(SceneId(5), Chest::default(), options())
        .unwrap();
    let (leaving, player) = net.join();
    let pet = MirrorSpawnOptions {
        owner: Some(leaving),
        ..options()
    };
    let pet = net.server.try_spawn(whole(1), pet).unwrap();
    net.server.set_owner(door, Some(leaving)).unwrap();
    let (staying, _) = net.join();
    net.step();
    net.told(staying);
    net.events();
    net.server.handle_disconnect(leaving);
    net.step();
    assert_eq!(net.told(staying), ["destroy 2", "destroy 3"]);
    assert!(net.server.identity(player).is_none() && net.server.identity(pet).is_none());
    assert_eq!(net.server.owner(door), None);
    let gone = MirrorServerEvent::Disconnected {
        connection: leaving,
        reason: DisconnectReason::ConnectionLost,
        player: Some(player),
    };
    assert_eq!(net.events(), [gone]);
    net.server.handle_disconnect(leaving);
    assert!(net.events().is_empty());
}

#[test]
fn disconnected_client_receives_queued_messages_first() {
    let mut net = Net::new();
    let (connection, _) = net.join();
    let (other, _) = net.join();
    net.step();
    let words = Chat {
        text: "bye".to_string(),
    };
    net.server.send(connection, &words).unwrap();
    net.server.disconnect(connection);
    net.server.disconnect(connection);
    assert!(!net.server.is_connected(connection));
    let packet = net.server.poll_transmit().unwrap();
    assert_eq!(packet.connection, connection);
    assert_eq!(packet.len(), 8 + 1 + 2 + 2 + 3);
    assert_eq!(net.server.poll_close(), Some(connection));
    assert_eq!(net.server.poll_close(), None);
    let error = net.say(connection, &[]);
    assert_eq!(error, Err(MirrorError::NoSuchConnection));
    assert_eq!(net.server.connections().collect::<Vec<_>>(), [other]);
    assert!(net.server.send(connection, &words).is_err());
}

#[test]
fn client_that_is_not_ready_keeps_objects_and_gets_no_changes() {
    let mut net = Net::new();
    let chest = net.server.spawn(whole(1));
    let (connection, _) = net.join();
    net.step();
    net.told(connection);
    net.server.set_not_ready(connection);
    net.server.set_not_ready(connection);
    net.chest(chest).gold.set(2);
    net.step();
    assert_eq!(net.told(connection), ["not ready"]);
    assert!(!net.server.is_ready(connection));
    net.ready(connection);
    net.step();
    let told = ["started", "spawn 1 0", "spawn 2 3", "finished"];
    assert_eq!(net.told(connection), told);
    assert_eq!(net.clients[&connection].objects[&chest].gold, 2);
    // Once more, and there is nothing new.
    net.ready(connection);
    net.step();
    assert_eq!(net.told(connection), ["started", "finished"]);
}

#[test]
fn another_player_takes_the_place_of_the_former_which_stays() {
    let mut net = Net::new();
    let (connection, former) = net.join();
    net.step();
    net.told(connection);
    let player = net.server.add_player(connection, whole(2)).unwrap();
    net.step();
    let told = ["started", "finished", "spawn 2 3", "owner 1 0"];
    assert_eq!(net.told(connection), told);
    assert_eq!(net.server.player_of(connection), Some(player));
    assert_eq!(net.server.owner(former), None);
    net.events();
    let add = AddPlayerMessage.to_bytes().unwrap();
    net.say(connection, &[&add]).unwrap();
    assert!(net.events().is_empty(), "it has a player");
    net.server.despawn(player).unwrap();
    net.say(connection, &[&add]).unwrap();
    let asked = MirrorServerEvent::AddPlayerRequested { connection };
    assert_eq!(net.events(), [asked]);
}

#[test]
fn scene_message_comes_first() {
    let mut net = Net::new();
    let (early, _) = net.join();
    net.step();
    net.told(early);
    net.server
        .load_scene("Assets/Cave.unity", SceneOperation::Normal)
        .unwrap();
    let late = net.connect();
    net.step();
    assert_eq!(net.told(early), ["not ready", "scene Assets/Cave.unity"]);
    assert_eq!(net.told(late), ["scene Assets/Cave.unity"]);
    net.server
        .load_scene("Assets/Hut.unity", SceneOperation::LoadAdditive)
        .unwrap();
    net.step();
    assert_eq!(net.told(early), ["scene Assets/Hut.unity"]);
    assert_eq!(net.server.scene(), Some("Assets/Cave.unity"));
    let long = "x".repeat(70_000);
    assert!(
        net.server
            .load_scene(&long, SceneOperation::Normal)
            .is_err()
    );
}

#[test]
fn authenticator_blocks_messages_until_accepted() {
    let config = MirrorServerConfig {
        authenticate: true,
        ..MirrorServerConfig::default()
    };
    let server = || MirrorServer::with_config(prefabs(), config.clone());
    let mut net = Net::of(server());
    let connection = net.connect();
    assert_eq!(net.events(), [MirrorServerEvent::Connecting { connection }]);
    let request = AuthRequestMessage {
        username: "me".into(),
        password: "secret".into(),
    };
    let mut bytes = AuthRequestMessage::ID.to_le_bytes().to_vec();
    bytes.extend_from_slice(b"\x03\0me\x07\0secret");
    net.say(connection, &[&bytes]).unwrap();
    let events = net.events();
    let [MirrorServerEvent::Message { message, .. }] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(message.get(), Some(&request));
    net.server.accept(connection);
    net.server.accept(connection);
    assert_eq!(net.events(), [MirrorServerEvent::Connected { connection }]);
    net.ready(connection);

    let mut net = Net::of(server());
    let connection = net.connect();
    let error = net.say(connection, &[&[0xbc, 0xaa]]);
    assert_eq!(error, Err(MirrorError::NotAuthenticated { id: 43_708 }));
    assert_eq!(net.server.poll_close(), Some(connection));
}

#[test]
fn messages_of_the_game_go_both_ways() {
    let mut net = Net::new();
    let (ready, connected) = (net.connect(), net.connect());
    net.ready(ready);
    net.events();
    let chat = Chat {
        text: "hi".to_string(),
    };
    net.server.send_to_all(&chat).unwrap();
    net.server.send_to_ready(&chat).unwrap();
    net.server
        .send_on(connected, Channel::Unreliable, &chat)
        .unwrap();
    net.step();
    let other = format!("other {}", Chat::ID);
    for connection in [ready, connected] {
        assert_eq!(net.told(connection), [other.clone(), other.clone()]);
    }
    let mut bytes = Chat::ID.to_le_bytes().to_vec();
    bytes.extend_from_slice(b"\x04\0abc");
    net.say(connected, &[&bytes]).unwrap();
    let events = net.events();
    let [
        MirrorServerEvent::Message {
            connection,
            message,
        },
    ] = &events[..]
    else {
        panic!("{events:?}");
    };
    assert_eq!(*connection, connected);
    assert_eq!(message.get::<Chat>().unwrap().text, "abc");
}

#[test]
fn client_that_reads_nothing_is_disconnected_at_bounded_cost() {
    let config = MirrorServerConfig {
        max_queued_bytes: 10_000,
        ..MirrorServerConfig::default()
    };
    let mut net = Net::of(MirrorServer::with_config(prefabs(), config));
    let (connection, player) = net.join();
    for frame in 1..2000 {
        net.chest(player).gold += 1;
        net.server.update(Duration::from_millis(frame));
        if !net.server.is_connected(connection) {
            break;
        }
    }
    assert_eq!(net.server.poll_close(), Some(connection));
    assert!(net.server.poll_transmit().is_none());
    assert!(net.server.identity(player).is_none());
}

#[test]
fn time_does_not_go_back_and_may_stand_still() {
    let mut net = Net::new();
    let (connection, player) = net.join();
    net.step();
    let before = net.server.now();
    let restarted = net.now / 2;
    for now in [restarted; 3] {
        net.server.calls::<Chest>(player).rpc_open(1).unwrap();
        net.chest(player).gold += 1;
        net.server.update(now);
        net.deliver();
        assert_eq!(net.server.now(), before);
    }
    let client = &net.clients[&connection];
    assert_eq!(client.objects[&NetId(1)].gold, 3);
    let told = net.told(connection);
    assert_eq!(
        told[3..],
        ["rpc 1", "state 1", "rpc 1", "state 1", "rpc 1", "state 1"]
    );
}
