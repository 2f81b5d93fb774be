//! Predictions over links with delay, jitter and loss, pauses and returns.

use std::time::Duration;

use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::ServerConfig;
use bevy_syncvar::syncvar::testing::Conditions;

use crate::prediction::rig::{Body, FRAME, Rig, open, set_frame, shared};

#[test]
fn a_prediction_without_loss_is_never_corrected() {
    let delay = Conditions {
        delay: Duration::from_millis(80),
        ..Conditions::default()
    };
    for conditions in [Conditions::default(), delay] {
        let mut rig = Rig::new(conditions, 2);
        rig.play(600);
        for client in 0..2 {
            assert_eq!(rig.corrections(client), 0);
        }
        rig.rest();
        rig.assert_equal();
        assert!(rig.body(0).x != 0.0);
    }
}

#[test]
fn a_prediction_is_ahead_of_the_server() {
    let mut rig = Rig::new(open(1), 1);
    rig.hold(0, 1.0);
    rig.frames(60);
    // The server has the first inputs after a packet's way.
    let (shown, body) = (rig.shown(0).x, rig.body(0).x);
    assert!(shown > body + 0.2, "{shown}, {body}");
}

#[test]
fn losses_and_jitter_cause_few_corrections_and_no_jumps() {
    let mut rig = Rig::new(open(2), 2);
    let before = rig.corrections(0);
    let (mut last, mut longest) = (rig.shown(0).x, 0.0_f32);
    for frame in 0..600 {
        rig.hold(0, if frame / 50 % 2 == 0 { 1.0 } else { -1.0 });
        rig.frame(FRAME);
        let shown = rig.shown(0).x;
        longest = longest.max((shown - last).abs());
        last = shown;
    }
    // At 5 m/s a frame has 8.3 cm.
    assert!(longest < 0.12, "{longest}");
    assert!(rig.corrections(0) - before <= 2, "{}", rig.corrections(0));
    rig.rest();
    rig.assert_equal();
}

#[test]
fn a_push_of_the_server_is_one_correction_that_decays() {
    let mut rig = Rig::new(open(3), 1);
    rig.play(100);
    rig.rest();
    let before = rig.corrections(0);
    let here = rig.here(0);
    rig.server.world_mut().get_mut::<Body>(here).unwrap().x += 0.4;
    let (mut last, mut longest) = (rig.shown(0).x, 0.0_f32);
    for _ in 0..60 {
        rig.frame(FRAME);
        let shown = rig.shown(0).x;
        longest = longest.max((shown - last).abs());
        last = shown;
    }
    assert_eq!(rig.corrections(0), before + 1);
    assert!(longest < 0.1, "{longest}");
    rig.assert_equal();
}

#[test]
fn a_stall_of_either_end_is_made_up_for() {
    let mut rig = Rig::new(open(4), 1);
    rig.play(120);
    for stalled in [0, 1] {
        rig.hold(0, 1.0);
        for _ in 0..30 {
            if stalled == 0 {
                set_frame(&mut rig.clients[0], FRAME);
                rig.clients[0].update();
            } else {
                set_frame(&mut rig.server, FRAME);
                rig.server.update();
            }
        }
        // The stalled end has one long frame.
        let long = 31 * FRAME;
        set_frame(&mut rig.server, if stalled == 0 { long } else { FRAME });
        set_frame(&mut rig.clients[0], if stalled == 1 { long } else { FRAME });
        rig.server.update();
        rig.clients[0].update();
        rig.play(120);
        rig.rest();
        rig.assert_equal();
    }
}

#[test]
fn a_session_that_returns_is_predicted_again() {
    fn token() -> [u8; 16] {
        [7; 16]
    }
    let plugin = |listener| {
        let mut plugin = ServerPlugin::new(listener);
        plugin.config = ServerConfig {
            reconnect_grace: Duration::from_secs(30),
            session_tokens: Some(token),
            ..plugin.config
        };
        plugin
    };
    let mut rig = Rig::with(open(5), 1, plugin, shared);
    rig.play(120);
    let here = rig.here(0);
    rig.relink(0);
    rig.play(180);
    assert_eq!(rig.here(0), here, "the player stays");
    let connections = rig.server.world().resource::<Connections>().ids();
    assert_eq!(connections.len(), 1);
    let before = rig.body(0).x;
    rig.hold(0, 1.0);
    rig.frames(60);
    assert!(rig.body(0).x > before + 1.0);
    rig.rest();
    rig.assert_equal();
}
