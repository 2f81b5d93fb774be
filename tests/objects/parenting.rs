//! Parents: which object is below which, the same for everyone who sees them.

mod convergence;
mod deep;

use std::time::Duration;
use syncvar_testing::{ClientMessages as _, ServerMessages as _, client};

use syncvar::prelude::*;
use syncvar::{
    Framing, NetworkSceneId, ServerConfig, error::ParentError, stats::MessageType,
    wire::ReadErrorKind,
};
use syncvar_testing::{Compass, Door, Player, drain, frame, prefabs};

const DIALECTS: [Framing; 2] = [Framing::Compact, Framing::Unet];

/// A network with one client and so many doors.
fn with_doors<const N: usize>(dialect: Framing) -> (MemoryNetwork, [NetId; N]) {
    let mut net = MemoryNetwork::new(prefabs);
    net.connect_client(client(prefabs(), dialect));
    let ids = [(); N].map(|()| net.server.spawn(Door::default()));
    net.settle();
    drain(&mut net, 0);
    (net, ids)
}

fn changed(object: NetId, parent: Option<NetId>) -> ClientEvent {
    ClientEvent::ParentChanged { object, parent }
}

fn parent_of(net: &MemoryNetwork, client: usize, id: NetId) -> Option<NetId> {
    net.client(client).identity(id)?.parent()
}

// checklist: T65
#[test]
fn early_and_late_clients_have_the_same_parents() {
    for dialect in DIALECTS {
        let (mut net, [a, b, c]) = with_doors(dialect);
        net.server.set_parent(b, Some(a)).unwrap();
        net.server.set_parent(c, Some(a)).unwrap();
        net.settle();
        assert_eq!(
            drain(&mut net, 0),
            [changed(b, Some(a)), changed(c, Some(a))]
        );
        net.connect_client(client(prefabs(), dialect));
        net.settle();
        // For the late one it is how they are from the beginning.
        let events = drain(&mut net, 1);
        let is_change = |event: &ClientEvent| matches!(event, ClientEvent::ParentChanged { .. });
        assert!(!events.iter().any(is_change), "{events:?}");
        for index in 0..2 {
            assert_eq!(parent_of(&net, index, a), None);
            assert_eq!(parent_of(&net, index, b), Some(a));
            let client = net.client(index);
            assert_eq!(client.children(a).collect::<Vec<_>>(), [b, c]);
            assert_eq!(client.ancestors(c).collect::<Vec<_>>(), [a]);
        }
        assert_eq!(net.server.children(a).collect::<Vec<_>>(), [b, c]);
        net.server.set_parent(c, Some(b)).unwrap();
        net.server.set_parent(b, None).unwrap();
        net.settle();
        for index in 0..2 {
            assert_eq!(parent_of(&net, index, b), None);
            assert_eq!(parent_of(&net, index, c), Some(b));
            assert_eq!(
                drain(&mut net, index),
                [changed(b, None), changed(c, Some(b))]
            );
        }
    }
}

// checklist: T61 T65
#[test]
fn a_late_joiner_is_given_scene_objects_with_their_parents() {
    for dialect in DIALECTS {
        let scene = [1, 2, 3].map(NetworkSceneId);
        let mut net = MemoryNetwork::new(prefabs);
        let spawn = |scene_id| {
            net.server
                .spawn_scene_object(scene_id, Player::new(5, "scene"))
        };
        let [a, b, c] = scene.map(spawn).map(Result::unwrap);
        let dynamic = net.server.spawn(Door::default());
        // Below one of a higher number too.
        for (child, parent) in [(a, c), (b, dynamic), (dynamic, a)] {
            net.server.set_parent(child, Some(parent)).unwrap();
        }
        net.settle();
        let mut client = client(prefabs(), dialect);
        for scene_id in scene {
            client
                .add_scene_object(scene_id, Player::default())
                .unwrap();
        }
        let index = net.connect_client(client);
        net.settle();
        let client = net.client(index);
        assert_eq!(client.object_count(), 4);
        assert_eq!(client.ancestors(b).collect::<Vec<_>>(), [dynamic, a, c]);
        for id in [a, b, c, dynamic] {
            let [here, there] = [client.identity(id), net.server.identity(id)];
            let [here, there] = [here.unwrap(), there.unwrap()];
            assert_eq!(here.parent(), there.parent());
            assert_eq!(here.scene_id(), there.scene_id());
        }
    }
}

