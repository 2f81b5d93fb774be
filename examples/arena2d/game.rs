//! The game: behaviours, and the rules on the server.

use std::time::Duration;

use glam::Vec2;
use syncvar::NetworkBehaviour;
use syncvar::codec::Quantized;
use syncvar::interest::SpatialGrid;
use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar::values::Quaternion;

/// Ticks per second.
pub(crate) const RATE: u16 = 60;
const FULL_HEALTH: i32 = 100;
/// Half of the arena's side, in metres.
const HALF: f32 = 50.0;

/// Positions in steps of 1.6 cm: two bytes for each axis.
type Metres = Quantized<-64, 64, 64>;

/// Returns the next position of a walker. Client and server agree about it.
pub(crate) fn step(position: Vec2, direction: Vec2) -> Vec2 {
    let next = position + direction.clamp_length_max(1.0) * 6.0 / f32::from(RATE);
    next.clamp(Vec2::splat(-HALF), Vec2::splat(HALF))
}

/// A player; its bot steers it.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Player {
    #[sync_var]
    pub(crate) name: SyncVar<String>,
    #[sync_var(with = Metres)]
    pub(crate) position: SyncVar<Vec2>,
    #[sync_var(hook = on_health)]
    pub(crate) health: SyncVar<i32>,
    /// Last input in `position`.
    #[sync_var(read = owner)]
    pub(crate) acked: SyncVar<u32>,
}

impl Player {
    fn on_health(&mut self, previous: i32, ctx: &mut NetworkContext<'_>) {
        let mine = ctx.is_owner();
        tracing::debug!(player = %ctx.net_id(), mine, previous, now = *self.health, "health");
    }
}

#[network_calls]
impl Player {
    #[command(rate = 120.0)]
    pub(crate) fn steer(&mut self, input: u32, direction: Vec2) {
        self.acked.set(input);
        self.position.set(step(*self.position, direction));
    }

    #[command(rate = 4.0)]
    pub(crate) fn shoot(&mut self, ctx: &mut CallContext<'_>, direction: Vec2) {
        let (shooter, from) = (NetRef::from(ctx.net_id()), *self.position);
        let server = ctx.expect_server();
        let shot = Shot {
            from: from.into(),
            direction: direction.normalize_or_zero().into(),
            fired: server.now().into(),
            shooter: shooter.into(),
        };
        spawn(server, shot, from, None);
    }
}

/// A shot. Each end computes its place from the time, so that no update travels.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct Shot {
    #[sync_var(with = Metres)]
    from: SyncVar<Vec2>,
    #[sync_var]
    direction: SyncVar<Vec2>,
    #[sync_var]
    fired: SyncVar<Duration>,
    #[sync_var]
    shooter: SyncVar<NetRef>,
}

impl Shot {
    /// Returns the place at a time of the server; `None` after the flight.
    pub(crate) fn place(&self, now: Duration) -> Option<Vec2> {
        let way = 20.0 * now.saturating_sub(*self.fired).as_secs_f32();
        (way < 30.0).then(|| *self.from + *self.direction * way)
    }
}

/// Health to pick up.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct Pickup {
    #[sync_var(with = Metres)]
    pub(crate) position: SyncVar<Vec2>,
}

pub(crate) fn prefabs() -> Prefabs {
    let prefabs = Prefabs::new().register::<Player>("player");
    let prefabs = prefabs.register::<Shot>("shot");
    prefabs.register::<Pickup>("pickup")
}

fn spawn(
    server: &mut NetworkServer,
    behaviour: impl NetworkBehaviour,
    at: Vec2,
    owner: Option<ConnectionId>,
) -> NetId {
    let options = SpawnOptions {
        position: at.extend(0.0).into(),
        owner,
        ..SpawnOptions::default()
    };
    let spawned = server.try_spawn(behaviour, options);
    spawned.expect("a registered prefab, and a connected owner")
}

/// The rules.
pub(crate) struct Game {
    random: Random,
}

impl Game {
    pub(crate) fn new(server: &mut NetworkServer) -> Self {
        let mut game = Self {
            random: Random::new(7),
        };
        (0..40).for_each(|_| game.add_pickup(server));
        game
    }

    fn somewhere(&mut self) -> Vec2 {
        Vec2::from([(); 2].map(|()| self.random.between(-HALF, HALF)))
    }

    fn add_pickup(&mut self, server: &mut NetworkServer) {
        let at = self.somewhere();
        let position = at.into();
        spawn(server, Pickup { position }, at, None);
    }

    /// Runs one tick.
    pub(crate) fn tick(&mut self, server: &mut NetworkServer) {
        while let Some(event) = server.poll_event() {
            match event {
                ServerEvent::Connected { connection } => self.enter(server, connection),
                ServerEvent::Disconnected { owned, .. } => {
                    for id in owned {
                        let _ = server.despawn(id);
                    }
                }
                _ => {}
            }
        }
        let players = server.iter::<Player>();
        let players: Vec<_> = players.map(|(id, it)| (id, *it.position)).collect();
        for (id, at) in &players {
            let _ = server.set_transform(*id, at.extend(0.0).into(), Quaternion::IDENTITY);
        }
        self.fly(server, &players);
        self.pick_up(server, &players);
    }

    fn enter(&mut self, server: &mut NetworkServer, connection: ConnectionId) {
        let (at, payload) = (self.somewhere(), server.join_payload(connection));
        let name: Option<String> = payload.and_then(|payload| payload.decode().ok());
        let player = Player {
            name: name.unwrap_or_else(|| "nameless".into()).into(),
            position: at.into(),
            health: FULL_HEALTH.into(),
            ..Player::default()
        };
        let id = spawn(server, player, at, Some(connection));
        let grid = server.interest_mut::<SpatialGrid>();
        let grid = grid.expect("the interest management of `main`");
        grid.follow(connection, id).expect("a connected client");
    }

    /// Ends each shot after its flight, or in a player, who begins anew without health.
    fn fly(&mut self, server: &mut NetworkServer, players: &[(NetId, Vec2)]) {
        let now = server.now();
        let shots = server.iter::<Shot>();
        let shots = shots.map(|(id, it)| (id, it.shooter.id(), it.place(now)));
        for (id, shooter, place) in shots.collect::<Vec<_>>() {
            let is_hit = |(player, at): &&(NetId, Vec2)| {
                *player != shooter && place.is_some_and(|place| at.distance(place) < 1.0)
            };
            let hit = players.iter().find(is_hit);
            if hit.is_some() || place.is_none() {
                let _ = server.despawn(id);
            }
            if let Some(mut player) = hit.and_then(|(hit, _)| server.get_mut::<Player>(*hit).ok()) {
                player.health -= 34;
                if *player.health <= 0 {
                    player.health.set(FULL_HEALTH);
                    player.position.set(self.somewhere());
                }
            }
        }
    }

    fn pick_up(&mut self, server: &mut NetworkServer, players: &[(NetId, Vec2)]) {
        let taken = server.iter::<Pickup>().filter_map(|(id, pickup)| {
            let taker = |(_, at): &&(NetId, Vec2)| at.distance(*pickup.position) < 1.0;
            Some((id, players.iter().find(taker)?.0))
        });
        for (id, taker) in taken.collect::<Vec<_>>() {
            if let Ok(mut taker) = server.get_mut::<Player>(taker) {
                let health = (*taker.health + 25).min(FULL_HEALTH);
                taker.health.set(health);
            }
            let _ = server.despawn(id);
            self.add_pickup(server);
        }
    }
}
