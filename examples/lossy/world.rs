//! A server, its clients and their links, in virtual time.

use std::time::Duration;

use allocation_counter::measure;
use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar::{Endpoint, PacketLimits};

use crate::link::{Packet, Pipe, Quality};

/// An object with one field in datagrams.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
pub(crate) struct Mover {
    #[sync_var]
    x: SyncVar<u32>,
}

const TICK: Duration = Duration::from_nanos(1_000_000_000 / 30);

const LIMITS: PacketLimits = PacketLimits {
    datagrams: true,
    ..PacketLimits::STREAM
};

/// Objects, and those of them that change in a tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) objects: u32,
    /// Objects that change in each tick.
    pub(crate) movers: usize,
    /// Part of the others that changes in a tick, per thousand.
    pub(crate) others: u32,
    /// Repairs of the reference model for each loss, in percent of the changes.
    pub(crate) repairs: [f64; 5],
}

struct Player {
    connection: ConnectionId,
    client: NetworkClient,
    down: Pipe,
    up: Pipe,
}

pub(crate) struct World {
    server: NetworkServer,
    players: Vec<Player>,
    movers: Vec<NetId>,
    now: Duration,
    random: Random,
    pub(crate) quality: Quality,
    /// Changes of all ticks.
    pub(crate) changes: u64,
}

impl World {
    /// Creates a world whose clients have all objects. Round trips are 20 to 180 ms.
    pub(crate) fn new(workload: Workload, clients: u32) -> Self {
        let prefabs = || Prefabs::new().register::<Mover>("mover");
        let mut server = NetworkServer::new(prefabs());
        let movers = (0..workload.objects).map(|_| server.spawn(Mover::default()));
        let movers = movers.collect();
        let player = |number: u32| {
            let mut client = NetworkClient::new(prefabs());
            Endpoint::handle_connect(&mut client, LIMITS);
            let delay = Duration::from_millis(10) + Duration::from_millis(80) * number / clients;
            let seed = u64::from(number);
            Player {
                connection: Endpoint::handle_connect(&mut server, LIMITS),
                client,
                down: Pipe::new(delay, 2 * seed),
                up: Pipe::new(delay, 2 * seed + 1),
            }
        };
        let players = (0..clients).map(player).collect();
        let mut world = Self {
            server,
            players,
            movers,
            now: Duration::ZERO,
            random: Random::new(7),
            quality: Quality::PERFECT,
            changes: 0,
        };
        for _ in 0..60 {
            world.step();
        }
        world
    }

    pub(crate) fn now(&self) -> Duration {
        self.now
    }

    /// Changes objects, and lets a tick pass.
    pub(crate) fn play(&mut self, workload: Workload) {
        for (number, id) in self.movers.iter().enumerate() {
            if number < workload.movers || self.random.chance(workload.others) {
                self.server.get_mut::<Mover>(*id).expect("it is there").x += 1;
                self.changes += 1;
            }
        }
        self.step();
    }

    /// Lets a tick of the server pass, and two of each client.
    pub(crate) fn step(&mut self) {
        for half in 1..=2 {
            let now = self.now + TICK * half / 2;
            for player in &mut self.players {
                let arrived = std::iter::from_fn(|| player.down.arrived(now));
                for packet in arrived {
                    arrive(&mut player.client, ConnectionId::SERVER, &packet);
                }
                player.client.update(now);
                while let Some(transmit) = Endpoint::poll_transmit(&mut player.client) {
                    player.up.send(now, &transmit, self.quality);
                }
                while player.client.poll_event().is_some() {}
            }
        }
        self.now += TICK;
        for player in &mut self.players {
            let arrived = std::iter::from_fn(|| player.up.arrived(self.now));
            for packet in arrived {
                arrive(&mut self.server, player.connection, &packet);
            }
        }
        self.server.update(self.now);
        while let Some(transmit) = self.server.poll_transmit() {
            let of_player = |player: &&mut Player| player.connection == transmit.connection;
            if let Some(player) = self.players.iter_mut().find(of_player) {
                player.down.send(self.now, &transmit, self.quality);
            }
        }
        while self.server.poll_event().is_some() {}
    }

    /// Returns the number of wrong replicas.
    pub(crate) fn wrong(&self) -> usize {
        let wrong_of = |player: &Player| {
            let is_wrong = |id: &&NetId| {
                let original = self.server.get::<Mover>(**id).map(|mover| *mover.x);
                original != player.client.get::<Mover>(**id).map(|mover| *mover.x)
            };
            self.movers.iter().filter(is_wrong).count()
        };
        self.players.iter().map(wrong_of).sum()
    }

    /// Returns the sum of a number over the connections.
    pub(crate) fn sum(&self, number: impl Fn(&syncvar::stats::Losses) -> u64) -> u64 {
        let losses = |player: &Player| self.server.losses(player.connection).ok().flatten();
        self.players
            .iter()
            .filter_map(losses)
            .map(|it| number(&it))
            .sum()
    }

    /// Runs a part, and returns by how many bytes the memory of the world has grown in it.
    pub(crate) fn growth(&mut self, part: impl FnOnce(&mut Self)) -> i64 {
        measure(|| part(self)).bytes_current
    }
}

/// Hands a packet to an end.
fn arrive<E: Endpoint>(end: &mut E, from: ConnectionId, packet: &Packet) {
    let handled = match packet.delivery {
        syncvar::Channel::Reliable => end.handle_packet(from, packet.channel, &packet.bytes),
        syncvar::Channel::Unreliable => end.handle_datagram(from, packet.channel, &packet.bytes),
    };
    handled.expect("packets of this library make sense");
}
