//! What a server sends.

use std::time::Duration;

use syncvar::Channel;
use syncvar::mirror::*;

use super::net::{Body, Car, Fuel, HybridNetwork, Name, SECOND, joined, network, prefabs};
use syncvar_testing::mirror::{FRAME, MirrorNetwork, Quality};

/// A change of `x` alone, or of `y` alone, of the first component, of values below 64.
fn change(field: u8, value: u8) -> String {
    format!("010a0000000000000000{field:02x}{:02x}", value * 2)
}

// IsDirty_BitsOnly_FalseByDefault, UnreliableBaseline_Timing,
// SerializeServer_ObserversMode_ServerToClient_UnreliableOnly.
#[test]
fn change_repeats_until_a_baseline_and_then_stops() {
    let (mut net, [client]) = joined();
    let body = net.server.spawn(Body::default());
    net.frames(2);
    assert_eq!(net.states(), [""; 0], "the spawn has everything");
    net.set_x(body, 5);
    net.frames(3);
    let delta = |tick: u8, text: &str| format!("to {}: delta {tick} {text}", client.0);
    let baseline = |tick: u8, text: &str| format!("to {}: baseline {tick} {text}", client.0);
    assert_eq!(net.states(), vec![delta(0, &change(1, 5)); 3]);
    net.until_baseline();
    net.states();
    net.frame();
    // The last change, and then all of the component; which of them comes first is the channels' affair.
    let mut said = net.states();
    said.sort();
    assert_eq!(said, [baseline(1, "01020a00"), delta(0, &change(1, 5))]);
    net.frames(2 * SECOND);
    assert_eq!(net.states(), [""; 0]);

    net.set_x(body, 6);
    net.frame();
    net.server.get_mut::<Body>(body).unwrap().y.set(7);
    net.frame();
    let both = "010b0000000000000000030c0e";
    assert_eq!(net.states(), [delta(1, &change(1, 6)), delta(1, both)]);
    net.until_baseline();
    net.frame();
    assert!(net.states().contains(&baseline(2, "01020c0e")));
    net.frame();
    assert_eq!(net.states(), [""; 0]);
}

// ClearAllDirtyBits_PreservesLastSyncTime_WhenFlagFalse, IsDirty_BitsOnly_TrueWhenBitsSet_RegardlessOfSyncInterval.
#[test]
fn interval_spaces_the_repeats_but_not_the_baselines() {
    let slow = Component::new().sync_interval(Duration::from_secs(5));
    let prefab = MirrorPrefab::new("body", 2.into()).component(0, slow);
    let prefabs = move || MirrorPrefabs::new().register::<Body>(prefab.clone());
    let mut net = MirrorNetwork::of_observers(prefabs, MirrorServerConfig::default());
    let client = net.connect();
    net.frame();
    let body = net.server.spawn(Body::default());
    let mut at = Vec::new();
    for frame in 1..=12 * SECOND {
        net.set_x(body, i32::try_from(frame).unwrap());
        net.frame();
        let kinds = net
            .states()
            .into_iter()
            .map(|line| line[..8].trim().to_owned());
        at.extend(kinds.map(|it| (it.replace(&format!("to {}: ", client.0), ""), net.frame)));
    }
    let frames = |kind: &str| -> Vec<u64> {
        let of = at.iter().filter(|(it, _)| kind.starts_with(it.as_str()));
        of.map(|(_, frame)| *frame).collect()
    };
    // Counted from the spawn, in the first frame; a baseline in between makes no difference to that.
    assert_eq!(frames("delta"), [251, 501]);
    let seconds: Vec<_> = (1..=12).map(|second| second * SECOND).collect();
    assert_eq!(frames("baseline"), seconds);
}

