//! The scenarios, one after another.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use tokio::task::LocalSet;
use tokio::time::{Instant, sleep};

use crate::healthy::{Player, Samples};
use crate::packets;
use crate::process::Role;
use crate::table::{HEADER, Row};
use crate::{Outcome, Transport};

/// Number of healthy clients.
const CLIENTS: u32 = 5;

/// Time in which a healthy client must have all objects.
const JOIN: Duration = Duration::from_secs(6);

/// Name of a scenario, kind and number of its attackers, and the time until they have an effect.
struct Scenario(&'static str, &'static str, u32, u64);

const SCENARIOS: &[Scenario] = &[
    Scenario("no attack", "mute", 0, 1),
    Scenario("flood 1", "flood", 1, 2),
    Scenario("flood 20", "flood", 20, 2),
    Scenario("flood 200", "flood", 200, 3),
    Scenario("garbage 20", "garbage", 20, 2),
    Scenario("idle 1100, one address", "idle", 1100, 4),
    Scenario("mute 1100, one address", "mute", 1100, 4),
    Scenario("slowloris 300", "slowloris", 300, 3),
    Scenario("stalled 20", "stalled", 20, 2),
    Scenario("churn 200/s", "churn", 200, 2),
    Scenario("WebSocket, no attack", "websocket-mute", 0, 1),
    Scenario("WebSocket, flood 20", "websocket-flood", 20, 2),
    Scenario("WebSocket, flood 200", "websocket-flood", 200, 3),
    Scenario("WebSocket, garbage 20", "websocket-garbage", 20, 2),
    Scenario(
        "WebSocket, idle 1100, one address",
        "websocket-idle",
        1100,
        4,
    ),
    Scenario(
        "WebSocket, mute 1100, one address",
        "websocket-mute",
        1100,
        4,
    ),
    Scenario("WebSocket, slowloris 300", "websocket-slowloris", 300, 3),
    Scenario("WebSocket, stalled 20", "websocket-stalled", 20, 2),
    Scenario("WebSocket, churn 200/s", "websocket-churn", 200, 2),
    Scenario("QUIC, no attack", "quic-mute", 0, 1),
    Scenario("QUIC, flood 20", "quic-flood", 20, 2),
    Scenario("QUIC, flood 200", "quic-flood", 200, 3),
    Scenario("QUIC, garbage 20", "quic-garbage", 20, 2),
    Scenario("QUIC, idle 1100, one address", "quic-idle", 1100, 4),
    Scenario("QUIC, mute 1100, one address", "quic-mute", 1100, 4),
    Scenario("QUIC, slowloris 300", "quic-slowloris", 300, 3),
    Scenario("QUIC, stalled 20", "quic-stalled", 20, 2),
    Scenario("QUIC, churn 200/s", "quic-churn", 200, 2),
    Scenario("KCP, no attack", "kcp-silent", 0, 1),
    Scenario("KCP, commands 20", "kcp-flood", 20, 2),
    Scenario("KCP, commands 200", "kcp-flood", 200, 3),
    Scenario("KCP, early segments 200", "kcp-early", 200, 4),
    Scenario("KCP, places 1100, one address", "kcp-places", 1100, 4),
    Scenario("KCP, silent 1100", "kcp-silent", 1100, 4),
    Scenario("KCP, hello flood 200", "kcp-hello", 200, 2),
    Scenario("KCP, garbage 20", "kcp-garbage", 20, 2),
    Scenario("UDP, no attack", "udp-silent", 0, 1),
    Scenario("UDP, commands 20", "udp-flood", 20, 2),
    Scenario("UDP, commands 200", "udp-flood", 200, 3),
    Scenario("UDP, datagrams 200", "udp-datagrams", 200, 3),
    Scenario("UDP, places 1100, one address", "udp-places", 1100, 4),
    Scenario("UDP, silent 1100", "udp-silent", 1100, 4),
    Scenario("UDP, hello flood 200", "udp-hello", 200, 2),
    Scenario("UDP, guessed cookies 200", "udp-guesses", 200, 2),
];

/// Runs the scenarios that the arguments select, and prints the table.
pub(crate) async fn run(arguments: &[&str]) -> Outcome {
    let mut seconds = 10;
    let mut selected = Vec::new();
    let mut packets_only = false;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match *word {
            "--seconds" => seconds = words.next().unwrap_or(&"10").parse()?,
            "--list" => {
                for scenario in SCENARIOS {
                    println!("{}", scenario.0);
                }
                return Ok(());
            }
            "--packets" => packets_only = true,
            // Cargo passes `--bench`.
            option if option.starts_with("--") => {}
            name => selected.push(name),
        }
    }
    if packets_only {
        return Ok(packets::run(&selected)?);
    }
    println!("{HEADER}");
    for scenario in SCENARIOS {
        let wanted = selected.iter().any(|name| scenario.0.contains(name));
        if selected.is_empty() || wanted {
            let row = scenario.measure(Duration::from_secs(seconds)).await?;
            println!("{}", row.finish());
        }
    }
    Ok(())
}

impl Scenario {
    /// Runs a server, healthy clients and attackers.
    async fn measure(&self, time: Duration) -> Result<Row, Box<dyn std::error::Error>> {
        let Self(name, kind, count, ramp) = self;
        let (transport, word) = match kind.split_once('-') {
            Some(("kcp", _)) => (Transport::Kcp, "kcp"),
            Some(("udp", _)) => (Transport::Udp, "udp"),
            Some(("websocket", _)) => (Transport::WebSocket, "websocket"),
            Some(("quic", _)) => (Transport::Quic, "quic"),
            _ => (Transport::Tcp, "tcp"),
        };
        let mut server = Role::start(&["serve", word])?;
        let address: SocketAddr = server.line().await?.parse()?;
        let samples = Rc::new(RefCell::new(Samples::default()));
        let clients = LocalSet::new();
        for number in 0..CLIENTS {
            let client = clients.run_until(Player::join(transport, address, JOIN));
            let client = client.await.ok_or("a healthy client cannot join")?;
            clients.spawn_local(client.play(number, Rc::clone(&samples)));
        }
        let measured = clients.run_until(async {
            let count = count.to_string();
            let attack = Role::start(&["attack", kind, &count, &address.to_string()])?;
            sleep(Duration::from_secs(*ramp)).await;

            samples.take();
            let (started, before) = (Instant::now(), server.usage()?);
            let newcomer = Player::join(transport, address, JOIN).await;
            let newcomer = newcomer.map(|_client| started.elapsed());
            sleep(time.saturating_sub(started.elapsed())).await;
            let (elapsed, after) = (started.elapsed(), server.usage()?);
            let samples = samples.take();
            let attackers = attack.stop().await?;
            let newcomer = newcomer.map_or("newcomer kept out".into(), |time| {
                format!("newcomer joins in {} ms", time.as_millis())
            });
            Ok::<_, Box<dyn std::error::Error>>(Row {
                scenario: (*name).to_owned(),
                samples,
                clients: CLIENTS,
                time: elapsed,
                cpu: after.cpu.saturating_sub(before.cpu),
                peak: after.peak,
                note: format!("{newcomer}; {attackers}"),
            })
        });
        let row = measured.await?;
        drop(clients);
        server.stop().await?;
        Ok(row)
    }
}
