//! Relays, one situation each.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{Endpoint, NetworkTime, ServerConfig};
use syncvar_fleet::memory::Faults;
use syncvar_fleet::{Carrier, CarrierEvent, RelayConfig, Role};

use crate::stage::{Banner, Chat, Mover, Stage, TICK, Unit, net_id, prefabs, relay_config};

/// Returns a stage with two levels of relays, and a typed and an untyped spectator at each.
fn two_levels(seed: u64) -> Stage {
    let mut stage = Stage::new(seed);
    let first = stage.relay(&[], relay_config());
    let second = stage.relay(&[first], relay_config());
    for relay in [first, second] {
        stage.spectator(relay, true);
        stage.spectator(relay, false);
    }
    stage
}

fn play(stage: &mut Stage, ticks: u32) {
    for _ in 0..ticks {
        stage.play();
        stage.step();
    }
}

#[test]
fn spectators_of_two_levels_are_equal_to_the_origin() {
    let mut stage = two_levels(1);
    play(&mut stage, 200);
    stage.run(60);
    stage.check();
    let client = &stage.spectators[2].client;
    let units = client.identities();
    let units = units.filter_map(|it| client.get::<Unit>(it.net_id()));
    assert!(units.map(|unit| unit.hooks).sum::<u32>() > 0);
}

#[test]
fn lost_datagrams_of_spectators_are_repaired_by_the_relay() {
    let mut stage = two_levels(2);
    stage.datagram_loss = 200;
    play(&mut stage, 300);
    stage.run(120);
    stage.check();
    let published = stage.relays[0].as_ref().unwrap().stats();
    assert_eq!(
        published.keyframes, 1,
        "the origin is not asked for repairs"
    );
}

#[test]
fn every_call_arrives_once_on_a_whole_stream_of_records() {
    let mut stage = two_levels(3);
    let unit = stage.source.server.spawn(Unit::default());
    stage.run(60);
    for number in 1..=20 {
        stage
            .source
            .server
            .calls::<Unit>(unit)
            .boom(number)
            .unwrap();
        stage.step();
    }
    stage.run(10);
    for typed in [0, 2] {
        let unit = stage.spectators[typed].client.get::<Unit>(unit).unwrap();
        assert_eq!(unit.booms, (1..=20).collect::<Vec<_>>(), "{typed}");
    }
}

#[test]
fn messages_to_all_reach_every_spectator() {
    let mut stage = two_levels(4);
    stage.run(60);
    let text = "kick-off".to_owned();
    stage.source.server.send_to_ready(&Chat { text }).unwrap();
    stage.run(10);
    for typed in [0, 2] {
        assert_eq!(stage.spectators[typed].chats, ["kick-off"]);
    }
}

#[test]
fn admitted_messages_reach_the_origin_once_and_others_are_refused() {
    let mut stage = Stage::new(5);
    let forwarding = || RelayConfig {
        forwarded: vec!["chat".into()],
        ..relay_config()
    };
    let first = stage.relay(&[], forwarding());
    let second = stage.relay(&[first], forwarding());
    let silent = stage.relay(&[], relay_config());
    let (fan, troll) = (stage.spectator(second, true), stage.spectator(silent, true));
    stage.run(60);
    stage.fleet.set_faults(Faults {
        loss: 0.3,
        repetition: 0.3,
        ..Faults::default()
    });
    for number in 0..10 {
        for spectator in [fan, troll] {
            let text = format!("{number} of {spectator}");
            stage.spectators[spectator]
                .client
                .send(&Chat { text })
                .unwrap();
        }
        stage.run(15);
    }
    stage.fleet.set_faults(Faults::default());
    stage.run(120);
    let mut texts = Vec::new();
    while let Some(message) = stage.source.origin.poll_message() {
        assert_eq!(message.relay, stage.nodes[second]);
        texts.push(message.message.get::<Chat>().unwrap().text.clone());
    }
    texts.sort();
    let expected: Vec<_> = (0..10).map(|number| format!("{number} of {fan}")).collect();
    assert_eq!(texts, expected);
    assert_eq!(stage.relays[silent].as_ref().unwrap().stats().refused, 10);
}