#[test]
fn reliable_and_unreliable_components_coexist() {
    let (mut net, [client]) = joined();
    let car = net.server.spawn(Car::default());
    net.frame();
    net.set_x(car, 1);
    net.server
        .get_mut::<Name>(car)
        .unwrap()
        .name
        .set("a".into());
    net.frames(2);
    let to = |text: &str| format!("to {}: {text}", client.0);
    let mut said = net.states();
    said.sort();
    assert_eq!(
        said,
        [
            to(&format!("delta 0 {}", change(1, 1))),
            to(&format!("delta 0 {}", change(1, 1))),
            to("state 020c000000000000000001020061"),
        ]
    );
    net.until_baseline();
    net.set_x(car, 2);
    net.server
        .get_mut::<Name>(car)
        .unwrap()
        .name
        .set("b".into());
    net.states();
    net.frame();
    let said: Vec<_> = net
        .states()
        .into_iter()
        .filter(|line| !line.contains("delta"))
        .collect();
    assert_eq!(
        said,
        [
            to("state 020c000000000000000001020062"),
            to("baseline 1 01020400")
        ]
    );
    assert_eq!(*net.seen::<Name>(client, car).name, "b");
    assert_eq!(net.xs([client], car), [2]);
}

#[test]
fn owner_and_observers_get_their_components_written_once() {
    let (mut net, [owner, other]) = joined();
    let car = net.server.spawn(Car::default());
    net.server.set_owner(car, Some(owner)).unwrap();
    net.until_baseline();
    net.frames(2);
    net.states();
    net.set_x(car, 1);
    net.server.get_mut::<Fuel>(car).unwrap().left.set(2);
    net.frame();
    let [to_owner, to_other] = [owner, other].map(|it| format!("to {}: ", it.0));
    let mut said = net.states();
    said.sort();
    assert_eq!(said.len(), 2);
    assert!(
        said[0].starts_with(&(to_owner.clone() + "delta")),
        "{said:?}"
    );
    assert!(
        said[0].ends_with("050a000000000000000001020a00000000000000000104"),
        "{said:?}"
    );
    assert!(
        said[1].starts_with(&(to_other.clone() + "delta")),
        "{said:?}"
    );
    assert!(said[1].ends_with(&change(1, 1)), "{said:?}");
    net.until_baseline();
    net.states();
    net.frame();
    let said: Vec<_> = net
        .states()
        .into_iter()
        .filter(|line| line.contains("baseline"))
        .collect();
    assert_eq!(said.len(), 2);
    assert!(
        said[0].starts_with(&to_owner) && said[0].ends_with(" 050302f7e00104"),
        "{said:?}"
    );
    assert!(
        said[1].starts_with(&to_other) && said[1].ends_with(" 010302f7e0"),
        "{said:?}"
    );
    assert_eq!(*net.seen::<Fuel>(owner, car).left, 2);
    assert_eq!(*net.seen::<Fuel>(other, car).left, 0);
}

#[test]
fn baseline_for_some_clients_keeps_the_deltas_of_others_valid() {
    let (mut net, [owner, other]) = joined();
    let car = net.server.spawn(Car::default());
    net.server.set_owner(car, Some(owner)).unwrap();
    net.frames(2 * SECOND);
    // Baselines for the owner alone.
    for left in 1..4 {
        net.server.get_mut::<Fuel>(car).unwrap().left.set(left);
        net.frames(SECOND);
    }
    net.set_x(car, 7);
    net.frame();
    assert_eq!(
        net.xs([owner, other], car),
        [7, 7],
        "before the next baseline"
    );
    net.frames(SECOND);
    // Baselines for all but the owner.
    for x in 1..4 {
        net.client(owner)
            .get_mut::<super::net::Aim>(car)
            .unwrap()
            .yaw
            .set(x);
        net.frames(SECOND);
    }
    net.set_x(car, 8);
    net.frame();
    assert_eq!(net.xs([owner, other], car), [8, 8]);
    net.server.get_mut::<Fuel>(car).unwrap().left.set(9);
    net.frame();
    assert_eq!(*net.seen::<Fuel>(owner, car).left, 9);
}

