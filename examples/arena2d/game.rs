//! The game: behaviours, and the rules on the server.

use std::time::Duration;

use glam::Vec2;
use syncvar::NetworkBehaviour;
use syncvar::codec::Quantized;
use syncvar::interest::SpatialGrid;
use syncvar::prelude::*;
use syncvar::testing::Random;

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
    name: SyncVar<String>,
    #[sync_var(with = Metres)]
    pub(crate) position: SyncVar<Vec2>,
    #[sync_var(hook = on_health)]
    health: SyncVar<i32>,
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

    /// Shows the end of a shot to all who see the player.
    #[client_rpc]
    pub(crate) fn hit(&mut self, by: NetRef) {
        tracing::debug!(?by, player = %*self.name, "hit");
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

/// News for all players: who begins anew, and how often that has happened.
#[derive(SyncValue, Clone, PartialEq)]
pub(crate) struct Kill {
    victim: String,
    pub(crate) count: u32,
}

pub(crate) fn prefabs() -> Prefabs {
    let prefabs = Prefabs::new().register::<Player>("player");
    let prefabs = prefabs.register::<Shot>("shot").message::<Kill>("kill");
    prefabs.register::<Pickup>("pickup")
}

fn spawn(
    server: &mut NetworkServer,
    behaviour: impl NetworkBehaviour,
    at: Vec2,
    owner: Option<ConnectionId>,
) -> NetId {
    let mut options = SpawnOptions::default();
    (options.position, options.owner) = (at.extend(0.0).into(), owner);
    let spawned = server.try_spawn(behaviour, options);
    spawned.expect("a registered prefab, and a connected owner")
}

fn somewhere(random: &mut Random) -> Vec2 {
    Vec2::from([(); 2].map(|()| random.between(-HALF, HALF)))
}

/// Runs one tick of the rules.
pub(crate) fn tick(server: &mut NetworkServer, random: &mut Random, kills: &mut u32) {
    while let Some(event) = server.poll_event() {
        match event {
            ServerEvent::Connected { connection } => enter(server, connection, somewhere(random)),
            ServerEvent::Disconnected { owned, .. } => {
                server.retain::<Player>(|id, _| !owned.contains(&id));
            }
            _ => {}
        }
    }
    let players = server.iter::<Player>();
    let players: Vec<_> = players.map(|(id, it)| (id, *it.position)).collect();
    for (id, at) in &players {
        let _ = server.set_transform(*id, at.extend(0.0).into(), Quaternion::IDENTITY);
    }
    let near = |place: Vec2, except: NetId| {
        let mut others = players.iter().filter(|(id, _)| *id != except);
        others.find(|(_, at)| at.distance(place) < 1.0)
    };
    let (now, mut changes) = (server.now(), Vec::new());
    server.retain::<Shot>(|_, shot| {
        let place = shot.place(now);
        let hit = place.and_then(|place| near(place, shot.shooter.id()));
        changes.extend(hit.map(|(player, _)| (*player, -34, *shot.shooter)));
        place.is_some() && hit.is_none()
    });
    server.retain::<Pickup>(|id, pickup| {
        let taker = near(*pickup.position, NetId::NONE);
        changes.extend(taker.map(|(player, _)| (*player, 25, id.into())));
        taker.is_none()
    });
    for _ in server.iter::<Pickup>().count()..40 {
        let at = somewhere(random);
        let position = at.into();
        spawn(server, Pickup { position }, at, None);
    }
    for (id, change, by) in changes {
        let Ok(mut player) = server.get_mut::<Player>(id) else {
            continue;
        };
        let health = (*player.health + change).min(FULL_HEALTH);
        player.health.set(health);
        if health <= 0 {
            player.health.set(FULL_HEALTH);
            player.position.set(somewhere(random));
            *kills += 1;
            let (victim, count) = (player.name.to_string(), *kills);
            drop(player);
            let _ = server.send_to_ready(&Kill { victim, count });
        } else if change < 0 {
            drop(player);
            let _ = server.calls::<Player>(id).hit(by);
        }
    }
}

fn enter(server: &mut NetworkServer, connection: ConnectionId, at: Vec2) {
    let payload = server.join_payload(connection);
    let name = payload.and_then(|payload| payload.decode::<String>().ok());
    let player = Player {
        name: name.unwrap_or_default().into(),
        position: at.into(),
        health: FULL_HEALTH.into(),
        ..Player::default()
    };
    let id = spawn(server, player, at, Some(connection));
    let grid = server.interest_mut::<SpatialGrid>().expect("a grid");
    grid.follow(connection, id).expect("a connected client");
}