#[test]
fn joins_at_a_relay_do_not_reach_the_origin() {
    let mut stage = two_levels(6);
    play(&mut stage, 60);
    let before = stage.source.server.stats().clone();
    for _ in 0..50 {
        stage.spectator(1, true);
    }
    stage.run(30);
    stage.check();
    let after = stage.source.server.stats();
    let batches =
        |stats: &syncvar::stats::Stats| stats.encoded(syncvar::stats::MessageType::SpawnBatch);
    assert_eq!(batches(&before), batches(after), "no snapshot is written");
    let relays = stage.relays.iter().flatten();
    assert!(relays.into_iter().all(|relay| relay.stats().keyframes == 1));
}

#[test]
fn a_gap_is_closed_without_despawns() {
    let mut stage = two_levels(7);
    play(&mut stage, 60);
    stage.run(30);
    let ids: Vec<_> = stage.source.server.identities().map(net_id).collect();
    let despawned: Vec<_> = stage.spectators.iter().map(|it| it.despawned).collect();
    stage
        .fleet
        .cut(stage.source.carrier.id(), stage.nodes[0], true);
    for (step, id) in ids.iter().enumerate() {
        let mut unit = stage.source.server.get_mut::<Unit>(*id).unwrap();
        unit.hp.set(1000 + i32::try_from(step).unwrap());
        drop(unit);
        stage.step();
    }
    stage.run(10);
    assert!(
        stage.difference(0).is_some(),
        "the relay serves its objects"
    );
    stage
        .fleet
        .cut(stage.source.carrier.id(), stage.nodes[0], false);
    stage.run(120);
    stage.check();
    let later: Vec<_> = stage.spectators.iter().map(|it| it.despawned).collect();
    assert_eq!(despawned, later);
}

#[test]
fn spectators_of_a_dead_relay_return_to_another_one_without_despawns() {
    let mut stage = Stage::new(8);
    let config = RelayConfig {
        alternates: vec!["relay 1".into()],
        ..relay_config()
    };
    let first = stage.relay(&[], config);
    let second = stage.relay(&[], relay_config());
    let spectators = [stage.spectator(first, true), stage.spectator(first, false)];
    play(&mut stage, 60);
    stage.run(30);
    stage.check();
    let despawned: Vec<_> = stage.spectators.iter().map(|it| it.despawned).collect();
    stage.crash_relay(first);
    let id = stage.source.server.identities().next().unwrap().net_id();
    stage
        .source
        .server
        .get_mut::<Unit>(id)
        .unwrap()
        .hp
        .set(4711);
    stage.run(10);
    for spectator in spectators {
        let spectator = &mut stage.spectators[spectator];
        assert_eq!(spectator.client.alternates(), ["relay 1"]);
        spectator.relay = second;
    }
    stage.run(60);
    stage.check();
    let later: Vec<_> = stage.spectators.iter().map(|it| it.despawned).collect();
    assert_eq!(despawned, later, "the objects stay");
    let unit = stage.spectators[0].client.get::<Unit>(id).unwrap();
    assert_eq!(*unit.hp, 4711);
}

#[test]
fn a_relay_turns_to_another_source_when_its_source_ends() {
    let mut stage = Stage::new(9);
    let (one, two) = (
        stage.relay(&[], relay_config()),
        stage.relay(&[], relay_config()),
    );
    let leaf = stage.relay(&[one, two], relay_config());
    stage.spectator(leaf, true);
    play(&mut stage, 60);
    assert_eq!(
        stage.relays[leaf].as_ref().unwrap().source(),
        Some(stage.nodes[one])
    );
    stage.crash_relay(one);
    play(&mut stage, 60);
    stage.run(60);
    assert_eq!(
        stage.relays[leaf].as_ref().unwrap().source(),
        Some(stage.nodes[two])
    );
    stage.check();
}

#[test]
fn a_stalled_source_is_left_for_another_one() {
    let mut stage = Stage::new(10);
    let (one, two) = (
        stage.relay(&[], relay_config()),
        stage.relay(&[], relay_config()),
    );
    let leaf = stage.relay(&[one, two], relay_config());
    stage.spectator(leaf, true);
    play(&mut stage, 60);
    stage.fleet.stall(stage.nodes[one], true);
    play(&mut stage, 90);
    stage.run(60);
    stage.check();
    stage.fleet.stall(stage.nodes[one], false);
    play(&mut stage, 60);
    stage.run(60);
    stage.check();
}

