//! A continent of two zones with a gateway, a relay and 200 walking bots, each a process of this machine, and a page.
//!
//! ```sh
//! cargo run --release -p syncvar-fleet --example continent          # prints the URLs of the page
//! cargo run --release -p syncvar-fleet --example continent -- 300   # with this number of bots
//! ```
//!
//! The page shows the zones by colour and counts the handovers. Its buttons kill the process of a zone: the next process goes on from the
//! journal, and no walker disappears.

mod bots;
mod gateway;
mod relay;
mod world;
mod zone;

use std::error::Error;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Zones with a region, and the process that only votes.
const PROCESSES: u32 = 3;

fn main() -> Fallible<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match &arguments[..] {
        ["zone", number, directory, own, others @ ..] => {
            let directory = Path::new(directory);
            end_with_parent(Some(directory));
            zone::run(number.parse()?, directory, own, others)
        }
        ["gateway", players, relays, zones @ ..] => {
            end_with_parent(None);
            gateway::run(players, relays, zones)
        }
        ["relay", spectators, source, origin] => {
            end_with_parent(None);
            relay::run(spectators, source, origin)
        }
        ["bots", gateway, count] => {
            end_with_parent(None);
            bots::run(gateway, count.parse()?)
        }
        [] => play(200),
        [count] => play(count.parse()?),
        _ => Err("usage: continent [BOTS]".into()),
    }
}

/// Ends this process when its parent ends: its input closes. Removes a directory then.
fn end_with_parent(directory: Option<&Path>) {
    let directory = directory.map(Path::to_owned);
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        if let Some(directory) = directory {
            let _ = std::fs::remove_dir_all(directory);
        }
        std::process::exit(0);
    });
}

/// Starts all processes, and gives each killed zone its next process.
fn play(bots: usize) -> Fallible<()> {
    let name = format!("continent-{}", std::process::id());
    let directory = std::env::temp_dir();
    let addresses = (0..PROCESSES).map(|_| free_address());
    let addresses = addresses.collect::<Fallible<Vec<_>>>()?;
    let start = |number: u32| -> Fallible<ChildProcess> {
        let folder = directory.join(format!("{name}-{number}"));
        let (number_text, folder) = (number.to_string(), folder.display().to_string());
        // A process dials the processes before it, and listens for the ones behind it.
        let own = number as usize - 1;
        let mut arguments = vec!["zone", &number_text, &folder, &addresses[own]];
        arguments.extend(addresses[..own].iter().map(String::as_str));
        ChildProcess::start(&arguments)
    };
    let mut zones = (1..=PROCESSES).map(start).collect::<Fallible<Vec<_>>>()?;
    let [players, relays, spectators] = [free_address()?, free_address()?, free_address()?];
    let mut arguments = vec!["gateway", &players, &relays];
    arguments.extend(addresses.iter().map(String::as_str));
    let mut gateway = ChildProcess::start(&arguments)?;
    let kills = gateway.lines()?;
    let origin = format!("http://{players}");
    let _relay = ChildProcess::start(&["relay", &spectators, &relays, &origin])?;
    let _bots = ChildProcess::start(&["bots", &players, &bots.to_string()])?;
    println!("players:    {origin}/");
    println!("spectators: {origin}/?server={spectators}");
    for line in kills {
        let number: u32 = line.parse()?;
        if (1..PROCESSES).contains(&number) {
            println!("zone {number} is killed");
            // The former process ends with its value.
            zones.remove(number as usize - 1);
            zones.insert(number as usize - 1, start(number)?);
        }
    }
    Err("the gateway has ended".into())
}

/// A child, which ends with its value.
struct ChildProcess(Child);

impl ChildProcess {
    fn start(arguments: &[&str]) -> Fallible<Self> {
        let child = Command::new(std::env::current_exe()?)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        Ok(Self(child))
    }

    /// Returns the lines of its output, as they come.
    fn lines(&mut self) -> Fallible<Receiver<String>> {
        let output: ChildStdout = self.0.stdout.take().ok_or("an output")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(lines)
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_address() -> Fallible<String> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    Ok(listener.local_addr()?.to_string())
}
