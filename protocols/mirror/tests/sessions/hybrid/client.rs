//! What a client sends of the components that it writes.

use std::time::Duration;

use syncvar::mirror::*;
use syncvar::prelude::*;

use super::net::{Aim, Car, HybridNetwork, SECOND, joined};
use syncvar_testing::mirror::{MirrorNetwork, Quality};

/// An owner, somebody else, and a car, in the last frame before a baseline and after one.
fn driven() -> (MirrorNetwork, [ConnectionId; 2], NetId) {
    let (mut net, all) = joined();
    let car = net.server.spawn(Car::default());
    net.server.set_owner(car, Some(all[0])).unwrap();
    net.frames(SECOND + SECOND / 2 + 1);
    net.states();
    (net, all, car)
}

fn write(net: &mut MirrorNetwork, owner: ConnectionId, car: NetId, yaw: i32) {
    net.client(owner).get_mut::<Aim>(car).unwrap().yaw.set(yaw);
}

/// What an owner has said, and in which frames from now on.
fn said_by(net: &mut MirrorNetwork, owner: ConnectionId, frames: u64) -> Vec<(u64, String)> {
    let mut said = Vec::new();
    let from = format!("from {}: ", owner.0);
    for frame in 0..frames {
        net.frame();
        let lines = net.states().into_iter();
        said.extend(lines.filter_map(|line| Some((frame, line.strip_prefix(&from)?.to_owned()))));
    }
    said
}

// BroadcastToServer_BaselineElapsed_UpdatesLastUnreliableBaselineSent,
// BroadcastToServer_HybridDirtyComponent_UpdatesLastSyncTimeAfterDeltaSend.
#[test]
fn owner_write_repeats_at_its_interval_until_a_baseline() {
    let (mut net, [owner, other], car) = driven();
    write(&mut net, owner, car, 3);
    // A tenth of a second is five frames.
    let delta = "080a00000000000000000106";
    let said = said_by(&mut net, owner, 11);
    let expected = [0, 5, 10].map(|frame| (frame, format!("delta 0 {delta}")));
    assert_eq!(said, expected);
    assert_eq!(*net.server.get::<Aim>(car).unwrap().yaw, 3);
    assert_eq!(*net.seen::<Aim>(other, car).yaw, 3);
    net.until_baseline();
    net.states();
    let said = said_by(&mut net, owner, SECOND);
    let baseline = |tick: u8, bytes: &str| (0, format!("baseline {tick} {bytes}"));
    assert!(said.contains(&baseline(1, "080106")), "{said:?}");
    assert!(said.len() <= 2, "then it is silent: {said:?}");
    write(&mut net, owner, car, 4);
    let said = said_by(&mut net, owner, 2);
    let delta = (0, "delta 1 080a00000000000000000108".to_owned());
    assert_eq!(said, [delta, baseline(2, "080108")]);
}

// SerializeClient_UnreliableBaseline_ClearsBitsNotSyncTime.
#[test]
fn a_baseline_does_not_count_as_a_change_that_was_sent() {
    let (mut net, [owner, _], car) = driven();
    net.until_baseline();
    net.frames(SECOND - 2);
    // Two frames before a baseline, and five before the next change may go.
    write(&mut net, owner, car, 1);
    assert_eq!(said_by(&mut net, owner, 1).len(), 1);
    write(&mut net, owner, car, 2);
    let mut said = said_by(&mut net, owner, 1);
    said.extend(said_by(&mut net, owner, 1));
    write(&mut net, owner, car, 3);
    said.extend(said_by(&mut net, owner, 8));
    let said: Vec<_> = said
        .iter()
        .map(|(frame, line)| (*frame, &line[..7]))
        .collect();
    assert_eq!(said, [(0, "baselin"), (2, "delta 1"), (7, "delta 1")]);
}

#[test]
fn owner_write_arrives_with_the_baseline_at_the_latest() {
    let (mut net, [owner, other], car) = driven();
    net.quality(Quality {
        lost: 100,
        ..Quality::default()
    });
    write(&mut net, owner, car, 9);
    net.frames(10);
    assert_eq!(*net.server.get::<Aim>(car).unwrap().yaw, 0);
    net.frames(2 * SECOND);
    assert_eq!(*net.server.get::<Aim>(car).unwrap().yaw, 9);
    assert_eq!(*net.seen::<Aim>(other, car).yaw, 9);
}

