//! `NetworkServerTest`: connections, players, and who is sent what.

use syncvar::mirror::message::{AddPlayerMessage, Message, ReadyMessage};
use syncvar::mirror::*;
use syncvar::prelude::*;
use syncvar::{DisconnectReason, calls::CommandRefusal};

use super::game::{self, Chat, DOOR, Door, Hero, told_by, whole};
use super::world::world;
use syncvar_testing::mirror::bytes;

// AddConnection, AddConnection_PreventsDuplicates, ConnectDuplicateConnectionIds, ConnectionsDict,
// RemoveConnection, HasExternalConnections, OnConnectedEventCalled, OnDisconnectedEventCalled.
#[test]
fn connections_have_unique_ids_and_raise_events() {
    let mut world = world();
    assert_eq!(world.server.connections().count(), 0);
    let (first, second) = (world.connect(), world.connect());
    assert_ne!(first, second);
    assert_eq!(
        world.server.connections().collect::<Vec<_>>(),
        [first, second]
    );
    let connected = |connection| MirrorServerEvent::Connected { connection };
    assert_eq!(world.events(), [connected(first), connected(second)]);

    world.server.handle_disconnect(first);
    assert_eq!(world.server.connections().collect::<Vec<_>>(), [second]);
    let gone = MirrorServerEvent::Disconnected {
        connection: first,
        reason: DisconnectReason::ConnectionLost,
        player: None,
    };
    assert_eq!(world.events(), [gone]);
    let third = world.connect();
    assert!(third != first && third != second, "no number comes back");
}

// DisconnectAllTest_RemoteConnection.
#[test]
fn all_connections_can_be_ended() {
    let mut world = world();
    let clients = [world.join(whole()).0, world.join(whole()).0];
    let connections: Vec<_> = world.server.connections().collect();
    for connection in connections {
        world.server.disconnect(connection);
    }
    world.frame();
    assert_eq!(world.server.connections().count(), 0);
    assert_eq!(world.server.object_count(), 0, "their players go with them");
    for client in clients {
        assert!(!world.client(client).is_connected());
    }
}

// OnDataReceivedInvalidConnectionId.
#[test]
fn packet_of_an_unknown_connection_is_an_error() {
    let mut world = world();
    let known = world.connect();
    let nobody = ConnectionId(known.0 + 99);
    let ready = bytes(&ReadyMessage);
    assert_eq!(
        world.say(nobody, &[&ready]),
        Err(MirrorError::NoSuchConnection)
    );
    assert!(world.server.is_connected(known));
    assert!(!world.server.is_ready(known));
}

// ReadyMessageSetsClientReady, SetClientReadyAndNotReady, SetAllClientsNotReady.
#[test]
fn connection_is_ready_until_the_server_revokes_it() {
    let mut world = world();
    let clients = [world.connect(), world.connect()];
    for client in clients {
        assert!(!world.server.is_ready(client));
        world.say(client, &[&bytes(&ReadyMessage)]).unwrap();
        assert!(world.server.is_ready(client));
        world.client(client).ready();
    }
    for client in clients {
        world.server.set_not_ready(client);
        assert!(!world.server.is_ready(client));
    }
    world.client(clients[0]).disconnect();
    world.frame();
    assert!(!world.client(clients[1]).is_ready());
}

// AddPlayerForConnection_FailsIfConnectionAlreadyHasPlayer.
#[test]
fn a_client_that_has_a_player_cannot_ask_for_another_one() {
    let mut world = world();
    let (client, player) = world.join(whole());
    world.events();
    world.say(client, &[&bytes(&AddPlayerMessage)]).unwrap();
    assert_eq!(world.events(), []);
    assert_eq!(world.server.player_of(client), Some(player));
}

// GetNetworkIdentity, GetNetworkIdentity_ErrorIfNotFound, IsSceneObject.
#[test]
fn objects_are_found_by_their_id() {
    let mut world = world();
    let hero = world.server.spawn(Hero::with(5));
    let (server, options) = (&mut world.server, MirrorSpawnOptions::default());
    let door = server.spawn_scene_object(DOOR, Door::default(), options);
    let door = door.unwrap();
    assert_eq!(server.object_count(), 2);
    let identity = server.identity(hero).unwrap();
    assert_eq!((identity.net_id(), server.scene_id(hero)), (hero, None));
    assert_eq!(server.scene_id(door), Some(DOOR));
    assert!(server.identity(NetId(99)).is_none());
}

