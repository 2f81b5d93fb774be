//! A bot: a client over TCP that plays by its replicas and predicts its own position.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::tcp::TcpClient;
use syncvar::testing::Random;
use syncvar::values::Vector2;
use tokio::time::{Instant, interval, sleep};

use crate::game::{Pickup, Player, RATE, Shot, prefabs, step};

pub(crate) struct Bot {
    number: u64,
    random: Random,
    me: Option<NetId>,
    input: u32,
    /// Inputs that the server has not acknowledged.
    unacked: VecDeque<(u32, Vector2)>,
    predicted: Vector2,
    /// Corrections of the prediction by more than 10 cm, respawns included.
    pub(crate) corrections: u32,
}

/// Plays for a time. Returns the bot and its client, still connected.
pub(crate) async fn play(
    addr: SocketAddr,
    number: u64,
    (start, end): (Duration, Duration),
) -> io::Result<(Bot, TcpClient)> {
    let begin = Instant::now();
    sleep(start).await;
    let mut tcp = TcpClient::connect(addr, NetworkClient::new(prefabs())).await?;
    let mut bot = Bot::new(number);
    let mut ticks = interval(Duration::from_secs(1) / RATE);
    let mut leaves = number % 5 == 4;
    while begin.elapsed() < end {
        tokio::select! {
            result = tcp.receive() => result.map_err(io::Error::other)?,
            _ = ticks.tick() => bot.act(&mut tcp),
        }
        if leaves && begin.elapsed() > (start + end) / 2 {
            leaves = false;
            let client = tcp.disconnect("back in a second").await;
            tcp = TcpClient::connect(addr, client).await?;
            bot = Bot::new(number);
        }
    }
    // The game rests; the last packets arrive.
    let rest = sleep(Duration::from_millis(500));
    tokio::pin!(rest);
    loop {
        tokio::select! {
            () = &mut rest => return Ok((bot, tcp)),
            result = tcp.receive() => result.map_err(io::Error::other)?,
        }
    }
}

impl Bot {
    fn new(number: u64) -> Self {
        Self {
            number,
            random: Random::new(number),
            me: None,
            input: 0,
            unacked: VecDeque::new(),
            predicted: Vector2::default(),
            corrections: 0,
        }
    }

    /// Runs one frame.
    fn act(&mut self, tcp: &mut TcpClient) {
        while let Some(event) = tcp.poll_event() {
            match event {
                ClientEvent::OwnerChanged {
                    object,
                    owned: true,
                } => {
                    self.me = Some(object);
                    let name = format!("bot {}", self.number);
                    let _ = tcp.client_mut().calls::<Player>(object).introduce(name);
                }
                ClientEvent::Changed { object, .. } if Some(object) == self.me => {
                    self.reconcile(tcp.client());
                }
                _ => {}
            }
        }
        let Some(me) = self.me.filter(|me| tcp.client().is_owner(*me)) else {
            return;
        };
        let direction = self.direction(tcp);
        let target = self.target(tcp.client());
        self.input += 1;
        self.unacked.push_back((self.input, direction));
        self.predicted = step(self.predicted, direction);
        let client = tcp.client_mut();
        let _ = client.calls::<Player>(me).steer(self.input, direction);
        if let Some(target) = target.filter(|_| self.input.is_multiple_of(20)) {
            let _ = client.calls::<Player>(me).shoot(target);
        }
        if self.random.chance(2) {
            let _ = client
                .calls::<Player>(me)
                .chat("who has seen my hat?".into());
        }
    }

    /// Takes the server's position, and repeats the inputs that it lacks.
    fn reconcile(&mut self, client: &NetworkClient) {
        let Some(me) = self.me.and_then(|me| client.get::<Player>(me)) else {
            return;
        };
        self.unacked.retain(|(input, _)| *input > *me.acked);
        let inputs = self.unacked.iter();
        let position = inputs.fold(*me.position, |at, (_, direction)| step(at, *direction));
        let off = (position.x - self.predicted.x).hypot(position.y - self.predicted.y);
        self.corrections += u32::from(off > 0.1);
        self.predicted = position;
    }

    /// Walks to the nearest pick-up, but aside where a shot is close.
    fn direction(&mut self, tcp: &TcpClient) -> Vector2 {
        let (client, here) = (tcp.client(), self.predicted);
        let now = tcp.network_time().map(|it| it.time).unwrap_or_default();
        let mut shots = client
            .iter::<Shot>()
            .filter_map(|(_, shot)| shot.place(now));
        if let Some(shot) = shots.find(|shot| distance(here, *shot) < 3.0) {
            let away = towards(shot, here);
            return Vector2 {
                x: -away.y,
                y: away.x,
            };
        }
        let pickups = client.iter::<Pickup>().map(|(_, it)| *it.position);
        pickups
            .min_by(|a, b| distance(here, *a).total_cmp(&distance(here, *b)))
            .map_or_else(|| Vector2 { x: 1.0, y: 0.0 }, |goal| towards(here, goal))
    }

    /// Returns the direction of another player.
    fn target(&self, client: &NetworkClient) -> Option<Vector2> {
        let mut others = client
            .iter::<Player>()
            .filter(|(id, _)| Some(*id) != self.me);
        others
            .next()
            .map(|(_, other)| towards(self.predicted, *other.position))
    }
}

fn distance(a: Vector2, b: Vector2) -> f32 {
    (a.x - b.x).hypot(a.y - b.y)
}

/// Returns the direction from one place to another, of length 1.
fn towards(from: Vector2, to: Vector2) -> Vector2 {
    let way = distance(from, to).max(0.01);
    Vector2 {
        x: (to.x - from.x) / way,
        y: (to.y - from.y) / way,
    }
}