#[test]
fn parent_spawned_in_the_same_update_comes_before_its_child() {
    for dialect in DIALECTS {
        let (mut net, [old]) = with_doors(dialect);
        let parent = net.server.spawn(Door::default());
        let new = net.server.spawn(Door::default());
        net.server.set_parent(old, Some(parent)).unwrap();
        net.server.set_parent(new, Some(old)).unwrap();
        net.settle();
        let spawned = [parent, new].map(|object| ClientEvent::Spawned { object });
        let told = [&spawned[..], &[changed(old, Some(parent))]].concat();
        assert_eq!(drain(&mut net, 0), told);
        assert_eq!(parent_of(&net, 0, new), Some(old));
    }
}

#[test]
fn children_are_detached_before_their_parent_despawns() {
    for dialect in DIALECTS {
        let (mut net, [parent, child, other]) = with_doors(dialect);
        for child in [child, other] {
            net.server.set_parent(child, Some(parent)).unwrap();
        }
        let below = net.server.spawn(Door::default());
        net.server.set_parent(below, Some(child)).unwrap();
        net.settle();
        drain(&mut net, 0);
        net.server.despawn(parent).unwrap();
        assert_eq!(net.server.identity(child).unwrap().parent(), None);
        net.settle();
        let (object, hidden) = (parent, false);
        assert_eq!(
            drain(&mut net, 0),
            [
                changed(child, None),
                changed(other, None),
                ClientEvent::Despawned { object, hidden },
            ]
        );
        assert_eq!(parent_of(&net, 0, below), Some(child));
        assert_eq!(net.client(0).children(parent).count(), 0);
    }
}

#[test]
fn a_parent_that_a_client_does_not_see_is_known_by_its_id() {
    for dialect in DIALECTS {
        let (mut net, [parent, child]) = with_doors(dialect);
        let connection = net.connection(0);
        net.server.set_parent(child, Some(parent)).unwrap();
        net.server.hide(parent, connection).unwrap();
        net.settle();
        assert_eq!(parent_of(&net, 0, child), Some(parent));
        assert!(net.client(0).identity(parent).is_none());
        assert_eq!(net.client(0).children(parent).collect::<Vec<_>>(), [child]);
        net.server.show(parent, connection).unwrap();
        net.settle();
        drain(&mut net, 0);
        assert!(net.client(0).identity(parent).is_some());
        assert_eq!(parent_of(&net, 0, child), Some(parent));

        // The child too, and only that comes back, below another one.
        net.server.hide(child, connection).unwrap();
        net.settle();
        assert_eq!(net.client(0).children(parent).count(), 0);
        net.server.hide(parent, connection).unwrap();
        net.server.show(child, connection).unwrap();
        net.settle();
        assert_eq!(parent_of(&net, 0, child), Some(parent));
        // Nobody here has seen the parent go.
        drain(&mut net, 0);
        net.server.despawn(parent).unwrap();
        net.settle();
        assert_eq!(drain(&mut net, 0), [changed(child, None)]);
    }
}

#[test]
fn client_ready_again_learns_changed_parents() {
    for dialect in DIALECTS {
        let (mut net, [a, b, c]) = with_doors(dialect);
        net.server.set_parent(a, Some(b)).unwrap();
        net.settle();
        drain(&mut net, 0);
        net.server.set_not_ready(net.connection(0));
        net.server.set_parent(a, None).unwrap();
        net.server.set_parent(c, Some(a)).unwrap();
        let parent = net.server.spawn(Door::default());
        net.server.set_parent(b, Some(parent)).unwrap();
        net.settle();
        assert_eq!(parent_of(&net, 0, a), Some(b), "as it was");
        net.client_mut(0).ready();
        net.settle();
        let events = drain(&mut net, 0);
        let told = [
            ClientEvent::Spawned { object: parent },
            changed(a, None),
            changed(b, Some(parent)),
            changed(c, Some(a)),
            ClientEvent::Ready,
        ];
        assert_eq!(events[events.len() - told.len()..], told, "{events:?}");
    }
}

#[test]
fn a_parent_must_be_there_and_not_be_the_object_or_below_it() {
    let (mut net, [a, b, c]) = with_doors(Framing::Compact);
    net.server.set_parent(b, Some(a)).unwrap();
    net.server.set_parent(c, Some(b)).unwrap();
    let server = &mut net.server;
    let gone = NetId(99);
    let unknown = Err(ParentError::NoSuchObject(gone));
    assert_eq!(server.set_parent(gone, None), unknown);
    assert_eq!(server.set_parent(a, Some(gone)), unknown);
    for parent in [a, b, c] {
        let circle = ParentError::Circle { child: a, parent };
        assert_eq!(server.set_parent(a, Some(parent)), Err(circle));
    }
    let circle = ParentError::Circle {
        child: a,
        parent: c,
    };
    let text = "#1 cannot be below #3, which is itself or below it";
    assert_eq!(circle.to_string(), text);
    assert_eq!(server.identity(a).unwrap().parent(), None);
    assert_eq!(server.ancestors(c).collect::<Vec<_>>(), [b, a]);
}