#[test]
fn a_restarted_origin_is_followed() {
    let mut stage = two_levels(11);
    play(&mut stage, 200);
    stage.run(30);
    stage.check();
    let former = stage.spectators[2].client.incarnation();
    stage.restart_origin(77, &[0]);
    stage.source.server.spawn(Unit {
        hp: 5.into(),
        ..Unit::default()
    });
    stage.run(200);
    play(&mut stage, 60);
    for spectator in &stage.spectators {
        assert_eq!(spectator.client.incarnation(), Some(77));
        assert_ne!(former, Some(77));
        let (theirs, ours) = (
            spectator.client.tick().unwrap(),
            stage.source.server.network_time().tick,
        );
        assert!(theirs <= ours && ours - theirs < 10, "{theirs} of {ours}");
    }
}

#[test]
fn ticks_and_time_are_those_of_the_origin() {
    let mut stage = two_levels(12);
    play(&mut stage, 300);
    let time = stage.source.server.network_time();
    for spectator in &stage.spectators {
        let tick = spectator.client.tick().unwrap();
        assert!(
            tick <= time.tick && time.tick - tick <= 2,
            "{tick} of {}",
            time.tick
        );
        let estimate = spectator.client.network_time().unwrap();
        let difference = estimate.time.abs_diff(time.time);
        assert!(difference < Duration::from_millis(70), "{difference:?}");
    }
}

#[test]
fn a_broadcast_is_behind_by_its_delay() {
    let mut stage = Stage::new(13);
    let delay = Duration::from_secs(5);
    let late = stage.relay(
        &[],
        RelayConfig {
            delay,
            ..relay_config()
        },
    );
    let now = stage.relay(&[], relay_config());
    let (late, now) = (stage.spectator(late, true), stage.spectator(now, true));
    let clock = stage.source.server.spawn(Unit::default());
    for second in 1..=12 {
        stage
            .source
            .server
            .get_mut::<Unit>(clock)
            .unwrap()
            .hp
            .set(second);
        stage.run(30);
    }
    let hp = |spectator: usize| {
        let unit = stage.spectators[spectator].client.get::<Unit>(clock);
        unit.map(|unit| *unit.hp)
    };
    assert_eq!((hp(late), hp(now)), (Some(7), Some(12)));
    stage.run(200);
    stage.check();
}

#[test]
fn a_gap_before_the_delay_is_closed_before_it_is_shown() {
    let mut stage = Stage::new(14);
    let delay = Duration::from_secs(5);
    let relay = stage.relay(
        &[],
        RelayConfig {
            delay,
            ..relay_config()
        },
    );
    stage.spectator(relay, true);
    play(&mut stage, 60);
    stage.fleet.set_faults(Faults {
        loss: 0.2,
        ..Faults::default()
    });
    play(&mut stage, 300);
    stage.fleet.set_faults(Faults::default());
    stage.run(260);
    stage.check();
}

#[test]
fn questions_for_keyframes_are_at_most_one_a_second() {
    let mut stage = Stage::new(15);
    stage.relay(&[], relay_config());
    stage.run(60);
    // A source that answers nothing, and whose records are damaged.
    let mut mute = stage.fleet.node(Role::Origin, "");
    let relay = stage.fleet.node(Role::Relay, "");
    stage.fleet.connect(relay.id(), mute.id());
    let mut relay = syncvar_fleet::Relay::new(relay, RelayConfig::default());
    let mut questions = 0;
    for _ in 0..300 {
        stage.step();
        relay.update(stage.now);
        mute.publish(syncvar_fleet::Topic::WORLD, "no record".into());
        while let Some(event) = mute.poll() {
            questions += u32::from(matches!(event, CarrierEvent::Asked { .. }));
        }
    }
    assert!((9..=11).contains(&questions), "{questions} in 10 s");
    assert!(relay.stats().damaged > 250);
}

