//! What goes wrong: what comes late, what is too long, and who is not there any more.

use std::time::Duration;

use syncvar::mirror::*;
use syncvar::prelude::*;
use syncvar::{Channel, codec::Quantized};

use super::net::{Body, HybridNetwork, SECOND, joined};
use syncvar_testing::mirror::{FRAME, MirrorNetwork, Quality};

/// The batch of changes that one frame sends a client, which does not get it.
fn kept(net: &mut MirrorNetwork, from: ConnectionId) -> Vec<u8> {
    net.advance(FRAME);
    net.server.update(net.now);
    let mut kept = Vec::new();
    while let Some(transmit) = net.server.poll_transmit() {
        if transmit.connection == from && transmit.channel == Channel::Unreliable {
            kept = transmit.to_bytes().to_vec();
        }
    }
    assert!(!kept.is_empty());
    kept
}

#[test]
fn a_late_change_of_an_object_that_is_shown_again_does_not_stay() {
    let (mut net, [client]) = joined();
    let body = net.server.spawn(Body::default());
    net.frame();
    net.set_x(body, 1);
    let late = kept(&mut net, client);
    // Nobody sees it, and then the same one again: what was pending is in what it is shown.
    net.server.hide(body, client).unwrap();
    net.frame();
    net.set_x(body, 2);
    net.server.restore(body, client).unwrap();
    net.frame();
    assert_eq!(net.xs([client], body), [2]);
    net.client(client)
        .handle_packet(Channel::Unreliable, &late)
        .unwrap();
    net.frames(SECOND);
    assert_eq!(net.xs([client], body), [2]);
    net.states();
    net.frames(SECOND);
    assert_eq!(net.states(), [""; 0]);
}

#[test]
fn changes_without_observers_are_in_the_next_spawn_only() {
    let (mut net, [client]) = joined();
    let body = net.server.spawn(Body::default());
    net.frame();
    net.server.hide(body, client).unwrap();
    net.frames(3);
    net.set_x(body, 8);
    net.frames(2 * SECOND);
    net.states();
    net.server.restore(body, client).unwrap();
    net.frames(2 * SECOND);
    assert_eq!(net.xs([client], body), [8]);
    assert_eq!(net.states(), [""; 0]);
}

#[test]
fn hidden_or_destroyed_object_sends_no_baseline() {
    let (mut net, [client, other]) = joined();
    let [hidden, gone] = [(); 2].map(|()| net.server.spawn(Body::default()));
    net.frame();
    net.set_x(hidden, 1);
    net.set_x(gone, 1);
    net.frame();
    net.server.hide(hidden, client).unwrap();
    net.server.despawn(gone).unwrap();
    net.states();
    net.frames(SECOND);
    assert!(
        net.states()
            .iter()
            .all(|line| line.starts_with(&format!("to {}:", other.0)))
    );
    assert_eq!(net.xs([other], hidden), [1]);
    let stats = [client, other].map(|it| net.client(it).stats().unknown_objects);
    assert_eq!(stats, [0, 0]);
}

/// Somebody ceases to be ready while a change of an object is on its way to it.
fn lapsed(net: &mut MirrorNetwork, client: ConnectionId) -> (NetId, Vec<u8>) {
    let body = net.server.spawn(Body::default());
    net.set_x(body, 1);
    net.frames(SECOND);
    net.set_x(body, 2);
    let late = kept(net, client);
    net.server.set_not_ready(client);
    (body, late)
}

#[test]
fn client_that_was_not_ready_is_correct_again() {
    let (mut net, [client]) = joined();
    let (body, late) = lapsed(&mut net, client);
    net.frame();
    net.set_x(body, 3);
    net.frames(3);
    net.client(client).ready();
    net.frames(2);
    assert_eq!(net.xs([client], body), [3]);
    net.client(client)
        .handle_packet(Channel::Unreliable, &late)
        .unwrap();
    net.frames(SECOND);
    assert_eq!(net.xs([client], body), [3]);
}

#[test]
fn a_change_from_before_an_object_was_shown_again_is_no_news() {
    let (mut net, [client, other]) = joined();
    let (body, late) = lapsed(&mut net, client);
    net.set_x(body, 3);
    // Of the baseline that goes out meanwhile it learns nothing.
    net.frames(2 * SECOND);
    net.client(client).ready();
    net.frames(2);
    net.client(client)
        .handle_packet(Channel::Unreliable, &late)
        .unwrap();
    assert_eq!(net.xs([client, other], body), [3, 3]);
}

/// A text that may be longer than an unreliable packet.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, sync_method = hybrid)]
struct Note {
    #[sync_var]
    text: SyncVar<String>,
}

fn noted(limits: Limits) -> (MirrorNetwork, ConnectionId, NetId) {
    let prefabs = || MirrorPrefabs::new().register::<Note>(MirrorPrefab::new("note", 1.into()));
    let mut net = MirrorNetwork::of_observers(prefabs, MirrorServerConfig::default());
    net.limits = limits;
    let connection = net.connect();
    net.frame();
    let note = net.server.spawn(Note::default());
    net.frame();
    (net, connection, note)
}

