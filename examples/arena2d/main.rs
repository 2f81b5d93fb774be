//! A shooter in two dimensions: a server at 60 Hz and 20 bots over TCP, in one loop. Players see what is near and predict their
//! own position; some come late, some lose their link and return. In the end every replica equals the server's objects.
//!
//! `LOG=trace cargo run --features tcp,glam --example arena2d` prints the story of each connection and object.

mod game;

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use glam::Vec2;
use syncvar::testing::{Random, compare_replicas};
use syncvar::transport::{Host, Peer};
use syncvar::{
    ServerConfig, interest::SpatialGrid, join::Payload, prelude::*, tcp::TransportOptions,
};
use tracing::{Level, info_span};

use game::{Kill, Pickup, Player, RATE, prefabs, step};

/// End of the game, and of the rest in which the last shots and packets arrive.
const ENDS: [Duration; 2] = [Duration::from_secs(4), Duration::from_secs(6)];

/// A client over TCP that plays by its replicas and predicts its own position.
struct Bot {
    client: NetworkClient,
    peer: Peer,
    me: NetId,
    input: u32,
    /// Inputs that the server has not acknowledged.
    unacked: VecDeque<(u32, Vec2)>,
    predicted: Vec2,
    /// Kills in the news.
    kills: u32,
}

impl Bot {
    /// Creates a bot that connects in the background.
    fn new(addr: SocketAddr, name: &String) -> io::Result<Self> {
        let mut client = NetworkClient::new(prefabs());
        client.set_join_payload(Payload::of(name).map_err(io::Error::other)?);
        Ok(Self {
            peer: Peer::tcp(addr, &client, TransportOptions::default())?,
            client,
            me: NetId::NONE,
            input: 0,
            unacked: VecDeque::new(),
            predicted: Vec2::ZERO,
            kills: 0,
        })
    }

    /// Runs one frame.
    fn frame(&mut self, now: Duration, plays: bool) {
        if let Err(error) = self.peer.receive(&mut self.client, now) {
            tracing::warn!(%error, "a bot has lost its connection");
        }
        while let Some(event) = self.client.poll_event() {
            let changed = event.changed::<Player>();
            if changed.is_some_and(|it| it.object() == self.me && it.contains(Player::POSITION)) {
                self.reconcile();
            }
            match event {
                ClientEvent::OwnerChanged { object, owned } if owned => self.me = object,
                ClientEvent::Message(message) => {
                    self.kills = message.get::<Kill>().map_or(self.kills, |kill| kill.count);
                }
                _ => {}
            }
        }
        if plays && self.client.is_owner(self.me) {
            self.play();
        }
        self.client.update(now);
        self.peer.transmit(&mut self.client, now);
    }

    /// Takes the server's position, and repeats the inputs that it lacks.
    fn reconcile(&mut self) {
        if let Some(me) = self.client.get::<Player>(self.me) {
            self.unacked.retain(|(input, _)| *input > *me.acked);
            let inputs = self.unacked.iter();
            self.predicted = inputs.fold(*me.position, |at, (_, way)| step(at, *way));
        }
    }

    /// Steers to the nearest pick-up, and shoots at a neighbour.
    fn play(&mut self) {
        let (client, here) = (&mut self.client, self.predicted);
        let ways = client.iter::<Pickup>().map(|(_, it)| *it.position - here);
        let nearest = ways.min_by(|a, b| a.length().total_cmp(&b.length()));
        let direction = nearest.unwrap_or(Vec2::X).normalize_or_zero();
        let neighbours = client.iter::<Player>().filter(|(id, _)| *id != self.me);
        let target = neighbours.map(|(_, it)| *it.position - here).next();
        self.input += 1;
        self.unacked.push_back((self.input, direction));
        self.predicted = step(here, direction);
        let _ = client.calls::<Player>(self.me).steer(self.input, direction);
        if let Some(target) = target.filter(|_| self.input.is_multiple_of(20)) {
            let _ = client.calls::<Player>(self.me).shoot(target);
        }
    }
}

/// Returns 16 bytes that a client cannot guess.
fn token() -> [u8; 16] {
    let number = || u128::from(RandomState::new().hash_one(0));
    (number() << 64 | number()).to_ne_bytes()
}

fn main() -> io::Result<()> {
    let level = std::env::var("LOG").unwrap_or_else(|_| "warn".into());
    let level = level.parse::<Level>().map_err(io::Error::other)?;
    tracing_subscriber::fmt().with_max_level(level).init();
    let config = ServerConfig {
        tick_rate: RATE.into(),
        reconnect_grace: Duration::from_secs(5),
        session_tokens: Some(token),
        profile: true,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_interest(prefabs(), config, SpatialGrid::xy(10.0, 30.0));
    let mut host = Host::new(TransportOptions::default());
    host.listen_tcp("127.0.0.1:0")?;
    let addr = host.local_addrs()?[0];
    let (mut random, mut kills, mut bots) = (Random::new(7), 0, Vec::new());
    let begin = Instant::now();
    for tick in 0.. {
        let next = Duration::from_secs(tick) / u32::from(RATE);
        std::thread::sleep(next.saturating_sub(begin.elapsed()));
        let now = begin.elapsed();
        if now > ENDS[1] {
            break;
        }
        host.receive(&mut server, now);
        game::tick(&mut server, &mut random, &mut kills);
        server.update(now);
        host.transmit(&mut server, now);
        // The last four bots are late.
        if bots.len() < 16 || bots.len() < 20 && tick > 120 {
            bots.push(Bot::new(addr, &format!("bot {}", bots.len()))?);
        }
        for (number, bot) in bots.iter_mut().enumerate() {
            let _span = info_span!("bot", number).entered();
            if tick == 150 && number % 5 == 4 {
                // A broken link: the client returns to its session.
                bot.peer = Peer::tcp(addr, &bot.client, TransportOptions::default())?;
            }
            bot.frame(now, now < ENDS[0]);
        }
    }
    let connections: Vec<_> = server.connections().collect();
    for (connection, bot) in connections.into_iter().zip(&mut bots) {
        let different = compare_replicas(&mut server, connection, &mut bot.client);
        assert!(different.is_empty(), "{different:?}");
    }
    println!("{}\n{kills} kills", server.stats());
    assert_eq!(bots[0].kills, kills, "the news");
    Ok(())
}