#[test]
fn spectators_that_come_before_the_origin_wait() {
    let mut stage = Stage::new(16);
    let relay = stage.relay(&[], relay_config());
    stage.spectator(relay, true);
    let source = stage.source.carrier.id();
    stage.fleet.cut(source, stage.nodes[relay], true);
    stage.run(120);
    assert!(!stage.spectators[0].client.is_connected());
    stage.fleet.cut(source, stage.nodes[relay], false);
    play(&mut stage, 60);
    stage.run(30);
    stage.check();
}

#[test]
fn commands_and_owner_writes_of_spectators_have_no_effect() {
    let mut stage = two_levels(17);
    let id = stage
        .source
        .server
        .spawn((Mover::default(), Unit::default()));
    stage.run(30);
    let client = &mut stage.spectators[0].client;
    if let Ok(mut unit) = client.get_mut::<Unit>(id) {
        unit.hp.set(9);
    }
    stage.run(30);
    assert_eq!(*stage.source.server.get::<Unit>(id).unwrap().hp, 0);
    let relay = stage.relays[0].as_ref().unwrap();
    let hp = relay.server().unwrap().value(id, "Unit", "hp");
    assert_eq!(hp, Some(&0_i32.into()));
}

#[test]
fn a_server_without_an_incarnation_is_no_origin() {
    let mut server = NetworkServer::with_config(prefabs(), ServerConfig::default());
    let error = syncvar_fleet::Origin::begin(&mut server).unwrap_err();
    assert!(error.to_string().contains("incarnation"));
}

#[test]
fn an_own_interest_management_limits_the_view_of_spectators() {
    let mut stage = Stage::new(18);
    let relay = stage.relay(&[], relay_config());
    stage.spectator(relay, true);
    let (near, far) = (
        stage.source.server.spawn(Unit::default()),
        stage.source.server.spawn(Unit::default()),
    );
    stage.run(30);
    let link = stage.spectators[0].link.unwrap();
    let server = stage.relays[relay].as_mut().unwrap().server_mut().unwrap();
    server.hide(far, link).unwrap();
    stage.run(10);
    let client = &stage.spectators[0].client;
    assert!(client.get::<Unit>(near).is_some() && client.get::<Unit>(far).is_none());
    stage.source.server.get_mut::<Unit>(far).unwrap().hp.set(3);
    let server = stage.relays[relay].as_mut().unwrap().server_mut().unwrap();
    server.show(far, link).unwrap();
    stage.run(10);
    stage.check();
    assert!(Endpoint::is_connected(
        stage.relays[relay].as_ref().unwrap(),
        link
    ));
}

#[test]
fn data_beside_the_fields_reaches_typed_spectators() {
    let mut stage = two_levels(19);
    let banner = stage.source.server.spawn(Banner {
        colour: 3.into(),
        text: "home team".into(),
    });
    stage.run(60);
    for typed in [0, 2] {
        let banner = stage.spectators[typed]
            .client
            .get::<Banner>(banner)
            .unwrap();
        assert_eq!((*banner.colour, &banner.text[..]), (3, "home team"));
    }
}

#[test]
fn state_has_the_tick_of_its_record_however_long_the_record_travels() {
    let mut stage = two_levels(20);
    let walker = stage
        .source
        .server
        .spawn((Mover::default(), Unit::default()));
    stage.run(60);
    stage.fleet.set_faults(Faults {
        jitter: Duration::from_millis(90),
        ..Faults::default()
    });
    let mut shown = [0, 0];
    let mut changes = 0;
    for _ in 0..150 {
        // The value that an update sends is the tick of this update.
        let tick = NetworkTime::new(stage.now + TICK, 30).tick;
        let value = f32::from(u16::try_from(tick).unwrap());
        let mut mover = stage.source.server.get_mut::<Mover>(walker).unwrap();
        mover.x.set(value);
        drop(mover);
        stage.step();
        for (place, typed) in [0, 2].into_iter().enumerate() {
            let client = &stage.spectators[typed].client;
            let x = client.get::<Mover>(walker).map_or(0.0, |mover| *mover.x);
            let tick = client.tick().unwrap();
            if x > 0.0 && tick != shown[place] {
                let sent = f64::from(u32::try_from(tick).unwrap());
                assert!((f64::from(x) - sent).abs() < 0.5, "{x} in tick {tick}");
                (shown[place], changes) = (tick, changes + 1);
            }
        }
    }
    assert!(changes > 20, "{changes}");
}