fn too_long(net: &mut MirrorNetwork) -> Vec<(usize, usize)> {
    let told = net.events().into_iter().filter_map(|event| match event {
        MirrorServerEvent::TooLong { length, limit, .. } => Some((length, limit)),
        _ => None,
    });
    told.collect()
}

fn note(net: &mut MirrorNetwork, note: NetId, length: usize) {
    let text = "x".repeat(length);
    net.server.get_mut::<Note>(note).unwrap().text.set(text);
}

#[test]
fn oversized_changes_are_reported_and_sent_by_the_baseline() {
    let (mut net, client, id) = noted(Limits::KCP);
    net.until_baseline();
    net.frames(2);
    net.events();
    // 2 bytes of id, the tick, the number, 3 of the segment's size and 1 of the mask; a safety byte, two
    // masks, and the length of the text.
    let head = 2 + 1 + 1 + 2 + 1 + 1 + 8 + 1 + 2;
    let longest = 1194 - 8 - 2;
    note(&mut net, id, longest - head);
    net.frame();
    assert_eq!(too_long(&mut net), []);
    assert_eq!(net.seen::<Note>(client, id).text.len(), longest - head);
    note(&mut net, id, longest - head + 1);
    net.frames(10);
    assert_eq!(too_long(&mut net), [(longest + 1, longest)]);
    assert_eq!(net.seen::<Note>(client, id).text.len(), longest - head);
    net.until_baseline();
    net.frame();
    assert_eq!(net.seen::<Note>(client, id).text.len(), longest - head + 1);
    assert_eq!(too_long(&mut net), []);
    note(&mut net, id, 2000);
    net.frames(10);
    assert_eq!(too_long(&mut net).len(), 1);
    net.frames(SECOND);
    assert_eq!(net.seen::<Note>(client, id).text.len(), 2000);
}

#[test]
fn oversized_baseline_is_reported_and_retried() {
    let (mut net, client, id) = noted(Limits::TELEPATHY);
    net.until_baseline();
    net.frames(2);
    net.events();
    note(&mut net, id, 20_000);
    net.frames(3);
    assert_eq!(too_long(&mut net).len(), 1);
    net.until_baseline();
    net.frame();
    assert_eq!(too_long(&mut net).len(), 1, "now it is the baseline");
    note(&mut net, id, 100);
    net.frame();
    assert_eq!(net.seen::<Note>(client, id).text.len(), 100);
    net.quality(Quality {
        lost: 100,
        ..Quality::default()
    });
    note(&mut net, id, 101);
    net.frames(SECOND);
    assert_eq!(net.seen::<Note>(client, id).text.len(), 101);
    assert_eq!(too_long(&mut net), []);
}

#[test]
fn updates_at_one_time_lose_no_change() {
    let (mut net, [client]) = joined();
    let body = net.server.spawn(Body::default());
    net.frame();
    let now = net.now;
    for x in 1..4 {
        net.set_x(body, x);
        net.server.update(now);
    }
    net.frame();
    assert_eq!(net.xs([client], body), [3]);
    // And time may stand still for as long as it likes, or leap.
    net.set_x(body, 9);
    net.server.update(now);
    net.server.update(now + Duration::from_hours(1));
    net.server.update(Duration::ZERO);
    while let Some(transmit) = net.server.poll_transmit() {
        let bytes = transmit.to_bytes();
        let channel = transmit.channel;
        net.clients
            .get_mut(&client)
            .unwrap()
            .handle_packet(channel, &bytes)
            .unwrap();
    }
    assert_eq!(net.xs([client], body), [9]);
}

#[test]
fn equal_write_does_not_cancel_a_sent_change() {
    /// An angle of which steps below a tenth are no change.
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0, sync_method = hybrid)]
    struct Wheel {
        #[sync_var(with = Quantized<-10, 10, 10>)]
        angle: SyncVar<f32>,
    }

    let prefabs = || MirrorPrefabs::new().register::<Wheel>(MirrorPrefab::new("wheel", 1.into()));
    let mut net = MirrorNetwork::of_observers(prefabs, MirrorServerConfig::default());
    let connection = net.connect();
    net.frame();
    let wheel = net.server.spawn(Wheel::default());
    net.frame();
    net.quality(Quality {
        lost: 100,
        ..Quality::default()
    });
    for angle in [1.0, 1.001] {
        net.server.get_mut::<Wheel>(wheel).unwrap().angle.set(angle);
        net.frame();
    }
    net.frames(SECOND);
    let seen = *net.seen::<Wheel>(connection, wheel).angle;
    assert!((seen - 1.0).abs() < 0.06, "{seen}");
    net.states();
    net.server.get_mut::<Wheel>(wheel).unwrap().angle.set(1.002);
    net.frames(SECOND);
    assert_eq!(net.states(), [""; 0]);
}
