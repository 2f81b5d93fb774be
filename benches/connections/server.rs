//! Role of the server.

use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use syncvar::interest::{Everyone, GroupTags, Tag};
use syncvar::prelude::*;
use syncvar::quic::QuicPort;
use syncvar::tcp::TcpOptions;
use syncvar::tls::Identity;
use syncvar::transport::Host;
use syncvar::websocket::WebPort;
use syncvar::{ServerConfig, ServerEvent};
use tokio::runtime::Runtime;

use crate::world::{CHANGES, GROUPS, OBJECTS, TICK_RATE, Unit, micros, prefabs};
use crate::{Outcome, Transport};

/// Ticks since the last report.
#[derive(Debug, Default)]
struct Ticks {
    /// Times on the game thread, from the first read to the last write.
    times: Vec<Duration>,
    /// Ticks that began more than a tick late.
    late: u32,
}

/// Prints the address, and runs until the input is closed. Each line of the input asks for a report.
pub(crate) fn serve(transport: Transport, runtime: &Runtime) -> Outcome {
    let mut server = world();
    let most = 20_000;
    let options = TcpOptions {
        max_connections: most,
        max_connections_per_address: most,
        max_accepts_per_second: 2000,
        // The bots of this machine stand still while all of them join.
        idle_timeout: Duration::from_mins(5),
        handshake_timeout: Duration::from_mins(1),
        ..TcpOptions::default()
    };
    let mut host = Host::new(options);
    // The sockets have the threads of this runtime.
    let context = runtime.enter();
    match transport {
        Transport::Tcp => host.listen_tcp("127.0.0.1:0")?,
        Transport::WebSocket => host.listen("127.0.0.1:0", WebPort::new())?,
        Transport::Quic => {
            let identity = Identity::generated(&["localhost"])?;
            host.listen("127.0.0.1:0", QuicPort::new(&identity))?;
        }
    }
    drop(context);
    say(&host.local_addrs()?[0].to_string())?;
    run(&mut server, &mut host, &lines())?;
    host.shut_down_blocking(&mut server);
    Ok(())
}

/// Returns a server with all objects, in groups.
fn world() -> NetworkServer {
    let config = ServerConfig {
        tick_rate: TICK_RATE,
        ..ServerConfig::default()
    };
    let tags = GroupTags::new(Everyone);
    let mut server = NetworkServer::with_interest(prefabs(), config, tags);
    for number in 0..OBJECTS {
        let id = server.spawn(Unit::default());
        let tag = Tag(u64::from(number % GROUPS));
        let tagged = server.interest_mut::<GroupTags<Everyone>>();
        let tagged = tagged.map(|tags| tags.tag(id, Some(tag)));
        assert!(matches!(tagged, Ok(Ok(()))), "a new object");
    }
    server
}

fn run(server: &mut NetworkServer, host: &mut Host<NetworkServer>, asks: &Receiver<()>) -> Outcome {
    let tick = Duration::from_secs(1) / TICK_RATE;
    let started = Instant::now();
    let (mut due, mut next, mut ticks) = (Duration::ZERO, 0, Ticks::default());
    loop {
        let now = started.elapsed();
        std::thread::sleep(due.saturating_sub(now));
        if now > due + tick {
            ticks.late += 1;
            due = now;
        }
        let begun = Instant::now();
        host.receive(server, due);
        game(server, &mut next);
        server.update(due);
        host.transmit(server, due);
        ticks.times.push(begun.elapsed());
        due += tick;
        match asks.try_recv() {
            Ok(()) => std::mem::take(&mut ticks).report(server)?,
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => return Ok(()),
        }
    }
}

/// Lets new connections see their group, and changes the objects of a tick.
fn game(server: &mut NetworkServer, next: &mut u32) {
    while let Some(event) = server.poll_event() {
        if let ServerEvent::Connected { connection } = event
            && let Ok(tags) = server.interest_mut::<GroupTags<Everyone>>()
        {
            let group = Tag(u64::from(connection.0 % GROUPS));
            // One that has left again has no group.
            let _ = tags.join(connection, group);
        }
    }
    for _ in 0..CHANGES {
        *next = *next % OBJECTS + 1;
        if let Ok(mut unit) = server.get_mut::<Unit>(NetId(*next)) {
            unit.stamp.set(micros());
        }
    }
}

impl Ticks {
    /// Prints the number of ticks, the median and greatest time in microseconds, the late ticks and the connections.
    fn report(mut self, server: &NetworkServer) -> std::io::Result<()> {
        self.times.sort_unstable();
        let micros = |time: Option<&Duration>| time.map_or(0, Duration::as_micros);
        let (count, middle) = (self.times.len(), self.times.get(self.times.len() / 2));
        say(&format!(
            "{count} {} {} {} {}",
            micros(middle),
            micros(self.times.last()),
            self.late,
            server.connections().count(),
        ))
    }
}

/// Returns the lines of the input.
fn lines() -> Receiver<()> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for _ in std::io::stdin().lock().lines() {
            if sender.send(()).is_err() {
                return;
            }
        }
    });
    receiver
}

pub(crate) fn say(line: &str) -> std::io::Result<()> {
    println!("{line}");
    std::io::stdout().flush()
}
