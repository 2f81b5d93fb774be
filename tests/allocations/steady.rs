//! In the steady state a server and its clients allocate nothing, with each way of sending: a grid, datagrams, budgets,
//! groups, owners. Losses and changes of views cost a small constant.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

use allocation_counter::measure;
use bytes::Bytes;
use syncvar::interest::{SpatialGrid, Tag};
use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar::{Budget, Channel, Endpoint, ServerConfig};
use syncvar_testing::{DATAGRAMS, arrive, arrive_at_server};

const CREW: Tag = Tag(1);

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Tank {
    #[sync_var]
    health: SyncVar<u32>,
    #[sync_var(read = group)]
    ammunition: SyncVar<u32>,
    #[sync_var(read = owner)]
    fuel: SyncVar<u32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Hull {
    #[sync_var]
    place: SyncVar<Vector3>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable, redundancy = 1)]
struct Gun {
    #[sync_var]
    aim: SyncVar<f32>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<(Tank, Hull, Gun)>("tank")
        .register::<Hull>("hull")
}

/// What the objects of a world are, and what happens in it.
#[derive(Clone, Copy, Default)]
struct Plan {
    /// Whether objects have all behaviours, or a lossy one alone.
    tanks: bool,
    /// Cells of a square field along each side; 0: each client observes all objects.
    grid: u16,
    /// Percent of the objects that enter another cell in each tick.
    walkers: u32,
    /// Whether the objects have owners and a group.
    crews: bool,
    /// Bytes of a connection per tick; 0: no budget.
    budget: usize,
    /// Percent of the datagrams that are lost.
    loss: u32,
}

/// A packet on its way to a client, as a transport keeps it.
struct Kept {
    receiver: usize,
    delivery: Channel,
    channel: u8,
    header: ([u8; 24], usize),
    chunks: Range<usize>,
}

/// Packets of one tick.
#[derive(Default)]
struct Packets {
    packets: Vec<Kept>,
    chunks: Vec<Bytes>,
}

/// A server and its clients.
struct World {
    plan: Plan,
    server: NetworkServer,
    clients: Vec<(ConnectionId, NetworkClient)>,
    ids: Vec<NetId>,
    now: Duration,
    random: Random,
    /// Packets of the last ticks, which a transport may hold still.
    held: VecDeque<Packets>,
}

/// Ticks until all memory has its size, and ticks that are counted.
const WARM_UP: u32 = 300;
const TICKS: u32 = 100;

/// Ticks for which a transport holds packets.
const HOLD: usize = 2;

impl World {
    fn new(plan: Plan, objects: usize, clients: usize) -> Self {
        let config = ServerConfig::default();
        let mut server = match plan.grid {
            0 => NetworkServer::with_config(prefabs(), config),
            _ => NetworkServer::with_interest(prefabs(), config, SpatialGrid::xz(10.0, 20.0)),
        };
        let ids = (0..objects).map(|_| {
            if plan.tanks {
                server.spawn((Tank::default(), Hull::default(), Gun::default()))
            } else {
                server.spawn(Hull::default())
            }
        });
        let ids: Vec<_> = ids.collect();
        let connect = |_| {
            let mut client = NetworkClient::new(prefabs());
            Endpoint::handle_connect(&mut client, DATAGRAMS);
            (Endpoint::handle_connect(&mut server, DATAGRAMS), client)
        };
        let clients: Vec<_> = (0..clients).map(connect).collect();
        let packets = || Packets {
            packets: Vec::with_capacity(10_000),
            chunks: Vec::with_capacity(10_000),
        };
        let mut world = Self {
            plan,
            server,
            clients,
            ids,
            now: Duration::ZERO,
            random: Random::new(5),
            held: (0..=HOLD).map(|_| packets()).collect(),
        };
        world.set_up();
        for _ in 0..10 {
            world.tick();
        }
        assert!(
            world
                .clients
                .iter()
                .all(|(_, client)| client.object_count() > 0)
        );
        world
    }

    fn set_up(&mut self) {
        let Self {
            plan,
            server,
            clients,
            ids,
            ..
        } = self;
        if plan.budget > 0 {
            for (connection, _) in clients.iter() {
                let budget = Some(Budget::new(plan.budget));
                server.set_budget(*connection, budget).unwrap();
            }
        }
        for (place, id) in ids.iter().enumerate().filter(|_| plan.crews) {
            let owner = clients[place % clients.len()].0;
            server.set_owner(*id, Some(owner)).unwrap();
            server.set_group(*id, Some(CREW)).unwrap();
        }
        for (connection, _) in clients.iter().step_by(2).filter(|_| plan.crews) {
            server.join_group(*connection, CREW).unwrap();
        }
        if plan.grid > 0 {
            let middle = f32::from(plan.grid) * 5.0;
            for id in ids.iter() {
                let place = place(&mut self.random, plan.grid);
                server
                    .set_transform(*id, place, Quaternion::IDENTITY)
                    .unwrap();
            }
            for (place, (connection, _)) in (0_u8..).zip(clients.iter()) {
                let grid = server.interest_mut::<SpatialGrid>().unwrap();
                let position = Vector3::new(middle + f32::from(place) * 10.0, 0.0, middle);
                grid.watch(*connection, position).unwrap();
            }
        }
    }

