//! Many clients over restarts of a server with a journal, whose process is killed.
//!
//! ```text
//! ulimit -n 20000
//! cargo run --release -p syncvar-log --example restart -- [CLIENTS] [DATAGRAMS] [KILLS] [builds]
//! ```
//!
//! 1 000 clients, 100 of them by QUIC and the rest by TCP and WebSocket in turn, play with a server in a second process: units change in each tick on
//! a reliable and an unreliable channel, sparks come and go, clients write fields of their pawns, also while they are away. The
//! process is killed at a random moment (SIGKILL), and the next process recovers from the journal. With `builds` the processes are
//! of two builds in turn, and so are the clients.
//!
//! Of each client the program demands: no unit is despawned, no hook runs for a value that the client has had, all
//! objects equal those of the server, and the server has the client's last writes. It prints the times from the kill to the next tick of the server and of
//! the clients.

mod clients;
mod process;
mod serve;
mod world;

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use rcgen::{CertificateParams, KeyPair};
use syncvar::testing::Random;

use clients::Clients;
use process::Process;

/// Longest time until all clients are where they should be.
const PATIENCE: Duration = Duration::from_secs(90);

/// Runs the clients until each has a tick of the next process. Returns the time until the first tick of the process.
fn await_ticks(
    clients: &mut Clients,
    process: &mut Process,
    killed: Instant,
) -> Result<Duration, Box<dyn Error>> {
    let mut ticked = None;
    clients.run_until(PATIENCE, "all clients have a tick", |clients| {
        ticked = ticked.or_else(|| process.has_ticked().then(|| killed.elapsed()));
        clients.have_ticked(killed)
    })?;
    Ok(ticked.ok_or("a tick of the server")?)
}

/// Writes the certificate and the key of the server.
fn write_identity(directory: &Path) -> Result<(), Box<dyn Error>> {
    let key = KeyPair::generate()?;
    let certificate = CertificateParams::new(["localhost".to_owned()])?.self_signed(&key)?;
    std::fs::write(directory.join("certificate.pem"), certificate.pem())?;
    std::fs::write(directory.join("key.pem"), key.serialize_pem())?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, rest @ ..] = &arguments[..]
        && role == "serve"
    {
        return serve::run(rest);
    }
    let number = |index: usize, default: usize| {
        let argument = arguments.get(index);
        argument.map_or(Ok(default), |it| it.parse::<usize>())
    };
    let (count, datagrams, kills) = (number(0, 1_000)?, number(1, 100)?, number(2, 3)?);
    let builds = if arguments.get(3).is_some_and(|it| it == "builds") {
        2
    } else {
        1
    };
    let directory = std::env::temp_dir().join(format!("syncvar-restart-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    write_identity(&directory)?;

    let mut process = Process::start(&directory, 0, 0, count)?;
    let mut clients = Clients::connect(process.port, count, datagrams, builds)?;
    clients.run_until(PATIENCE, "all clients are ready", Clients::are_ready)?;
    let mut random = Random::new(11);
    for kill in 1..=kills {
        clients.run_for(Duration::from_millis(u64::from(
            1_000 + random.below(1_500),
        )))?;
        clients.begin_restart();
        let killed = Instant::now();
        process.kill()?;
        process = Process::start(&directory, process.port, kill % builds, count)?;
        let ticked = await_ticks(&mut clients, &mut process, killed)?;
        println!("kill {kill}: next tick of the server after {ticked:.0?}, of the clients after");
        for line in clients.times().into_iter().chain(process.notes()) {
            println!("    {line}");
        }
        clients.run_for(Duration::from_secs(2))?;
    }
    // No further changes: the packets on their way arrive.
    clients.is_quiet = true;
    process.tell("quiet")?;
    clients.run_for(Duration::from_secs(1))?;
    let report = process.report(|| clients.run_for(Duration::from_millis(20)))?;
    clients.run_until(PATIENCE, "all replicas are equal", |clients| {
        clients.equal(&report)
    })?;
    clients.check()?;
    process.kill()?;
    std::fs::remove_dir_all(&directory)?;
    println!(
        "{count} clients, {datagrams} of them by QUIC, {kills} kills: {} returns, 0 despawns, {} hooks, none of them \
         repeated, and equal replicas",
        clients.returns(),
        clients.hooks(),
    );
    Ok(())
}
