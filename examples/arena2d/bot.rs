//! A bot: a client over TCP that plays by its replicas and predicts its own position.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use glam::Vec2;
use syncvar::prelude::*;
use syncvar::tcp::TcpClient;
use tokio::time::{Instant, interval, sleep};

use crate::game::{Pickup, Player, RATE, Shot, prefabs, step};

#[derive(Default)]
pub(crate) struct Bot {
    name: String,
    pub(crate) me: NetId,
    input: u32,
    /// Inputs that the server has not acknowledged.
    unacked: VecDeque<(u32, Vec2)>,
    predicted: Vec2,
    /// Corrections of the prediction by more than 10 cm, as after a respawn.
    pub(crate) corrections: u32,
}

/// Plays from `start` to `end`, with a break if `leaves`. Returns the bot and its client, still connected.
pub(crate) async fn play(
    addr: SocketAddr,
    name: String,
    (start, end): (Duration, Duration),
    mut leaves: bool,
) -> io::Result<(Bot, TcpClient)> {
    let begin = Instant::now();
    sleep(start).await;
    let mut tcp = TcpClient::connect(addr, NetworkClient::new(prefabs())).await?;
    let mut bot = Bot {
        name,
        ..Bot::default()
    };
    let mut ticks = interval(Duration::from_secs(1) / u32::from(RATE));
    let rest = Duration::from_millis(500); // the last packets arrive
    while begin.elapsed() < end + rest {
        tokio::select! {
            result = tcp.receive() => result.map_err(io::Error::other)?,
            _ = ticks.tick() => if begin.elapsed() < end { bot.act(&mut tcp) },
        }
        if leaves && begin.elapsed() > (start + end) / 2 {
            leaves = false;
            let client = tcp.disconnect("back in a second").await;
            tcp = TcpClient::connect(addr, client).await?;
        }
    }
    Ok((bot, tcp))
}

impl Bot {
    /// Runs one frame.
    fn act(&mut self, tcp: &mut TcpClient) {
        let mut is_moved = false;
        while let Some(event) = tcp.poll_event() {
            match event {
                ClientEvent::OwnerChanged {
                    object,
                    owned: true,
                } => {
                    self.me = object;
                    let me = tcp.client().get::<Player>(object);
                    self.predicted = me.map_or(Vec2::ZERO, |me| *me.position);
                    self.unacked.clear();
                    let _ = tcp
                        .client_mut()
                        .calls::<Player>(object)
                        .introduce(self.name.clone());
                }
                ClientEvent::Changed { object, .. } => is_moved |= object == self.me,
                _ => {}
            }
        }
        if !tcp.client().is_owner(self.me) {
            return;
        }
        if is_moved {
            self.reconcile(tcp.client());
        }
        let (direction, target) = (self.direction(tcp), self.target(tcp.client()));
        self.input += 1;
        self.unacked.push_back((self.input, direction));
        self.predicted = step(self.predicted, direction);
        let client = tcp.client_mut();
        let _ = client.calls::<Player>(self.me).steer(self.input, direction);
        if let Some(target) = target.filter(|_| self.input.is_multiple_of(20)) {
            let _ = client.calls::<Player>(self.me).shoot(target);
        }
    }

    /// Takes the server's position, and repeats the inputs that it lacks.
    fn reconcile(&mut self, client: &NetworkClient) {
        let Some(me) = client.get::<Player>(self.me) else {
            return;
        };
        self.unacked.retain(|(input, _)| *input > *me.acked);
        let position = self
            .unacked
            .iter()
            .fold(*me.position, |at, (_, direction)| step(at, *direction));
        self.corrections += u32::from(position.distance(self.predicted) > 0.1);
        self.predicted = position;
    }

    /// Walks to the nearest pick-up, but aside where a shot is close.
    fn direction(&self, tcp: &TcpClient) -> Vec2 {
        let (client, here) = (tcp.client(), self.predicted);
        let now = tcp.network_time().map(|it| it.time).unwrap_or_default();
        let mut shots = client
            .iter::<Shot>()
            .filter_map(|(_, shot)| shot.place(now));
        if let Some(shot) = shots.find(|shot| here.distance(*shot) < 3.0) {
            return (here - shot).perp().normalize_or_zero();
        }
        let pickups = client.iter::<Pickup>().map(|(_, it)| *it.position);
        let nearest = pickups.min_by(|a, b| here.distance(*a).total_cmp(&here.distance(*b)));
        nearest.map_or(Vec2::X, |goal| (goal - here).normalize_or_zero())
    }

    /// Returns the direction of another player.
    fn target(&self, client: &NetworkClient) -> Option<Vec2> {
        let mut others = client.iter::<Player>().filter(|(id, _)| *id != self.me);
        others
            .next()
            .map(|(_, other)| *other.position - self.predicted)
    }
}
