//! In the steady state a server and its clients allocate nothing, with each way of sending: a grid, datagrams, budgets,
//! groups, owners. Losses and changes of views cost a small constant.

use syncvar::interest::{SpatialGrid, Tag};
use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar::{Budget, ServerConfig};
use syncvar_testing::DATAGRAMS;

use crate::measured::Measured;

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

/// A server with objects, and its clients.
struct World {
    plan: Plan,
    ends: Measured,
    ids: Vec<NetId>,
}

/// Ticks until all memory has its size, and ticks that are counted.
const WARM_UP: u32 = 300;
const TICKS: u32 = 100;

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
        let ids = ids.collect();
        let mut ends = Measured::new(server, DATAGRAMS);
        ends.loss = plan.loss;
        for _ in 0..clients {
            ends.connect(NetworkClient::new(prefabs()));
        }
        let mut world = Self { plan, ends, ids };
        world.set_up();
        (0..10).for_each(|_| _ = world.tick());
        let mut clients = world.ends.clients.iter();
        assert!(clients.all(|(_, client)| client.object_count() > 0));
        world
    }

    fn set_up(&mut self) {
        let Self { plan, ends, ids } = self;
        let (server, clients) = (&mut ends.server, &ends.clients);
        if plan.budget > 0 {
            for (connection, _) in clients {
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
                let place = place(&mut ends.random, plan.grid);
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
        let Self { plan, ends, ids } = self;
        let (server, random) = (&mut ends.server, &mut ends.random);
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

    /// Runs a tick. Returns the allocations of the server and of the clients.
    fn tick(&mut self) -> (u64, u64) {
        self.change();
        self.ends.tick()
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
