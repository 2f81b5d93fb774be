//! The process of the server.

use std::error::Error;
use std::io::{BufRead, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use ring::rand::{SecureRandom, SystemRandom};
use syncvar::interest::{GroupTags, Tag};
use syncvar::log::{Journal, JournalOptions, JournalSync};
use syncvar::prelude::*;
use syncvar::quic::QuicPort;
use syncvar::tcp::TransportOptions;
use syncvar::tls::Identity;
use syncvar::transport::Host;
use syncvar::websocket::WebPort;
use syncvar::{NetworkTime, ServerConfig};

use crate::world::{Build, CHANGES, First, GROUP, LIFE, SPARK, SPARKS, Second, UNIT, UNITS};

/// Ticks per second.
const RATE: u32 = 30;

/// Runs a server until its process is killed: `DIRECTORY PORT BUILD CLIENTS`.
pub(crate) fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let [directory, port, build, clients] = arguments else {
        return Err("serve DIRECTORY PORT BUILD CLIENTS".into());
    };
    let (directory, clients) = (Path::new(directory), clients.parse()?);
    match &**build {
        "0" => serve::<First>(directory, port.parse()?, clients),
        _ => serve::<Second>(directory, port.parse()?, clients),
    }
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.expect("the system has random numbers");
    bytes
}

fn config(clients: usize) -> ServerConfig {
    let mut config = ServerConfig {
        tick_rate: RATE,
        incarnation: u64::from_le_bytes(random()),
        reconnect_grace: Duration::from_mins(2),
        session_tokens: Some(random),
        ..ServerConfig::default()
    };
    config.limits.max_away = clients;
    config
}

fn serve<B: Build>(directory: &Path, port: u16, clients: usize) -> Result<(), Box<dyn Error>> {
    let begin = Instant::now();
    let journal = directory.join("journal");
    let mut server =
        NetworkServer::with_interest(B::prefabs(), config(clients), <GroupTags>::default());
    if let Some(save) = Journal::recover(&journal)? {
        server.load(&save)?;
        for connection in server.connections().collect::<Vec<_>>() {
            place(&mut server, connection)?;
        }
    } else {
        for number in 1..=UNITS {
            spawn::<B>(&mut server, NetId(number), None)?;
        }
    }
    let loaded = begin.elapsed();
    let options = JournalOptions {
        save_interval: Duration::from_secs(2),
        sync: JournalSync::Every(Duration::from_secs(1)),
        ..JournalOptions::default()
    };
    let mut journal = Journal::open(&journal, &mut server, options)?;
    let opened = begin.elapsed();
    let mut host = listen(directory, port, clients)?;
    let mut output = std::io::stdout();
    writeln!(output, "port {}", host.local_addrs()?[0].port())?;
    writeln!(
        output,
        "recovered after {loaded:.0?}, with the first state of the next journal {opened:.0?}"
    )?;
    let (orders, start) = (orders(), server.now());
    let (begin, mut is_quiet) = (Instant::now(), false);
    for tick in 1_u32.. {
        let next = NetworkTime::of_tick(tick.into(), RATE).time;
        std::thread::sleep(next.saturating_sub(begin.elapsed()));
        let now = start + begin.elapsed();
        host.receive(&mut server, now);
        while let Some(event) = server.poll_event() {
            if let ServerEvent::Ready { connection } = event {
                welcome::<B>(&mut server, connection)?;
            }
        }
        if !is_quiet {
            play::<B>(&mut server)?;
        }
        server.update(now);
        journal.update(&mut server)?;
        host.transmit(&mut server, now);
        if tick == 1 {
            writeln!(output, "tick")?;
        }
        match orders.try_recv().as_deref() {
            Ok("quiet") => is_quiet = true,
            Ok("report") => report::<B>(&server, &mut output)?,
            _ => {}
        }
    }
    Ok(())
}

fn listen(
    directory: &Path,
    port: u16,
    clients: usize,
) -> Result<Host<NetworkServer>, Box<dyn Error>> {
    let read = |name: &str| std::fs::read(directory.join(name));
    let identity = Identity::from_pem(&read("certificate.pem")?, &read("key.pem")?)?;
    // All clients have the address of this machine, and return at once.
    let mut host = Host::new(TransportOptions {
        max_connections: 2 * clients + 16,
        max_connections_per_address: 2 * clients + 16,
        max_accepts_per_second: 20_000,
        ..TransportOptions::default()
    });
    host.listen(SocketAddr::from(([127, 0, 0, 1], port)), WebPort::new())?;
    let addr = host.local_addrs()?[0];
    host.listen(addr, QuicPort::new(&identity))?;
    Ok(host)
}

