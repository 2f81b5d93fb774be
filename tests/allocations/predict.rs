//! Inputs, predictions, comparisons and replays allocate nothing in the steady state.

use std::time::Duration;

use allocation_counter::measure;
use syncvar::codec::Half;
use syncvar::prelude::*;

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

struct Game {
    server: NetworkServer,
    client: NetworkClient,
    connection: ConnectionId,
    id: NetId,
    now: Duration,
}

impl Game {
    /// One tick. Returns the allocations of the client: in its update, and in the packets from the server.
    fn tick(&mut self, pushes: bool) -> (u64, u64) {
        self.now += Duration::from_millis(100) / 3;
        let now = self.now;
        self.client.set_input(&Move { x: 0.5 }).expect("the input");
        let updated = measure(|| self.client.update(now));
        while let Some(packet) = self.client.poll_transmit() {
            let handled =
                { &mut self.server }.handle_packet(self.connection, packet.channel, &packet.bytes);
            handled.expect("a client's packets make sense");
        }
        for tick in self.server.ticks_until(now) {
            self.server.step(self.id, tick, step).expect("an object");
        }
        if pushes {
            let mut mover = self.server.get_mut::<Mover>(self.id).expect("an object");
            mover.position.y += 1.0;
        }
        self.server.update(now);
        let mut received = 0;
        while let Some(transmit) = self.server.poll_transmit() {
            let (channel, bytes) = (transmit.channel, transmit.to_bytes());
            let client = &mut self.client;
            let handled = measure(|| client.handle_packet(channel, &bytes).expect("well-formed"));
            received += handled.count_total;
        }
        while self.client.poll_event().is_some() {}
        (updated.count_total, received)
    }
}

#[test]
fn predictions_allocate_nothing() {
    let prefabs = || Prefabs::new().register::<Mover>("mover").input::<Move>();
    let mut server = NetworkServer::new(prefabs());
    let mut client = NetworkClient::new(prefabs());
    client.handle_connect();
    let connection = server.handle_connect();
    let mut game = Game {
        server,
        client,
        connection,
        id: NetId::NONE,
        now: Duration::ZERO,
    };
    let options = SpawnOptions::default();
    game.id = game
        .server
        .try_spawn(Mover::default(), options)
        .expect("registered");
    for _ in 0..3 {
        game.now += Duration::from_millis(100) / 3;
        game.client.update(game.now);
        while let Some(packet) = game.client.poll_transmit() {
            let handled =
                { &mut game.server }.handle_packet(connection, packet.channel, &packet.bytes);
            handled.expect("a client's packets make sense");
        }
        game.server.update(game.now);
        while let Some(transmit) = game.server.poll_transmit() {
            let handled = game
                .client
                .handle_packet(transmit.channel, &transmit.to_bytes());
            handled.expect("a server's packets make sense");
        }
    }
    game.server
        .set_owner(game.id, Some(connection))
        .expect("an object");
    game.client
        .predict(game.id, step)
        .expect("a visible object");
    for number in 0..200 {
        game.tick(number % 10 == 0);
    }
    // The measured packets allocate by themselves: an answer to a ping, acknowledgements.
    let mut without = 0;
    for number in 0..200 {
        let pushes = number % 10 == 0;
        let (updated, received) = game.tick(pushes);
        without += u32::from(updated == 0 && received == 0);
    }
    let stats = game.client.prediction_stats();
    assert!(stats.corrections >= 30, "{stats:?}");
    assert!(
        without >= 195,
        "{without} of 200 ticks without an allocation"
    );
}
