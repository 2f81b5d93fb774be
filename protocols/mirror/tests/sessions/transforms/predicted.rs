//! `PredictedRigidbody` between a server and a client that simulates the same body.

use std::time::Duration;

use syncvar::Channel;
use syncvar::mirror::components::{PredictedRigidbody, PredictionEvent, PredictionSettings};
use syncvar::mirror::{
    Limits, MirrorClient, MirrorClientConfig, MirrorPrefab, MirrorPrefabs, MirrorServer,
    MirrorServerConfig, SpawnPolicy,
};
use syncvar::prelude::*;
use syncvar::values::Vector3;

const FRAME: f32 = 1.0 / 60.0;

/// A server and a client with a body each, and packets that take three frames.
struct World {
    server: MirrorServer,
    client: MirrorClient,
    connection: ConnectionId,
    body: NetId,
    frames: u32,
    to_client: Vec<(u32, Channel, Vec<u8>)>,
    /// Bytes of states to the client.
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

impl World {
    fn new() -> Self {
        let config = MirrorServerConfig {
            spawn_policy: SpawnPolicy::WhenReady,
            ..MirrorServerConfig::default()
        };
        let mut server = MirrorServer::with_config(prefabs(), config);
        let config = MirrorClientConfig {
            auto_add_player: false,
            ..MirrorClientConfig::default()
        };
        let mut client = MirrorClient::with_config(prefabs(), config);
        let connection = server.handle_connect(Limits::KCP);
        client.handle_connect(Limits::KCP);
        let body = server.spawn(PredictedRigidbody::new(settings()));
        let mut world = Self {
            server,
            client,
            connection,
            body,
            frames: 0,
            to_client: Vec::new(),
            states: 0,
        };
        world.run(90, |_| {});
        world
    }

    fn run(&mut self, frames: u32, step: impl Fn(&mut PredictedRigidbody)) {
        for _ in 0..frames {
            self.frames += 1;
            let now = Duration::from_secs(1) / 60 * self.frames;
            step(&mut self.server.get_mut(self.body).unwrap());
            self.server.update(now);
            while let Some(transmit) = self.server.poll_transmit() {
                let bytes = transmit.to_bytes().to_vec();
                if transmit.channel == Channel::Reliable && bytes.len() > 56 {
                    self.states += 1;
                }
                let due = self.frames + 3;
                self.to_client.push((due, transmit.channel, bytes));
            }
            let frame = self.frames;
            let due = { self.to_client.iter() }.filter(|packet| packet.0 <= frame);
            for (_, channel, bytes) in due {
                self.client.handle_packet(*channel, bytes).unwrap();
            }
            self.to_client.retain(|packet| packet.0 > frame);
            if let Ok(mut body) = self.client.get_mut::<PredictedRigidbody>(self.body) {
                step(&mut body);
            }
            self.client.update(now);
            while let Some(packet) = self.client.poll_transmit() {
                let handled =
                    self.server
                        .handle_packet(self.connection, packet.channel, &packet.bytes);
                handled.unwrap();
            }
        }
    }

    fn events(&mut self) -> Vec<PredictionEvent> {
        let mut body = self
            .client
            .get_mut::<PredictedRigidbody>(self.body)
            .unwrap();
        std::iter::from_fn(|| body.poll_event()).collect()
    }

    fn distance(&self) -> f32 {
        let client = self.client.get::<PredictedRigidbody>(self.body).unwrap();
        let server = self.server.get::<PredictedRigidbody>(self.body).unwrap();
        (client.position.x - server.position.x).abs()
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
    let mut world = World::new();
    world.events();
    world.run(1, kick);
    world.run(60, roll);
    assert_eq!(world.events(), [PredictionEvent::Began]);
    assert!(world.distance() < 0.11, "{}", world.distance());
}

#[test]
fn wrong_prediction_is_corrected_and_shown_smoothly() {
    let mut world = World::new();
    world.run(1, kick);
    world.run(20, roll);
    world.events();
    // Something on the client alone is in the way.
    let mut body = world
        .client
        .get_mut::<PredictedRigidbody>(world.body)
        .unwrap();
    body.position.x -= 1.0;
    let shown = body.shown().0.x;
    drop(body);
    world.run(1, roll);
    let body = world.client.get::<PredictedRigidbody>(world.body).unwrap();
    assert!((body.shown().0.x - shown).abs() < 0.5, "{body:?}");
    world.run(20, roll);
    let events = world.events();
    assert!(events.contains(&PredictionEvent::Corrected), "{events:?}");
    assert!(world.distance() < 0.25, "{}", world.distance());
}

#[test]
fn resting_body_is_sent_once_a_second() {
    let mut world = World::new();
    world.states = 0;
    world.run(300, |_| {});
    assert_eq!(world.states, 5);
    world.run(1, kick);
    world.states = 0;
    world.run(60, roll);
    assert_eq!(world.states, 60);
}

#[test]
fn states_without_numbers_move_no_body() {
    let mut world = World::new();
    world.run(1, kick);
    world.run(20, roll);
    let mut body = world
        .server
        .get_mut::<PredictedRigidbody>(world.body)
        .unwrap();
    body.position.x = f32::NAN;
    body.rotation.w = f32::INFINITY;
    drop(body);
    world.run(20, |_| {});
    let mut body = world
        .server
        .get_mut::<PredictedRigidbody>(world.body)
        .unwrap();
    body.velocity.x = f32::NAN;
    drop(body);
    world.run(90, |_| {});
    let body = world.client.get::<PredictedRigidbody>(world.body).unwrap();
    assert!(
        body.position.x.is_finite() && body.velocity.x.is_finite(),
        "{body:?}"
    );
    assert!(body.history().len() <= 32);
}

#[test]
fn motion_ends_half_a_second_after_the_body_rests() {
    let mut world = World::new();
    world.run(1, kick);
    world.run(20, roll);
    world.events();
    let stop = |body: &mut PredictedRigidbody| body.velocity = Vector3::default();
    world.run(60, stop);
    let events = world.events();
    assert_eq!(events.last(), Some(&PredictionEvent::Ended), "{events:?}");
    let body = world.client.get::<PredictedRigidbody>(world.body).unwrap();
    assert_eq!(body.shown(), (body.position, body.rotation));
}