/// Returns the lines of the input.
fn orders() -> Receiver<String> {
    let (sender, orders) = channel();
    std::thread::spawn(move || {
        let lines = std::io::stdin().lock().lines();
        for line in lines.map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    orders
}

fn spawn<B: Build>(
    server: &mut NetworkServer,
    net_id: NetId,
    owner: Option<ConnectionId>,
) -> Result<(), Box<dyn Error>> {
    let options = SpawnOptions {
        net_id: Some(net_id),
        owner,
        ..SpawnOptions::default()
    };
    let mut unit = B::Unit::default();
    B::name(&mut unit, &format!("object {net_id}"));
    if net_id.0 < SPARKS {
        let options = SpawnOptions {
            prefab: Some(UNIT.into()),
            ..options
        };
        server.try_spawn((unit, B::Place::default()), options)?;
    } else {
        let options = SpawnOptions {
            prefab: Some(SPARK.into()),
            ..options
        };
        server.try_spawn(unit, options)?;
    }
    Ok(())
}

/// Gives a client its pawn, unless it has returned to it.
fn welcome<B: Build>(
    server: &mut NetworkServer,
    connection: ConnectionId,
) -> Result<(), Box<dyn Error>> {
    let pawn = NetId(UNITS + connection.0);
    if server.identity(pawn).is_none() {
        spawn::<B>(server, pawn, Some(connection))?;
        place(server, connection)?;
    }
    Ok(())
}

/// Returns the group of a pawn, whose members see it. `None` for everybody's objects.
fn group(id: NetId) -> Option<Tag> {
    let is_pawn = (UNITS + 1..SPARKS).contains(&id.0);
    is_pawn.then(|| Tag(((id.0 - UNITS) / GROUP).into()))
}

/// Places a client and its pawn in the interest management, whose state is in no save.
fn place(server: &mut NetworkServer, connection: ConnectionId) -> Result<(), Box<dyn Error>> {
    let pawn = NetId(UNITS + connection.0);
    let tag = group(pawn).ok_or("a group")?;
    let tags: &mut GroupTags = server.interest_mut()?;
    tags.tag(pawn, Some(tag))?;
    tags.join(connection, tag)?;
    Ok(())
}

/// Changes units, and lets sparks come and go. The first unit is the clock.
fn play<B: Build>(server: &mut NetworkServer) -> Result<(), Box<dyn Error>> {
    let clock = server
        .get::<B::Unit>(NetId(1))
        .map(B::count)
        .ok_or("the clock")?;
    let tick = u32::try_from(clock)?;
    let changed = (0..CHANGES).map(|number| 2 + (tick * CHANGES + number) % (UNITS - 1));
    for id in [1].into_iter().chain(changed).map(NetId) {
        let mut unit = server.get_mut::<B::Unit>(id)?;
        B::advance(&mut unit);
        let count = B::count(&unit);
        drop(unit);
        B::set_place(&mut *server.get_mut::<B::Place>(id)?, count);
    }
    spawn::<B>(server, NetId(SPARKS + tick), None)?;
    if tick >= LIFE {
        server.despawn(NetId(SPARKS + tick - LIFE))?;
    }
    Ok(())
}

/// Prints all objects.
fn report<B: Build>(server: &NetworkServer, output: &mut impl Write) -> Result<(), Box<dyn Error>> {
    for identity in server.identities() {
        let id = identity.net_id();
        let unit = identity.behaviour::<B::Unit>().ok_or("a unit")?;
        let (public, private) = B::shown(unit);
        let place = identity.behaviour::<B::Place>().map_or(0, B::place);
        let owner = server.owner(id).map_or(0, |owner| owner.0);
        let group = group(id).map_or(-1, |Tag(group)| group.cast_signed());
        writeln!(
            output,
            "object {} {owner} {group} {place} {public} {private}",
            id.0
        )?;
    }
    writeln!(output, "end")?;
    Ok(())
}