// HideForConnection, ShowForConnection, ShowForConnection_OnlyWorksIfReady.
#[test]
fn objects_are_shown_to_ready_connections_only() {
    let mut world = world();
    let (client, _) = world.join(whole());
    let idle = world.connect();
    let hero = world.server.spawn(Hero::with(5));
    world.frame();
    assert!(world.sees(client, hero));
    world.server.hide(hero, client).unwrap();
    world.frame();
    assert!(!world.sees(client, hero));
    for connection in [client, idle] {
        world.server.show(hero, connection).unwrap();
    }
    world.frame();
    assert!(world.sees(client, hero));
    assert!(!world.sees(idle, hero));
    assert!(world.server.observers(hero).eq([client]));
}

// RemovePlayerForConnection_CallsOnStopLocalPlayer, RemovePlayerForConnection_Destroy_DestroysPlayer,
// RemovePlayerForConnection_Unspawn_UnspawnsPlayer.
#[test]
fn despawned_player_leaves_its_connection_without_one() {
    let mut world = world();
    let (client, player) = world.join(whole());
    game::told();
    world.server.despawn(player).unwrap();
    world.frame();
    assert_eq!(world.server.player_of(client), None);
    assert!(world.server.identity(player).is_none());
    assert_eq!(world.client(client).local_player(), None);
    let id = player.0;
    assert_eq!(
        told_by("client"),
        [format!("was player {id}"), format!("despawn {id}")]
    );
    assert!(world.server.is_ready(client), "it may be given another one");
}

// ReplacePlayerForConnection_CallsOnStartLocalPlayer, ReplacePlayerForConnection_CallsOnStopLocalPlayer,
// ReplacePlayerForConnection_Destroy_DestroysPreviousPlayer,
// ReplacePlayerForConnection_Unspawn_UnspawnsPreviousPlayer.
#[test]
fn replaced_player_and_its_successor_raise_events() {
    let mut world = world();
    let (client, former) = world.join(whole());
    game::told();
    let player = world.server.add_player(client, whole()).unwrap();
    world.frame();
    assert_eq!(world.client(client).local_player(), Some(player));
    let told = told_by("client");
    let is_told = |text: &str, id: NetId| told.contains(&format!("{text} {}", id.0));
    assert!(is_told("is player", player) && is_told("gained", player));
    assert!(is_told("was player", former) && is_told("lost", former));
    assert!(!is_told("despawn", former), "it stays: {told:?}");
    assert!(world.sees(client, former) && !world.client(client).is_owned(former));

    world.server.despawn(former).unwrap();
    world.frame();
    assert!(!world.sees(client, former));
    assert_eq!(world.client(client).local_player(), Some(player));
}

// SendCommand_CalledOnCorrectComponent.
#[test]
fn a_command_runs_on_the_component_that_it_was_called_on() {
    let mut world = world();
    let three = (
        game::Purse::default(),
        Hero::with(1),
        game::Purse::default(),
    );
    let (client, player) = world.join(three);
    game::told();
    let calls = world.client(client).calls_at::<game::Purse>(player, 2);
    calls.cmd_count().unwrap();
    world
        .client(client)
        .calls::<Hero>(player)
        .cmd_hit(3)
        .unwrap();
    world.frame();
    assert_eq!(told_by("server"), ["CmdCount on 2", "CmdHit 3"]);
}

// SendCommand_WhenClientNotReady_IsIgnored.
#[test]
fn client_that_is_not_ready_sends_no_calls() {
    let mut world = world();
    let (client, player) = world.join(whole());
    world.server.set_not_ready(client);
    game::told();
    // The client does not know yet.
    world
        .client(client)
        .calls::<Hero>(player)
        .cmd_hit(3)
        .unwrap();
    world.frame();
    assert_eq!(game::told(), [""; 0]);
    let refused = |event: &MirrorServerEvent| {
        matches!(
            event,
            MirrorServerEvent::CommandRefused {
                reason: CommandRefusal::NotReady,
                ..
            }
        )
    };
    assert!(world.events().iter().any(refused));
    let refused = world.client(client).calls::<Hero>(player).cmd_hit(3);
    assert!(refused.is_err(), "now it does");
}