#[test]
fn client_that_joins_between_baselines_is_correct_at_once() {
    let (mut net, [first]) = joined();
    let body = net.server.spawn(Body::default());
    net.set_x(body, 1);
    net.frames(SECOND);
    net.set_x(body, 2);
    net.frame();
    let second = net.connect();
    net.frames(2);
    assert_eq!(net.xs([first, second], body), [2, 2]);
    // What is counted from a baseline that it does not have does not count.
    net.set_x(body, 3);
    net.frames(2);
    assert_eq!(net.xs([first, second], body), [3, 2]);
    assert!(net.client(second).stats().outdated > 0);
    net.until_baseline();
    net.frame();
    assert_eq!(net.xs([first, second], body), [3, 3]);
    net.set_x(body, 4);
    net.frame();
    assert_eq!(net.xs([first, second], body), [4, 4]);
}

#[test]
fn baselines_carry_all_state_without_unreliable_packets() {
    let (mut net, [client]) = joined();
    let body = net.server.spawn(Body::default());
    net.frame();
    net.quality(Quality {
        lost: 100,
        ..Quality::default()
    });
    for x in [1, 2, 3] {
        net.set_x(body, x);
        net.frame();
        assert_eq!(net.xs([client], body), [x - 1]);
        net.until_baseline();
        net.frame();
        assert_eq!(net.xs([client], body), [x]);
    }
}

#[test]
fn set_dirty_sends_all_fields_until_a_baseline() {
    let (mut net, [client]) = joined();
    let body = net.server.spawn(Body::default());
    net.frame();
    net.server.set_dirty(body, 0).unwrap();
    net.frames(2);
    let everything = "01130000000000000000ffffffffffffffffff0000";
    let line = format!("to {}: delta 0 {everything}", client.0);
    assert_eq!(net.states(), [line.clone(), line]);
    net.frames(SECOND);
    net.states();
    net.frames(SECOND);
    assert_eq!(net.states(), [""; 0]);
}

#[test]
fn changes_go_twice_where_that_is_asked_for_and_count_once() {
    let config = MirrorServerConfig {
        unreliable_redundancy: true,
        unreliable_baseline_interval: Duration::from_millis(100),
        ..MirrorServerConfig::default()
    };
    let mut net = MirrorNetwork::of_observers(prefabs, config);
    let client = net.connect();
    net.frame();
    let car = net.server.spawn(Car::default());
    net.server.set_owner(car, Some(client)).unwrap();
    net.frames(11);
    net.states();
    net.set_x(car, 1);
    net.server.get_mut::<Fuel>(car).unwrap().left.set(3);
    let outdated = net.client(client).stats().outdated;
    net.frame();
    let said = net.states();
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!(said[0], said[1]);
    assert_eq!(net.client(client).stats().outdated, outdated + 1);
    assert_eq!(*net.seen::<Fuel>(client, car).left, 3);
    net.frames(5);
    net.states();
    net.frames(5);
    assert_eq!(
        net.states(),
        [""; 0],
        "a baseline came after a tenth of a second"
    );
}

#[test]
fn over_a_stream_that_has_one_channel_the_same_is_sent() {
    let mut net = network();
    net.limits = Limits::TELEPATHY;
    let client = net.connect();
    net.frame();
    let body = net.server.spawn(Body::default());
    net.frame();
    for x in 1..200 {
        net.set_x(body, x);
        net.advance(FRAME);
        net.server.update(net.now);
        // Telepathy does not say which channel something was sent on.
        let mut sent = Vec::new();
        while let Some(transmit) = net.server.poll_transmit() {
            sent.push(transmit.to_bytes());
        }
        for bytes in sent {
            let client = net.client(client);
            client.handle_packet(Channel::Reliable, &bytes).unwrap();
        }
        assert_eq!(net.xs([client], body), [x]);
    }
}
