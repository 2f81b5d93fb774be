//! The game: behaviours, and the rules on the server.

use std::time::Duration;

use syncvar::codec::Quantized;
use syncvar::interest::SpatialGrid;
use syncvar::prelude::*;
use syncvar::values::{Quaternion, Vector2, Vector3};

/// Ticks per second.
pub(crate) const RATE: u32 = 60;
/// Half of the arena's side, in metres.
const HALF: f32 = 60.0;
const FULL_HEALTH: i32 = 100;
/// Reach of a shot and of a hand.
const REACH: f32 = 1.0;

/// Positions in steps of 1.6 cm: two bytes for each axis.
type Metres = Quantized<-64, 64, 64>;

/// Returns the next position of a walker.
pub(crate) fn step(position: Vector2, direction: Vector2) -> Vector2 {
    let pace = 6.0 / RATE as f32;
    Vector2 {
        x: (position.x + direction.x * pace).clamp(-HALF, HALF),
        y: (position.y + direction.y * pace).clamp(-HALF, HALF),
    }
}

/// A player; its bot steers it.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Player {
    #[sync_var]
    pub(crate) name: SyncVar<String>,
    #[sync_var(with = Metres)]
    pub(crate) position: SyncVar<Vector2>,
    #[sync_var(hook = on_health)]
    pub(crate) health: SyncVar<i32>,
    /// Number of the last input in `position`.
    #[sync_var(read = owner)]
    pub(crate) acked: SyncVar<u32>,
    direction: Vector2,
    /// Hits that this client has seen.
    pub(crate) hits: u32,
}

impl Player {
    fn on_health(&mut self, previous: i32, ctx: &mut NetworkContext<'_>) {
        self.hits += u32::from(*self.health < previous);
        if ctx.is_owner() && *self.health == FULL_HEALTH {
            tracing::debug!(player = %self.name, "back in the game");
        }
    }
}

#[network_calls]
impl Player {
    #[command(rate = 5.0)]
    pub(crate) fn introduce(&mut self, name: String) {
        self.name.set(name);
    }

    #[command(rate = 120.0)]
    pub(crate) fn steer(&mut self, input: u32, direction: Vector2) {
        self.acked.set(input);
        self.direction = direction;
        self.position.set(step(*self.position, direction));
    }

    #[command(rate = 4.0)]
    pub(crate) fn shoot(&mut self, ctx: &mut CallContext<'_>, direction: Vector2) {
        let (shooter, from) = (NetRef::from(ctx.net_id()), *self.position);
        let Some(server) = ctx.server() else { return };
        let shot = Shot {
            from: from.into(),
            direction: direction.into(),
            fired: server.now().as_secs_f32().into(),
            shooter: shooter.into(),
        };
        spawn_at(server, shot, from, None);
    }

    /// Says a line to all who see the player.
    #[command(rate = 2.0)]
    pub(crate) fn chat(&mut self, ctx: &mut CallContext<'_>, text: String) {
        let (id, line) = (ctx.net_id(), format!("{}: {text}", self.name));
        if let Some(server) = ctx.server() {
            let _ = server.calls::<Self>(id).said(line);
        }
    }

    #[client_rpc]
    pub(crate) fn said(&mut self, line: String) {
        tracing::debug!(line, "chat");
    }
}

/// A shot. It flies straight: each end computes its place from the time, and no update travels.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct Shot {
    #[sync_var(with = Metres)]
    from: SyncVar<Vector2>,
    #[sync_var]
    direction: SyncVar<Vector2>,
    /// Time of the shot on the server, in seconds.
    #[sync_var]
    fired: SyncVar<f32>,
    #[sync_var]
    shooter: SyncVar<NetRef>,
}

impl Shot {
    /// Returns the place at a time of the server; `None` after its flight.
    pub(crate) fn place(&self, now: Duration) -> Option<Vector2> {
        let way = 20.0 * (now.as_secs_f32() - *self.fired).max(0.0);
        let [x, y] = [
            self.from.x + self.direction.x * way,
            self.from.y + self.direction.y * way,
        ];
        (way < 30.0).then_some(Vector2 { x, y })
    }
}

/// Something to pick up.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct Pickup {
    #[sync_var]
    pub(crate) heals: SyncVar<i32>,
    #[sync_var(with = Metres)]
    pub(crate) position: SyncVar<Vector2>,
}

/// The table that all clients see.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct Scores {
    #[sync_var]
    pub(crate) kills: SyncDictionary<String, u32>,
}

pub(crate) fn prefabs() -> Prefabs {
    let prefabs = Prefabs::new().register::<Player>("player");
    let prefabs = prefabs.register::<Shot>("shot");
    let prefabs = prefabs.register::<Pickup>("pickup");
    prefabs.register::<Scores>("scores")
}