// UnSpawn, UnSpawnAndClearAuthority, Destroy_SceneObject_UnspawnsInsteadOfDestroying, SpawnObjects.
#[test]
fn an_object_of_the_scene_is_despawned_and_can_be_spawned_again() {
    let mut world = world();
    let (client, _) = world.join(whole());
    let options = || MirrorSpawnOptions {
        owner: Some(client),
        ..MirrorSpawnOptions::default()
    };
    let server = &mut world.server;
    let first = server.spawn_scene_object(DOOR, Door::default(), options());
    let first = first.unwrap();
    assert_eq!(world.server.identity(first).unwrap().net_id(), first);
    world.frame();
    assert_eq!(world.client(client).scene_object(DOOR), Some(first));
    assert!(world.client(client).is_owned(first));
    world.server.despawn(first).unwrap();
    world.frame();
    assert_eq!(world.server.owner(first), None);
    assert!(world.client(client).dormant(DOOR).is_some(), "it sleeps");

    let open = Door { open: true.into() };
    let free = MirrorSpawnOptions::default();
    let second = { &mut world.server }.spawn_scene_object(DOOR, open, free);
    let second = second.unwrap();
    world.frame();
    assert!(*world.seen::<Door>(client, second).open);
    assert!(!world.client(client).is_owned(second));
}

// SyncObjectChanges_DontGrowWithoutObservers.
#[test]
fn collections_log_nothing_without_observers() {
    let mut world = world();
    let hero = world.server.spawn(Hero::with(5));
    for item in 0..1000 {
        world.server.get_mut::<Hero>(hero).unwrap().items.push(item);
    }
    assert_eq!(world.state_bytes(), 0);
    let (client, _) = world.join(whole());
    assert_eq!(world.seen::<Hero>(client, hero).items.len(), 1000);
    assert_eq!(world.state_bytes(), 0, "it was all in the spawn");
}

// Send_ClientToServerMessage_UnknownMessageIdDisconnects,
// Send_ServerToClientMessage_UnknownMessageIdDisconnects.
#[test]
fn unknown_message_disconnects_on_both_sides() {
    let unknown = [0x34, 0x12, 1];
    assert!(matches!(
        Message::decode(&unknown),
        Ok(Message::Other { id: 0x1234, .. })
    ));
    let mut world = world();
    let client = world.connect();
    let error = MirrorError::UnknownMessage { id: 0x1234 };
    assert_eq!(world.give(client, &[&unknown]), Err(error.clone()));
    assert!(world.client(client).poll_close());
    assert_eq!(world.say(client, &[&unknown]), Err(error));
    assert_eq!(world.server.poll_close(), Some(client));
}

// Send_ClientToServerMessage, Send_ServerToClientMessage, SendToAll, SendToReady_OnlySendsToReadyConnections,
// SendToReady_DoesNotSendToNotReadyConnections.
#[test]
fn messages_reach_all_or_only_ready_connections() {
    let mut world = world();
    let (ready, _) = world.join(whole());
    let idle = world.connect();
    let numbered = |number| Chat {
        number,
        ..Chat::default()
    };
    world.server.send_to_all(&numbered(1)).unwrap();
    world.server.send_to_ready(&numbered(2)).unwrap();
    world.client(idle).send(&numbered(3)).unwrap();
    world.frames(2);
    let got = |events: Vec<MirrorClientEvent>| {
        let numbers = events.into_iter().filter_map(|event| match event {
            MirrorClientEvent::Message(message) => Some(message.get::<Chat>()?.number),
            _ => None,
        });
        numbers.collect::<Vec<_>>()
    };
    assert_eq!(got(world.client_events(ready)), [1, 2]);
    assert_eq!(got(world.client_events(idle)), [1]);
    let from_idle = |event: &MirrorServerEvent| match event {
        MirrorServerEvent::Message {
            connection,
            message,
        } => *connection == idle && message.get() == Some(&numbered(3)),
        _ => false,
    };
    assert!(world.events().iter().any(from_idle));
}