#[test]
fn reversed_chain_never_shows_a_cycle_to_clients() {
    let (mut net, ids) = with_doors::<6>(Framing::Compact);
    // Seen by different connections, so that they are in different buffers.
    net.connect_client(client(prefabs(), Framing::Unet));
    net.settle();
    net.server.hide(ids[2], net.connection(1)).unwrap();
    net.server.hide(ids[4], net.connection(1)).unwrap();
    for pair in ids.windows(2) {
        net.server.set_parent(pair[1], Some(pair[0])).unwrap();
    }
    net.settle();
    for id in ids {
        net.server.set_parent(id, None).unwrap();
    }
    for pair in ids.windows(2) {
        net.server.set_parent(pair[0], Some(pair[1])).unwrap();
    }
    one_by_one(&mut net, |client| {
        for id in ids {
            assert!(!client.ancestors(id).any(|above| above == id), "{id}");
        }
    });
    assert_eq!(net.client(0).ancestors(ids[0]).count(), 5);

    /// Gives clients each message alone, and looks at them after each.
    fn one_by_one(net: &mut MemoryNetwork, look: impl Fn(&NetworkClient)) {
        net.server.update(net.now() + Duration::from_secs(1));
        let mut packets = Vec::new();
        while let Some(transmit) = net.server.poll_transmit() {
            packets.push((transmit.connection, transmit.chunks.concat()));
        }
        for (connection, packet) in packets {
            let index = (0..net.client_count()).find(|index| net.connection(*index) == connection);
            let index = index.unwrap();
            let mut rest = &packet[..];
            while !rest.is_empty() {
                let length = usize::from(u16::from_le_bytes([rest[0], rest[1]])) + 4;
                let (message, behind) = rest.split_at(length);
                net.client_mut(index).handle_messages(0, message).unwrap();
                look(net.client(index));
                rest = behind;
            }
        }
    }
}

#[test]
fn no_parent_and_an_equal_parent_cost_no_bytes() {
    let spawned = |act: fn(&mut NetworkServer, NetId)| {
        let mut net = MemoryNetwork::new(prefabs);
        net.connect_client(client(prefabs(), Framing::Compact));
        net.settle();
        let id = net.server.spawn(Door::default());
        act(&mut net.server, id);
        net.settle();
        let stats = net.server.stats();
        let [spawns, parents] =
            [MessageType::SpawnBatch, MessageType::SetParent].map(|m| stats.encoded(m));
        (spawns.bytes, parents.messages)
    };
    let plain = spawned(|_, _| ());
    let back = spawned(|server, id| {
        let parent = server.spawn(Door::default());
        server.set_parent(id, Some(parent)).unwrap();
        server.despawn(parent).unwrap();
    });
    assert_eq!(plain, back);

    let (mut net, [a, b]) = with_doors(Framing::Compact);
    for _ in 0..3 {
        net.server.set_parent(b, Some(a)).unwrap();
        net.settle();
    }
    let sent = net.server.stats().encoded(MessageType::SetParent);
    assert_eq!(sent.messages, 1);
    assert!(net.server.is_idle());
    assert_eq!(drain(&mut net, 0), [changed(b, Some(a))]);
}

#[test]
fn sent_and_received_counts_agree() {
    for dialect in DIALECTS {
        let (mut net, [a, b]) = with_doors(dialect);
        net.server.set_parent(b, Some(a)).unwrap();
        let c = net
            .server
            .spawn_scene_object(NetworkSceneId(5), Door::default());
        net.server.set_parent(a, Some(c.unwrap())).unwrap();
        let d = net.server.spawn(Door::default());
        net.server.set_parent(d, Some(b)).unwrap();
        net.settle();
        for message_type in MessageType::ALL {
            let sent = net.server.stats().encoded(message_type);
            let received = net.client(0).stats().decoded(message_type);
            let batch = matches!(message_type, MessageType::SpawnBatch);
            if !batch && sent.messages > 0 {
                assert_eq!(sent, received, "{message_type:?} in {dialect:?}");
            }
        }
    }
}

