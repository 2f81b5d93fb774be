//! The rules of the duel, on both ends: movement with collision, a hit-scan weapon, rockets.

use syncvar::motion::Interpolate;
use syncvar::prelude::*;

pub(crate) const RATE: u32 = 30;
/// Length of a tick in seconds.
const STEP: f32 = 1.0 / 30.0;
/// Radius of a player in metres.
pub(crate) const RADIUS: f32 = 0.5;
/// Half the width of the arena.
const SIZE: f32 = 8.0;
const SPEED: f32 = 5.0;
const ROCKET_SPEED: f32 = 12.0;
const PILLARS: [Vector2; 2] = [Vector2::new(4.0, 3.0), Vector2::new(-4.0, -3.0)];

/// Input of a tick: the direction of the movement.
#[derive(SyncValue, Clone, Default)]
pub(crate) struct Move {
    pub(crate) x: f32,
    pub(crate) y: f32,
}

#[derive(NetworkBehaviour, Clone, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
pub(crate) struct Player {
    #[sync_var(interpolate = linear, snap = 3.0, history = 1.0)]
    pub(crate) position: SyncVar<Vector2>,
    #[sync_var]
    pub(crate) health: SyncVar<i32>,
    #[sync_var]
    pub(crate) deaths: SyncVar<u32>,
    /// Hits that the client has claimed, and those of the server.
    pub(crate) claimed: u32,
    pub(crate) confirmed: u32,
    /// Directions of its shots.
    pub(crate) fired: Vec<Vector2>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
pub(crate) struct Rocket {
    #[sync_var(interpolate = linear)]
    pub(crate) position: SyncVar<Vector2>,
    direction: Vector2,
    shooter: Option<NetId>,
}

/// Moves a player by a tick: the same function on both ends.
pub(crate) fn step(player: &mut Player, input: &Move, _tick: u64) {
    // Other than `hypot`, a root has the same bits on each machine.
    let length = (input.x * input.x + input.y * input.y).sqrt().max(1.0);
    let mut at = *player.position;
    at.x = (at.x + input.x / length * SPEED * STEP).clamp(-SIZE, SIZE);
    at.y = (at.y + input.y / length * SPEED * STEP).clamp(-SIZE, SIZE);
    for pillar in PILLARS {
        let distance = pillar.distance(&at).max(0.01);
        if distance < 2.0 * RADIUS {
            at = pillar.linear(&at, 2.0 * RADIUS / distance);
        }
    }
    player.position.set(at);
}

/// Returns the distance at which a ray of length 1 meets a circle.
fn meets(from: Vector2, ray: Vector2, circle: Vector2) -> Option<f32> {
    let (x, y) = (circle.x - from.x, circle.y - from.y);
    let (along, beside) = (x * ray.x + y * ray.y, x * ray.y - y * ray.x);
    (along > 0.0 && beside.abs() < RADIUS).then_some(along)
}

/// Returns whether a shot hits a player, and no pillar before it.
pub(crate) fn hits(from: Vector2, ray: Vector2, target: Vector2) -> bool {
    let pillars = PILLARS.into_iter().filter_map(|it| meets(from, ray, it));
    let free = pillars.fold(f32::MAX, f32::min);
    meets(from, ray, target).is_some_and(|distance| distance < free)
}

#[network_calls]
impl Player {
    /// Fires at what the client shows, where it hits or not. The server looks at the same past.
    #[command(rate = 20.0)]
    pub(crate) fn fire(&mut self, ctx: &mut CallContext<'_>, at: Vector2, ray: Vector2, hit: bool) {
        let (client, own) = (ctx.sender().expect("a client"), ctx.net_id());
        self.claimed += u32::from(hit);
        self.fired.push(ray);
        if at.distance(&self.position) > SPEED * 0.5 {
            return;
        }
        let server = ctx.expect_server();
        let others = { server.iter::<Self>() }
            .map(|it| it.0)
            .filter(|id| *id != own);
        let target = server.rewind(client, |past| {
            let seen = |id| past.view::<Self>(id)?.get(Self::POSITION);
            { others }.find(|id| seen(*id).is_some_and(|it| hits(at, ray, it)))
        });
        if let Some(target) = target {
            self.confirmed += u32::from(hit);
            damage(server, target, 10);
        }
    }

    #[command(rate = 2.0)]
    pub(crate) fn launch(&mut self, ctx: &mut CallContext<'_>, direction: Vector2) {
        let (position, shooter) = ((*self.position).into(), Some(ctx.net_id()));
        ctx.expect_server().spawn(Rocket {
            position,
            direction,
            shooter,
        });
    }
}

fn damage(server: &mut NetworkServer, target: NetId, points: i32) {
    if let Ok(mut player) = server.get_mut::<Player>(target) {
        player.health -= points;
        if player.health <= 0 {
            player.deaths += 1;
            player.health.set(100);
        }
    }
}

/// Moves the rockets of a server by a tick.
pub(crate) fn fly(server: &mut NetworkServer) {
    let mut ended = Vec::new();
    let players: Vec<(NetId, Vector2)> = { server.iter::<Player>() }
        .map(|(id, player)| (id, *player.position))
        .collect();
    server.for_each_mut::<Rocket>(|id, rocket| {
        let mut at = *rocket.position;
        at.x += rocket.direction.x * ROCKET_SPEED * STEP;
        at.y += rocket.direction.y * ROCKET_SPEED * STEP;
        rocket.position.set(at);
        let is_near = |it: &Vector2| it.distance(&at) < RADIUS;
        let targets = players.iter().filter(|it| Some(it.0) != rocket.shooter);
        let hit = targets.copied().find(|it| is_near(&it.1)).map(|it| it.0);
        if hit.is_some() || PILLARS.iter().any(is_near) || at.x.abs().max(at.y.abs()) > SIZE {
            ended.push((id, hit));
        }
    });
    for (id, hit) in ended {
        if let Some(target) = hit {
            damage(server, target, 40);
        }
        server.despawn(id).expect("it flies");
    }
}