fn spawn_at(
    server: &mut NetworkServer,
    behaviour: impl NetworkBehaviour,
    at: Vector2,
    owner: Option<ConnectionId>,
) -> NetId {
    let options = SpawnOptions {
        position: Vector3::new(at.x, at.y, 0.0),
        owner,
        ..SpawnOptions::default()
    };
    let spawned = server.spawn_with(behaviour, options);
    spawned.expect("the prefab is registered and the owner connected")
}

fn are_near(a: Vector2, b: Vector2) -> bool {
    (a.x - b.x).hypot(a.y - b.y) < REACH
}

/// The rules.
pub(crate) struct Game {
    scores: NetId,
    random: syncvar::testing::Random,
}

impl Game {
    pub(crate) fn new(server: &mut NetworkServer) -> Self {
        let scores = server.spawn(Scores::default());
        let random = syncvar::testing::Random::new(7);
        let mut game = Self { scores, random };
        (0..40).for_each(|_| game.add_pickup(server));
        game
    }

    fn place(&mut self) -> Vector2 {
        let [x, y] = [(); 2].map(|()| self.random.below(100) as f32 - 50.0);
        Vector2 { x, y }
    }

    fn add_pickup(&mut self, server: &mut NetworkServer) {
        let position = self.place();
        let pickup = Pickup {
            heals: 25.into(),
            position: position.into(),
        };
        spawn_at(server, pickup, position, None);
    }

    /// Runs one tick.
    pub(crate) fn tick(&mut self, server: &mut NetworkServer) {
        while let Some(event) = server.poll_event() {
            match event {
                ServerEvent::Ready { connection } => self.enter(server, connection),
                ServerEvent::Disconnected { owned, .. } => {
                    owned.into_iter().for_each(|id| drop(server.despawn(id)));
                }
                _ => {}
            }
        }
        let players: Vec<_> = server
            .iter::<Player>()
            .map(|(id, it)| (id, *it.position))
            .collect();
        for (id, at) in &players {
            server.set_transform(*id, Vector3::new(at.x, at.y, 0.0), Quaternion::IDENTITY);
        }
        self.fly(server, &players);
        self.pick_up(server, &players);
    }

    fn enter(&mut self, server: &mut NetworkServer, connection: ConnectionId) {
        let at = self.place();
        let player = Player {
            position: at.into(),
            health: FULL_HEALTH.into(),
            ..Player::default()
        };
        let id = spawn_at(server, player, at, Some(connection));
        if let Some(grid) = server.interest_mut::<SpatialGrid>() {
            grid.follow(connection, id);
        }
    }

    /// Ends shots: after their flight, or in a player.
    fn fly(&mut self, server: &mut NetworkServer, players: &[(NetId, Vector2)]) {
        let now = server.now();
        let shots = server.iter::<Shot>();
        let shots: Vec<_> = shots
            .map(|(id, it)| (id, it.shooter.id(), it.place(now)))
            .collect();
        for (id, shooter, place) in shots {
            let hit = place.map(|place| {
                let is_hit =
                    |(player, at): &&(NetId, _)| *player != shooter && are_near(*at, place);
                players.iter().find(is_hit)
            });
            let Some(hit) = hit else {
                drop(server.despawn(id));
                continue;
            };
            if let Some((player, _)) = hit {
                drop(server.despawn(id));
                self.hurt(server, *player, shooter);
            }
        }
    }

    fn hurt(&mut self, server: &mut NetworkServer, player: NetId, shooter: NetId) {
        let at = self.place();
        let Some(mut hurt) = server.get_mut::<Player>(player) else {
            return;
        };
        hurt.health -= 34;
        if *hurt.health > 0 {
            return;
        }
        hurt.health.set(FULL_HEALTH);
        hurt.position.set(at);
        drop(hurt);
        let name = server.get::<Player>(shooter).map(|it| it.name.to_string());
        if let (Some(name), Some(mut scores)) = (name, server.get_mut::<Scores>(self.scores)) {
            let kills = scores.kills.get(&name).copied().unwrap_or_default();
            scores.kills.insert(name, kills + 1);
        }
    }

    fn pick_up(&mut self, server: &mut NetworkServer, players: &[(NetId, Vector2)]) {
        let pickups: Vec<_> = server
            .iter::<Pickup>()
            .map(|(id, it)| (id, *it.position))
            .collect();
        for (id, place) in pickups {
            let taker = players.iter().find(|(_, at)| are_near(*at, place));
            let Some(mut taker) = taker.and_then(|(taker, _)| server.get_mut::<Player>(*taker))
            else {
                continue;
            };
            let health = (*taker.health + 25).min(FULL_HEALTH);
            taker.health.set(health);
            drop(taker);
            drop(server.despawn(id));
            self.add_pickup(server);
        }
    }
}
