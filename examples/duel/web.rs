//! The duel for browsers. A page plays against the bot; while two pages or more are here, they fight each other and the bot rests.

#[path = "../support/pages.rs"]
mod pages;

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};
use syncvar::ServerConfig;
use syncvar::join::{Admission, Payload};
use syncvar::prelude::*;
use syncvar::tcp::TcpClient;
use syncvar::testing::{Conditions, Random};

use crate::Bot;
use crate::rules::{Move, Player, RATE, Rocket, fly, step};

const PAGES: [(&str, &str); 4] = [
    ("/", include_str!("web/index.html")),
    ("/page.js", include_str!("web/page.js")),
    ("/rules.js", include_str!("web/rules.js")),
    ("/drawing.js", include_str!("web/drawing.js")),
];

/// Name with which the bot joins.
const BOT: &str = "the bot";

/// Longest name.
const MAX_NAME: usize = 16;

/// Ticks between two decisions of the bot: its shots and turns are slower than those of the headless duel.
const PAUSE: u32 = 5;

/// Part of a player for the eyes of the pages.
#[derive(NetworkBehaviour, Default)]
struct Badge {
    #[sync_var]
    name: SyncVar<String>,
}

#[network_calls]
impl Badge {
    /// Shows a shot to all observers.
    #[sync_event]
    fn fired(ray: Vector2);
}

fn prefabs() -> Prefabs {
    let prefabs = Prefabs::new().register::<(Player, Badge)>("player");
    prefabs.register::<Rocket>("rocket").input::<Move>()
}

/// Serves the duel until the program is stopped, under the conditions in both directions.
pub(crate) fn serve(link: Option<Conditions>) -> ExitCode {
    let runtime = tokio::runtime::Runtime::new();
    match runtime.and_then(|runtime| runtime.block_on(run(link))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(link: Option<Conditions>) -> io::Result<()> {
    let config = ServerConfig {
        admission: Admission::Decide,
        reconnect_grace: Duration::from_secs(10),
        ..pages::config()
    };
    let mut server = NetworkServer::with_config(prefabs(), config);
    let mut game = Game::default();
    let state = pages::State::default();
    let (mut host, addr) = pages::listen(&PAGES, &state)?;
    if let Some(link) = link {
        host.conditions().set_both(link);
    }
    println!("http://{addr}/");
    tokio::spawn(bot(addr));
    let tick = |server: &mut NetworkServer, now| {
        game.tick(server, now);
        state.set(game.describe(server));
        ControlFlow::Continue(())
    };
    host.run(&mut server, tick).await;
    Ok(())
}

/// Plays as the bot, by TCP.
async fn bot(addr: SocketAddr) -> io::Result<()> {
    let mut client = NetworkClient::new(prefabs());
    let name = Payload::of(&BOT.to_string()).map_err(io::Error::other)?;
    client.set_join_payload(name);
    let mut tcp = TcpClient::connect(addr, client).await?;
    let mut bot = Bot {
        id: NetId::NONE,
        random: Random::new(7),
        input: Move::default(),
    };
    let mut decisions = tokio::time::interval(Duration::from_secs(1) * PAUSE / RATE);
    let mut decision = 0;
    loop {
        tokio::select! {
            event = tcp.next_event() => match event {
                Some(ClientEvent::OwnerChanged { object, owned: true }) => {
                    bot.id = object;
                    let predicted = tcp.client_mut().predict(object, step);
                    predicted.map_err(io::Error::other)?;
                }
                Some(_) => {}
                None => return Ok(()),
            },
            _ = decisions.tick() => {
                let now = tcp.now();
                decision += 1;
                bot.play(tcp.client_mut(), decision, now);
            }
        }
    }
}

/// Connections and their players.
#[derive(Default)]
struct Game {
    /// Names of the accepted connections.
    names: BTreeMap<ConnectionId, String>,
    /// Players of the ready connections; none for the resting bot.
    players: BTreeMap<ConnectionId, Option<NetId>>,
    /// Number of players so far.
    spawned: u16,
}

impl Game {
    /// Runs the ticks up to a time.
    fn tick(&mut self, server: &mut NetworkServer, now: Duration) {
        while let Some(event) = server.poll_event() {
            match event {
                ServerEvent::JoinRequested {
                    connection,
                    payload,
                    ..
                } => {
                    let name = payload.decode::<String>().unwrap_or_default();
                    let shown = name.chars().filter(|it| !it.is_control());
                    let name = shown.take(MAX_NAME).collect();
                    self.names.insert(connection, name);
                    let _ = server.accept(connection);
                }
                ServerEvent::Ready { connection } => {
                    self.players.entry(connection).or_default();
                    self.arrange(server);
                }
                ServerEvent::Disconnected { connection, .. } => {
                    self.names.remove(&connection);
                    if let Some(Some(player)) = self.players.remove(&connection) {
                        let _ = server.despawn(player);
                    }
                    self.arrange(server);
                }
                _ => {}
            }
        }
        for tick in server.ticks_until(now) {
            for player in self.players.values().flatten() {
                let _ = server.step(*player, tick, step);
            }
            fly(server);
        }
        self.show_shots(server);
    }

    fn is_bot(&self, connection: ConnectionId) -> bool {
        self.names.get(&connection).is_some_and(|name| name == BOT)
    }

    /// Gives each page a player, and the bot one unless two pages fight.
    fn arrange(&mut self, server: &mut NetworkServer) {
        let pages = self.players.keys().filter(|it| !self.is_bot(**it)).count();
        let connections: Vec<_> = self.players.keys().copied().collect();
        for connection in connections {
            let plays = !self.is_bot(connection) || pages < 2;
            let player = self.players.get(&connection).copied().flatten();
            let next = match player {
                Some(player) if !plays => server.despawn(player).err().map(|_| player),
                None if plays => self.spawn(server, connection),
                unchanged => unchanged,
            };
            self.players.insert(connection, next);
        }
    }

    fn spawn(&mut self, server: &mut NetworkServer, owner: ConnectionId) -> Option<NetId> {
        let side = if self.spawned.is_multiple_of(2) {
            -1.0
        } else {
            1.0
        };
        let name = self.names.get(&owner).cloned().unwrap_or_default();
        let player = Player {
            position: Vector2::new(5.0 * side, 0.0).into(),
            health: 100.into(),
            ..Player::default()
        };
        let options = SpawnOptions {
            owner: Some(owner),
            ..SpawnOptions::default()
        };
        self.spawned = self.spawned.wrapping_add(1);
        let badge = Badge { name: name.into() };
        server.try_spawn((player, badge), options).ok()
    }

    fn show_shots(&self, server: &mut NetworkServer) {
        for player in self.players.values().flatten() {
            let fired = server.get_mut::<Player>(*player);
            for ray in fired.map_or_else(|_| Vec::new(), |mut it| std::mem::take(&mut it.fired)) {
                let _ = server.calls::<Badge>(*player).fired(ray);
            }
        }
    }

    /// Describes the players as JSON.
    fn describe(&self, server: &NetworkServer) -> String {
        let players = self.players.values().flatten();
        let players = players.filter_map(|id| {
            let (player, badge) = (server.get::<Player>(*id)?, server.get::<Badge>(*id)?);
            Some(json!({
                "id": id.0,
                "name": *badge.name,
                "health": *player.health,
                "deaths": *player.deaths,
                "claimed": player.claimed,
                "confirmed": player.confirmed,
                "position": { "x": player.position.x, "y": player.position.y },
            }))
        });
        players.collect::<Value>().to_string()
    }
}