    /// Changes each field of each object.
    fn change(&mut self) {
        let Self {
            plan,
            server,
            ids,
            random,
            ..
        } = self;
        for id in ids {
            if let Ok(mut tank) = server.get_mut::<Tank>(*id) {
                tank.health += 1;
                tank.ammunition += 1;
                tank.fuel += 1;
            }
            if let Ok(mut gun) = server.get_mut::<Gun>(*id) {
                gun.aim += 1.0;
            }
            server.get_mut::<Hull>(*id).unwrap().place.x += 1.0;
            if random.chance(10 * plan.walkers) {
                let place = place(random, plan.grid);
                server
                    .set_transform(*id, place, Quaternion::IDENTITY)
                    .unwrap();
            }
        }
    }

    /// One tick. Returns what the server and the clients have allocated.
    fn tick(&mut self) -> (u64, u64) {
        self.change();
        self.now += Duration::from_millis(40);
        let mut packets = self.held.pop_front().unwrap();
        packets.packets.clear();
        let Self {
            server,
            clients,
            now,
            ..
        } = self;
        let sent = measure(|| {
            // The transport drops the packets of a former tick.
            packets.chunks.clear();
            server.update(*now);
            while let Some(packet) = server.poll_transmit() {
                let receiver = clients.iter().position(|(id, _)| *id == packet.connection);
                let mut header = [0; 24];
                header[..packet.header.len()].copy_from_slice(packet.header);
                let start = packets.chunks.len();
                packets.chunks.extend_from_slice(packet.chunks);
                packets.packets.push(Kept {
                    receiver: receiver.expect("a client"),
                    delivery: packet.delivery,
                    channel: packet.channel,
                    header: (header, packet.header.len()),
                    chunks: start..packets.chunks.len(),
                });
            }
        });
        let mut received = 0;
        for packet in &packets.packets {
            let lossy = packet.delivery == Channel::Unreliable;
            if lossy && self.random.chance(10 * self.plan.loss) {
                continue;
            }
            let (header, length) = &packet.header;
            let mut bytes = header[..*length].to_vec();
            packets.chunks[packet.chunks.clone()]
                .iter()
                .for_each(|it| bytes.extend_from_slice(it));
            let client = &mut self.clients[packet.receiver].1;
            let handled = measure(|| {
                arrive(client, (packet.delivery, packet.channel), &bytes).unwrap();
                while client.poll_event().is_some() {}
            });
            received += handled.count_total;
        }
        self.held.push_back(packets);
        (sent.count_total + self.answer(), received)
    }

    /// Moves the packets of the clients. Returns what the server has allocated.
    fn answer(&mut self) -> u64 {
        let mut allocated = 0;
        for (connection, client) in &mut self.clients {
            client.update(self.now);
            while let Some(packet) = client.poll_transmit() {
                let handled = measure(|| {
                    arrive_at_server(&mut self.server, *connection, &packet).unwrap();
                });
                allocated += handled.count_total;
            }
        }
        while self.server.poll_event().is_some() {}
        allocated
    }

    /// Returns the allocations of the server and of the clients in many ticks, when all memory has its size.
    fn steady(&mut self) -> (u64, u64) {
        for _ in 0..WARM_UP {
            self.tick();
        }
        let ticks = (0..TICKS).map(|_| self.tick());
        ticks.fold((0, 0), |(a, b), (c, d)| (a + c, b + d))
    }
}

/// Returns a place on a square field.
fn place(random: &mut Random, cells: u16) -> Vector3 {
    let mut along = || f32::from(u16::try_from(random.below(cells.into())).unwrap()) * 10.0 + 5.0;
    Vector3::new(along(), 0.0, along())
}

fn assert_steady(plan: Plan) {
    let allocated = World::new(plan, 100, 3).steady();
    assert_eq!(allocated, (0, 0), "server and clients");
}

#[test]
fn datagrams_allocate_nothing() {
    assert_steady(Plan::default());
}

#[test]
fn all_kinds_of_state_allocate_nothing() {
    assert_steady(Plan {
        tanks: true,
        ..Plan::default()
    });
}

#[test]
fn owners_and_groups_allocate_nothing() {
    assert_steady(Plan {
        tanks: true,
        crews: true,
        ..Plan::default()
    });
}

/// A loss holds records back for longer than usual.
#[test]
fn lost_datagrams_allocate_a_few_times_per_tick() {
    let plan = Plan {
        tanks: true,
        loss: 3,
        ..Plan::default()
    };
    let (server, client) = World::new(plan, 100, 3).steady();
    assert!(server <= 5 * u64::from(TICKS), "the server: {server}");
    assert_eq!(client, 0);
}

#[test]
fn budgets_allocate_nothing() {
    assert_steady(Plan {
        tanks: true,
        crews: true,
        budget: 500,
        ..Plan::default()
    });
}

#[test]
fn grid_allocates_nothing() {
    assert_steady(Plan {
        tanks: true,
        grid: 8,
        ..Plan::default()
    });
}

#[test]
fn everything_at_once_allocates_a_few_times_per_tick() {
    let plan = Plan {
        tanks: true,
        grid: 6,
        walkers: 0,
        crews: true,
        budget: 2_000,
        loss: 2,
    };
    let (server, client) = World::new(plan, 100, 3).steady();
    assert!(server <= 10 * u64::from(TICKS), "the server: {server}");
    assert_eq!(client, 0);
}

/// Audiences, snapshots and objects of a client are new with each of them.
#[test]
fn view_changes_allocate_for_the_moved_objects_alone() {
    let plan = Plan {
        grid: 8,
        walkers: 2,
        ..Plan::default()
    };
    let (server, client) = World::new(plan, 100, 3).steady();
    let moved = u64::from(TICKS) * 2;
    assert!(server <= 12 * moved, "the server: {server} for {moved}");
    assert!(client <= 12 * moved, "the clients: {client} for {moved}");
}