#[test]
fn unet_client_receives_no_parents() {
    let config = ServerConfig {
        compare_schemas: false,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs(), config);
    let connection = server.handle_connect();
    server.set_ready(connection);
    let [a, b] = [(); 2].map(|()| server.spawn(Door::default()));
    server.set_parent(a, Some(b)).unwrap();
    server.update(Duration::from_secs(1));
    server.set_parent(a, None).unwrap();
    server.set_parent(b, Some(a)).unwrap();
    server.update(Duration::from_secs(2));
    assert_eq!(server.identity(b).unwrap().parent(), Some(a));
    let sent = server.stats().encoded(MessageType::SetParent);
    assert_eq!(sent.messages, 0);
    while server.poll_transmit().is_some() {}
    assert!(server.is_idle());
}

#[test]
fn circles_of_a_hostile_server_have_an_end() {
    let (mut net, [a, b, c]) = with_doors(Framing::Compact);
    let client = net.client_mut(0);
    for (child, parent) in [(1, 2), (2, 3), (3, 1), (1, 1), (1, 2)] {
        client
            .handle_messages(0, &frame(29, &[child, parent]))
            .unwrap();
    }
    assert!(client.ancestors(a).count() <= 3);
    assert_eq!(client.children(a).collect::<Vec<_>>(), [c]);
    // In full states too: prefab 0 is `door`, below itself.
    let entry = [5 << 3 | 4, 4, 2, 6, 0];
    client.handle_messages(0, &frame(23, &entry)).unwrap();
    assert_eq!(client.identity(NetId(6)).unwrap().parent(), Some(NetId(6)));
    client.handle_messages(0, &frame(1, &[6])).unwrap();
    assert_eq!(client.children(NetId(6)).count(), 0);
    // All goes as if nothing had been.
    client.handle_messages(0, &frame(1, &[2])).unwrap();
    assert_eq!(client.identity(a).unwrap().parent(), None);
    assert_eq!(client.identity(c).unwrap().parent(), Some(a));
    assert!(client.identity(b).is_none());
    client.handle_messages(0, &frame(1, &[1])).unwrap();
    client.handle_messages(0, &frame(1, &[3])).unwrap();
    assert_eq!(client.object_count(), 0);
}

#[test]
fn parents_of_objects_that_are_not_there_are_not_kept() {
    let (mut net, [a]) = with_doors(Framing::Compact);
    let client = net.client_mut(0);
    for child in 100..200 {
        let message = frame(29, &[child, 1]);
        client.handle_messages(0, &message).unwrap();
    }
    assert_eq!(client.ancestors(NetId(150)).count(), 0);
    assert_eq!(client.children(a).count(), 0);
    // Only the message right before a full state is about it.
    let asset_id = client.identity(a).unwrap().asset_id();
    let spawn = |id: u8| {
        let state = [&[id][..], &asset_id.0, &[0; 12], &[1, 0, 1]].concat();
        frame(3, &state)
    };
    let parent = frame(29, &[100, 1]);
    let packet = [&parent[..], &spawn(101), &spawn(100), &parent, &spawn(102)].concat();
    client.handle_messages(0, &packet).unwrap();
    for id in [101, 100, 102].map(NetId) {
        let parent = client.identity(id).unwrap().parent();
        assert_eq!(parent, Some(a).filter(|_| id == NetId(100)), "{id}");
    }
    let error = client.handle_messages(0, &frame(29, &[1])).unwrap_err();
    assert!(matches!(error.kind(), ReadErrorKind::UnexpectedEnd { .. }));
    let error = client
        .handle_messages(0, &frame(29, &[1, 0, 0]))
        .unwrap_err();
    assert!(matches!(error.kind(), ReadErrorKind::TrailingBytes { .. }));
}

#[test]
fn client_cannot_set_parents() {
    let (mut net, [_, _]) = with_doors(Framing::Compact);
    let connection = net.connection(0);
    let message = frame(29, &[1, 2]);
    assert!(net.server.handle_messages(connection, 0, &message).is_err());
    assert_eq!(net.server.identity(NetId(1)).unwrap().parent(), None);
}

#[test]
fn large_objects_with_several_behaviours_have_parents() {
    for dialect in DIALECTS {
        let (mut net, [a]) = with_doors(dialect);
        let vane = net.server.spawn((Door::default(), Compass::default()));
        let long = net.server.spawn(Player::new(1, &"n".repeat(3000)));
        net.server.set_parent(vane, Some(long)).unwrap();
        net.server.set_parent(long, Some(a)).unwrap();
        net.settle();
        assert_eq!(parent_of(&net, 0, vane), Some(long));
        assert_eq!(parent_of(&net, 0, long), Some(a));
    }
}