#[test]
fn former_owner_stops_sending() {
    let (mut net, [owner, other], car) = driven();
    write(&mut net, owner, car, 5);
    net.frame();
    net.server.set_owner(car, Some(other)).unwrap();
    net.frame();
    net.states();
    assert_eq!(said_by(&mut net, owner, 2 * SECOND), []);
    assert_eq!(*net.server.get::<Aim>(car).unwrap().yaw, 5);
    write(&mut net, other, car, 6);
    net.frames(2 * SECOND);
    assert_eq!(*net.seen::<Aim>(owner, car).yaw, 6);
}

#[test]
fn a_baseline_interval_of_a_client_is_its_own() {
    let config = MirrorClientConfig {
        unreliable_baseline_interval: Duration::from_millis(40),
        ..MirrorClientConfig::default()
    };
    let (mut net, [owner], car) = {
        let (mut net, [_]) = joined();
        let owner = net.server.handle_connect(Limits::KCP);
        let mut client = MirrorClient::with_config(super::net::prefabs(), config);
        client.handle_connect(Limits::KCP);
        net.clients.insert(owner, client);
        net.links
            .insert(owner, [3, 4].map(syncvar_testing::mirror::Link::new));
        net.frames(3);
        let car = net.server.spawn(Car::default());
        net.server.set_owner(car, Some(owner)).unwrap();
        net.frames(3);
        (net, [owner], car)
    };
    write(&mut net, owner, car, 1);
    let said = said_by(&mut net, owner, 5);
    let baselines = said.iter().filter(|(_, line)| line.starts_with("baseline"));
    assert_eq!(baselines.count(), 1, "{said:?}");
    assert!(said.last().unwrap().0 < 2, "{said:?}");
}

#[test]
fn oversized_delta_is_reported_once_and_sent_by_the_baseline() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(sync_method = hybrid, sync_direction = client_to_server, send_interval = 0)]
    struct Note {
        #[sync_var]
        text: SyncVar<String>,
    }
    let prefabs = || MirrorPrefabs::new().register::<Note>(MirrorPrefab::new("note", 1.into()));
    let mut server = MirrorServer::new(prefabs());
    let connection = server.handle_connect(Limits::KCP);
    let mut client = MirrorClient::new(prefabs());
    client.handle_connect(Limits::KCP);
    let mut now = Duration::ZERO;
    let mut frames = |server: &mut MirrorServer, client: &mut MirrorClient, count: u32| {
        for _ in 0..count {
            now += Duration::from_millis(20);
            client.update(now);
            while let Some(packet) = client.poll_transmit() {
                server
                    .handle_packet(connection, packet.channel, &packet.bytes)
                    .unwrap();
            }
            while let Some(event) = server.poll_event() {
                if let MirrorServerEvent::AddPlayerRequested { connection } = event {
                    server.add_player(connection, Note::default()).unwrap();
                }
            }
            server.update(now);
            while let Some(transmit) = server.poll_transmit() {
                client
                    .handle_packet(transmit.channel, &transmit.to_bytes())
                    .unwrap();
            }
        }
    };
    frames(&mut server, &mut client, 60);
    let note = client.local_player().unwrap();
    client
        .get_mut::<Note>(note)
        .unwrap()
        .text
        .set("x".repeat(2000));
    let told = |client: &mut MirrorClient| {
        let events = std::iter::from_fn(|| client.poll_event());
        let told = events.filter(|it| matches!(it, MirrorClientEvent::Unsendable { .. }));
        told.count()
    };
    told(&mut client);
    frames(&mut server, &mut client, 20);
    assert_eq!(told(&mut client), 1);
    assert!(server.get::<Note>(note).unwrap().text.is_empty());
    frames(&mut server, &mut client, 30);
    assert_eq!(server.get::<Note>(note).unwrap().text.len(), 2000);
    assert_eq!(told(&mut client), 0);
}
