//! What cannot be sent, and then can.

use std::time::Duration;

use syncvar::Channel;
use syncvar::mirror::*;
use syncvar::prelude::*;

use super::net::{FoundNetwork, Hands, Letter, network_of};

#[derive(NetworkBehaviour, Default)]
struct Sign {
    #[sync_var]
    notes: SyncList<i64>,
    #[sync_var]
    lines: SyncList<String>,
}

fn prefabs() -> MirrorPrefabs {
    super::net::prefabs().register::<Sign>(MirrorPrefab::new("sign", AssetId(7)))
}

/// A sign that cannot be sent when it is spawned, and is changed then.
fn mended(sign: Sign, mend: impl FnOnce(&mut Sign)) {
    let mut net = network_of(MirrorServer::new(prefabs()), super::net::prefabs);
    let (connection, _) = net.join_whole();
    let (second, _) = net.join_whole();
    let sign = net.server.spawn(sign);
    net.frames(3);
    assert!(net.server.observers(sign).eq([]));
    net.events();
    // It is not tried again as long as nobody touches it.
    net.frames(3);
    assert_eq!(net.events(), []);
    mend(&mut net.server.get_mut::<Sign>(sign).unwrap());
    net.server.update(net.now);
    assert_eq!(net.events(), []);
    assert!(net.server.observers(sign).eq([connection, second]));
}

#[test]
fn an_object_that_could_not_be_written_is_shown_when_it_can() {
    let lines = SyncList::from(vec!["x".repeat(70_000)]);
    mended(
        Sign {
            lines,
            ..Sign::default()
        },
        |sign| {
            sign.lines.set(0, "x".into());
        },
    );
}

#[test]
fn an_object_that_was_too_long_is_shown_when_it_is_not() {
    let notes = SyncList::from(vec![i64::MAX; 5000]);
    mended(
        Sign {
            notes,
            ..Sign::default()
        },
        |sign| sign.notes.clear(),
    );
}

/// What is pending is sent before the owner is shown the object, whatever becomes of that: those who are
/// shown it after the owner are not told that it is to come.
#[test]
fn too_long_owner_spawn_leaves_later_spawns_correct() {
    let mut net = network_of(MirrorServer::new(prefabs()), super::net::prefabs);
    let [first, second, owner, last] = [(); 4].map(|()| net.join_whole().0);
    // More than a message of Telepathy.
    let text = SyncVar::new("x".repeat(20_000));
    let options = MirrorSpawnOptions {
        visibility: Visibility::ForceHidden,
        owner: Some(owner),
        ..MirrorSpawnOptions::default()
    };
    let object = (Hands::default(), Letter { text });
    let id = net.server.try_spawn(object, options).unwrap();
    net.server.show(id, first).unwrap();
    net.frames(3);
    assert!(net.server.observers(id).eq([first]));
    net.hands(id).held.push(1);
    net.server
        .set_visibility(id, Visibility::ByDefault)
        .unwrap();
    assert!(net.server.observers(id).eq([first, second, last]));
    net.frames(3);
    net.hands(id).held.push(2);
    net.frames(3);
    for client in [first, second, last] {
        assert_eq!(net.seen::<Hands>(client, id).held[..], [1, 2], "{client}");
    }
}

#[test]
fn the_time_of_a_client_does_not_go_back() {
    let mut client = MirrorClient::new(prefabs());
    client.handle_connect(Limits::TELEPATHY);
    let mut last = [0.0; 2];
    for millis in [100, 50, 60, 200] {
        client.update(Duration::from_millis(millis));
        while let Some(packet) = client.poll_transmit() {
            let time = batch::Unbatcher::new(&packet.bytes).unwrap().time();
            let last = &mut last[usize::from(packet.channel == Channel::Unreliable)];
            assert!(time >= *last, "{time} after {last}");
            *last = time;
        }
    }
    // It stands still once, and continues from there.
    assert_eq!(client.now(), Duration::from_millis(250));
}
