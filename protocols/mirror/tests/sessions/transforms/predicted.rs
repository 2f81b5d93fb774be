//! `PredictedRigidbody` between a server and a client that simulates the same body.

use std::time::Duration;

use syncvar::Channel;
use syncvar::mirror::components::{PredictedRigidbody, PredictionEvent, PredictionSettings};
use syncvar::mirror::{MirrorClient, MirrorPrefab, MirrorPrefabs, MirrorServerConfig};
use syncvar::prelude::*;
use syncvar::values::Vector3;
use syncvar_testing::mirror::MirrorNetwork;

const FRAME: f32 = 1.0 / 60.0;

/// A server and a client with a body each, and packets that take three frames to the client.
struct Bodies {
    net: MirrorNetwork,
    body: NetId,
    /// Number of packets with states to the client.
    states: usize,
}

fn settings() -> PredictionSettings {
    PredictionSettings {
        record_interval: 0.01,
        only_record_changes: false,
        ..PredictionSettings::default()
    }
}

fn prefabs() -> MirrorPrefabs {
    let prefab = MirrorPrefab::new("Ball", 1001.into());
    MirrorPrefabs::new().register_with(prefab, || PredictedRigidbody::new(settings()))
}

impl Bodies {
    fn new() -> Self {
        let mut net = MirrorNetwork::of_observers(prefabs, MirrorServerConfig::default());
        net.frame_time = Duration::from_secs(1) / 60;
        let client = net.connect();
        net.links.get_mut(&client).unwrap()[0].quality.least_delay = 3;
        let body = net.server.spawn(PredictedRigidbody::new(settings()));
        let mut bodies = Self {
            net,
            body,
            states: 0,
        };
        bodies.run(90, |_| {});
        bodies
    }

    fn client(&mut self) -> &mut MirrorClient {
        self.net.client(self.net.nth(0))
    }

    fn run(&mut self, frames: u32, step: impl Fn(&mut PredictedRigidbody)) {
        let id = self.body;
        for _ in 0..frames {
            self.net.advance(self.net.frame_time);
            step(&mut self.net.server.get_mut(id).unwrap());
            self.net.server.update(self.net.now);
            self.net.deliver();
            if let Ok(mut body) = self.client().get_mut(id) {
                step(&mut body);
            }
            self.net.send_all();
            let packets = self.net.take_packets();
            let states = packets.iter().filter(|packet| {
                let is_long = packet.channel == Channel::Reliable && packet.bytes.len() > 56;
                !packet.from_client && is_long
            });
            self.states += states.count();
        }
    }

    /// Returns the body at the client.
    fn seen(&self) -> &PredictedRigidbody {
        self.net.seen(self.net.nth(0), self.body)
    }

    fn events(&mut self) -> Vec<PredictionEvent> {
        let id = self.body;
        let mut body = self.client().get_mut::<PredictedRigidbody>(id).unwrap();
        std::iter::from_fn(|| body.poll_event()).collect()
    }

    fn distance(&self) -> f32 {
        let server = self
            .net
            .server
            .get::<PredictedRigidbody>(self.body)
            .unwrap();
        (self.seen().position.x - server.position.x).abs()
    }
}

/// Physics of both ends.
fn roll(body: &mut PredictedRigidbody) {
    body.position.x += body.velocity.x * FRAME;
}

/// Mirror takes a state for one of two frames later: the way of two frames is below the threshold.
fn kick(body: &mut PredictedRigidbody) {
    body.velocity = Vector3::new(2.4, 0.0, 0.0);
}

#[test]
fn body_that_both_ends_simulate_alike_is_not_corrected() {
    let mut bodies = Bodies::new();
    bodies.events();
    bodies.run(1, kick);
    bodies.run(60, roll);
    assert_eq!(bodies.events(), [PredictionEvent::Began]);
    assert!(bodies.distance() < 0.11, "{}", bodies.distance());
}

#[test]
fn wrong_prediction_is_corrected_and_shown_smoothly() {
    let mut bodies = Bodies::new();
    let id = bodies.body;
    bodies.run(1, kick);
    bodies.run(20, roll);
    bodies.events();
    // Something on the client alone is in the way.
    let mut body = bodies.client().get_mut::<PredictedRigidbody>(id).unwrap();
    body.position.x -= 1.0;
    let shown = body.shown().0.x;
    drop(body);
    bodies.run(1, roll);
    let body = bodies.seen();
    assert!((body.shown().0.x - shown).abs() < 0.5, "{body:?}");
    bodies.run(20, roll);
    let events = bodies.events();
    assert!(events.contains(&PredictionEvent::Corrected), "{events:?}");
    assert!(bodies.distance() < 0.25, "{}", bodies.distance());
}

#[test]
fn resting_body_is_sent_once_a_second() {
    let mut bodies = Bodies::new();
    bodies.states = 0;
    bodies.run(300, |_| {});
    assert_eq!(bodies.states, 5);
    bodies.run(1, kick);
    bodies.states = 0;
    bodies.run(60, roll);
    assert_eq!(bodies.states, 60);
}

#[test]
fn states_without_numbers_move_no_body() {
    let mut bodies = Bodies::new();
    let id = bodies.body;
    bodies.run(1, kick);
    bodies.run(20, roll);
    let mut body = bodies.net.server.get_mut::<PredictedRigidbody>(id).unwrap();
    body.position.x = f32::NAN;
    body.rotation.w = f32::INFINITY;
    drop(body);
    bodies.run(20, |_| {});
    let mut body = bodies.net.server.get_mut::<PredictedRigidbody>(id).unwrap();
    body.velocity.x = f32::NAN;
    drop(body);
    bodies.run(90, |_| {});
    let body = bodies.seen();
    assert!(
        body.position.x.is_finite() && body.velocity.x.is_finite(),
        "{body:?}"
    );
    assert!(body.history().len() <= 32);
}

#[test]
fn motion_ends_half_a_second_after_the_body_rests() {
    let mut bodies = Bodies::new();
    bodies.run(1, kick);
    bodies.run(20, roll);
    bodies.events();
    let stop = |body: &mut PredictedRigidbody| body.velocity = Vector3::default();
    bodies.run(60, stop);
    let events = bodies.events();
    assert_eq!(events.last(), Some(&PredictionEvent::Ended), "{events:?}");
    let body = bodies.seen();
    assert_eq!(body.shown(), (body.position, body.rotation));
}
