//! Inputs, predictions, comparisons and replays allocate nothing in the steady state.

use std::time::Duration;

use allocation_counter::measure;
use syncvar::PacketLimits;
use syncvar::codec::Half;
use syncvar::prelude::*;
use syncvar_testing::Pair;

#[derive(SyncValue, Clone, Default)]
struct Move {
    x: f32,
}

#[derive(NetworkBehaviour, Default, Clone)]
#[network_behaviour(send_interval = 0)]
struct Mover {
    #[sync_var(interpolate = linear)]
    position: SyncVar<Vector2>,
    #[sync_var(with = Half)]
    velocity: SyncVar<f32>,
    #[sync_var(hook = on_steps)]
    steps: SyncVar<u32>,
    told: u32,
}

impl Mover {
    fn on_steps(&mut self, _previous: u32) {
        self.told += 1;
    }
}

fn step(mover: &mut Mover, input: &Move, _tick: u64) {
    mover.velocity += (input.x - *mover.velocity) * 0.5;
    let way = *mover.velocity;
    mover.position.update(|position| position.x += way);
    mover.steps += 1;
}

/// Runs a tick. Returns the allocations of the client: in its update, and in the packets from the server.
fn tick(pair: &mut Pair, id: NetId, pushes: bool) -> (u64, u64) {
    pair.client.set_input(&Move { x: 0.5 }).expect("the input");
    let now = pair.now + pair.tick;
    let updated = measure(|| pair.client.update(now));
    for packet in pair.client_packets() {
        pair.to_server(&packet).expect("a packet of the client");
    }
    for tick in pair.server.ticks_until(now) {
        pair.server.step(id, tick, step).expect("an object");
    }
    if pushes {
        let mut mover = pair.server.get_mut::<Mover>(id).expect("an object");
        mover.position.y += 1.0;
    }
    pair.update_server();
    let mut received = 0;
    for packet in pair.server_packets() {
        let handled = measure(|| pair.to_client(&packet).expect("a packet of the server"));
        received += handled.count_total;
    }
    while pair.client.poll_event().is_some() {}
    (updated.count_total, received)
}

#[test]
fn predictions_allocate_nothing() {
    let prefabs = || Prefabs::new().register::<Mover>("mover").input::<Move>();
    let (server, client) = (NetworkServer::new(prefabs()), NetworkClient::new(prefabs()));
    let mut pair = Pair::connect(server, client, PacketLimits::STREAM);
    pair.tick = Duration::from_millis(100) / 3;
    let id = pair.server.spawn(Mover::default());
    pair.steps(3);
    let owner = Some(pair.connection);
    pair.server.set_owner(id, owner).expect("an object");
    pair.client.predict(id, step).expect("a visible object");
    for number in 0..200 {
        tick(&mut pair, id, number % 10 == 0);
    }
    // The measured packets allocate by themselves: an answer to a ping, acknowledgements.
    let mut without = 0;
    for number in 0..200 {
        let (updated, received) = tick(&mut pair, id, number % 10 == 0);
        without += u32::from(updated == 0 && received == 0);
    }
    let stats = pair.client.prediction_stats();
    assert!(stats.corrections >= 30, "{stats:?}");
    assert!(
        without >= 195,
        "{without} of 200 ticks without an allocation"
    );
}
