//! Process of a zone.

use std::path::Path;
use std::time::{Duration, Instant};

use syncvar::log::{Journal, JournalOptions};
use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar::{NetworkBehaviour, NetworkIdentity, NetworkTime, ServerConfig};
use syncvar_fleet::link::LinkCarrier;
use syncvar_fleet::sockets::FleetSockets;
use syncvar_fleet::zone::{Regions, VoterId, Zone, ZoneConfig, ZoneId};
use syncvar_fleet::{NodeId, Role};

use crate::Fallible;
use crate::world::{HEIGHT, Post, RATE, WIDTH, Walker, prefabs, start_number};

/// Zone in which new players begin.
const FIRST: u32 = 1;

/// Runs a zone that listens for nodes at an address, and dials the others. Its journal is in a directory.
pub(crate) fn run(number: u32, directory: &Path, own: &str, others: &[&str]) -> Fallible<()> {
    let start = start_number();
    let mut zone = zone(number, start)?;
    let mut carrier = LinkCarrier::new(NodeId(start), Role::Zone, "");
    let mut sockets = FleetSockets::new();
    sockets.listen_tcp(own)?;
    for address in others {
        sockets.dial_tcp(&mut carrier, address)?;
    }
    let (mut journal, mut random) = (None::<Journal>, Random::new(start));
    let started = Instant::now();
    for tick in 0.. {
        let now = NetworkTime::of_tick(tick, RATE).time;
        std::thread::sleep(now.saturating_sub(started.elapsed()));
        sockets.receive(&mut carrier, now);
        zone.receive(&mut carrier, now, &mut ());
        if zone.is_elected() {
            match Journal::recover(directory)? {
                Some(save) => zone.load(&save)?,
                None => zone.begin_empty()?,
            }
        }
        while zone.poll_event().is_some() {}
        if zone.is_superseded() {
            return Err(format!("zone {number} has a later process").into());
        }
        // The last process only votes.
        if let Some(server) = zone.server_mut()
            && number < crate::PROCESSES
        {
            play(server, number, journal.is_none(), &mut random)?;
        }
        zone.update(now, &mut ());
        if let Some(server) = zone.server_mut() {
            match &mut journal {
                Some(journal) => journal.update(server)?,
                None => {
                    let options = JournalOptions::default();
                    journal = Some(Journal::open(directory, server, options)?);
                }
            }
        }
        zone.transmit(&mut carrier, now);
        sockets.transmit(&mut carrier, now);
    }
    Ok(())
}

/// Creates a zone without its state.
fn zone(number: u32, start: u64) -> Fallible<Zone> {
    let mut config = ZoneConfig::new(ZoneId(number));
    config.server = ServerConfig {
        tick_rate: RATE,
        incarnation: start,
        ..ServerConfig::default()
    };
    config.voter = Some(VoterId(number));
    config.voters = (1..=crate::PROCESSES).map(VoterId).collect();
    config.lease = Duration::from_secs(1);
    config.awaits_state = true;
    let place = |server: &NetworkServer, object| {
        let position = *server.get::<Walker>(object)?.position;
        Some([position.x, position.y])
    };
    let regions = Regions::new(place)
        .region(ZoneId(1), [-1000.0, -1000.0], [0.0, 1000.0])
        .region(ZoneId(2), [0.0, -1000.0], [1000.0, 1000.0])
        .hysteresis(1.0)
        .border(10.0);
    Ok(Zone::new(config, prefabs, regions)?)
}

/// Runs a tick of the game.
fn play(
    server: &mut NetworkServer,
    zone: u32,
    is_first: bool,
    random: &mut Random,
) -> Fallible<()> {
    while let Some(event) = server.poll_event() {
        match event {
            ServerEvent::Connected { connection } if zone == FIRST => {
                enter(server, connection, random)?;
            }
            ServerEvent::Disconnected { owned, .. } => leave(server, &owned)?,
            _ => {}
        }
    }
    for walker in ids::<Walker>(server) {
        server.get_mut::<Walker>(walker)?.walk(zone);
    }
    let post = match ids::<Post>(server).first() {
        Some(post) => *post,
        None => server.spawn(Post::default()),
    };
    let mut post = server.get_mut::<Post>(post)?;
    post.zone.set(zone);
    post.ticks += 1;
    if is_first {
        post.processes += 1;
    }
    Ok(())
}

fn ids<B: NetworkBehaviour>(server: &NetworkServer) -> Vec<NetId> {
    let ids = server.identities().map(NetworkIdentity::net_id);
    ids.filter(|id| server.get::<B>(*id).is_some()).collect()
}

/// Gives a player a walker, unless it has one in a zone.
fn enter(
    server: &mut NetworkServer,
    connection: ConnectionId,
    random: &mut Random,
) -> Fallible<()> {
    let Some(key) = server.player_key(connection).map(<[u8]>::to_vec) else {
        return Ok(());
    };
    if server.note(&key).is_some() {
        return Ok(());
    }
    server.set_note(key.clone(), "has a walker");
    let place = Vector2::new(random.between(-WIDTH, 0.0), random.between(-HEIGHT, HEIGHT));
    let walker = Walker {
        name: String::from_utf8_lossy(&key).into_owned().into(),
        position: place.into(),
        target: place.into(),
        zone: FIRST.into(),
        ..Walker::default()
    };
    let options = SpawnOptions {
        owner: Some(connection),
        ..SpawnOptions::default()
    };
    server.try_spawn(walker, options)?;
    Ok(())
}

/// Removes the walkers of a guest. A bot returns to its walker.
fn leave(server: &mut NetworkServer, owned: &[NetId]) -> Fallible<()> {
    for object in owned {
        let walker = server.get::<Walker>(*object);
        if walker.is_some_and(|it| it.name.starts_with("guest")) {
            server.despawn(*object)?;
        }
    }
    Ok(())
}
