//! The game for browsers, beside native bots by TCP.

#[path = "../support/pages.rs"]
mod pages;

use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use syncvar::prelude::*;

use crate::body::Body;
use crate::crown::Crown;
use crate::fighter::Fighter;
use crate::game::Game;
use crate::{bot, prefabs};

/// Whether the pages are open.
pub(crate) static IS_OPEN: AtomicBool = AtomicBool::new(false);

const PAGES: [(&str, &str); 3] = [
    ("/", include_str!("web/index.html")),
    ("/page.js", include_str!("web/page.js")),
    ("/drawing.js", include_str!("web/drawing.js")),
];

/// Serves the game until the program is stopped.
pub(crate) async fn serve() -> io::Result<ExitCode> {
    let mut server = NetworkServer::with_config(prefabs(), pages::config());
    let mut game = Game::new(&mut server, Duration::MAX);
    let state = pages::State::default();
    let (mut host, addr) = pages::listen(&PAGES, &state)?;
    IS_OPEN.store(true, Ordering::Relaxed);
    println!("http://{addr}/");
    for name in ["Ada", "Bob", "Cleo"] {
        tokio::spawn(bot::play(addr, name));
    }
    let tick = |server: &mut NetworkServer, now| {
        let next = game.tick(server, now);
        state.set(describe(server));
        next
    };
    host.run(&mut server, tick).await;
    Ok(ExitCode::SUCCESS)
}

/// Describes all objects as JSON, for a comparison with those of a page.
fn describe(server: &NetworkServer) -> String {
    let objects = server
        .identities()
        .map(|identity| object(server, identity.net_id()));
    objects.collect::<Value>().to_string()
}

fn object(server: &NetworkServer, id: NetId) -> Value {
    if let (Some(fighter), Some(body)) = (server.get::<Fighter>(id), server.get::<Body>(id)) {
        let buffs = fighter.buffs.iter();
        let buffs: Vec<_> = buffs
            .map(|buff| json!({ "name": buff.name, "strength": buff.strength }))
            .collect();
        return json!({
            "id": id.0,
            "name": *fighter.name,
            "health": *fighter.health,
            "stance": format!("{:?}", *fighter.stance),
            "buffs": buffs,
            "position": { "x": body.position.x, "y": body.position.y },
        });
    }
    let crown = server.get::<Crown>(id);
    json!({
        "id": id.0,
        "wearer": crown.map_or(0, |crown| crown.wearer.id().0),
        "motto": crown.map_or("", |crown| crown.motto.as_str()),
    })
}
