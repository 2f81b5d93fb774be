//! Role of the attackers.

mod carrier;
mod datagram;
mod stream;
mod udp;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{interval, sleep};

use crate::Outcome;
use crate::process::input_closed;
use carrier::Carrier;
use stream::Stream;

/// Time before an attacker connects again.
const PAUSE: Duration = Duration::from_millis(10);

/// Attack with its transport.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attack {
    /// Carrier of the kinds that need a stream.
    carrier: Carrier,
    kind: Kind,
}

/// Behaviour of an attacker.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Is accepted, and sends valid messages at full speed.
    Flood,
    /// Sends random bytes at full speed.
    Garbage,
    /// Is accepted, sends half a frame, and is silent. All have one address.
    Idle,
    /// Sends no byte. All have one address.
    Mute,
    /// Sends a byte per second.
    Slowloris,
    /// Is accepted, and never reads.
    Stalled,
    /// Connects, joins and leaves: the number of connections per second.
    Churn,
    /// By KCP.
    Kcp(datagram::Kind),
    /// By UDP.
    Udp(udp::Kind),
}

impl std::str::FromStr for Attack {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let (carrier, kind) = match name.split_once('-') {
            Some(("websocket", kind)) => (Carrier::WebSocket, kind),
            Some(("quic", kind)) => (Carrier::Quic, kind),
            _ => (Carrier::Tcp, name),
        };
        let kind = kind.parse()?;
        Ok(Self { carrier, kind })
    }
}

impl std::str::FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Ok(match name {
            "flood" => Self::Flood,
            "garbage" => Self::Garbage,
            "idle" => Self::Idle,
            "mute" => Self::Mute,
            "slowloris" => Self::Slowloris,
            "stalled" => Self::Stalled,
            "churn" => Self::Churn,
            "kcp-flood" => Self::Kcp(datagram::Kind::Flood),
            "kcp-early" => Self::Kcp(datagram::Kind::Early),
            "kcp-places" => Self::Kcp(datagram::Kind::Places),
            "kcp-silent" => Self::Kcp(datagram::Kind::Silent),
            "kcp-hello" => Self::Kcp(datagram::Kind::Hello),
            "kcp-garbage" => Self::Kcp(datagram::Kind::Garbage),
            "udp-flood" => Self::Udp(udp::Kind::Flood),
            "udp-datagrams" => Self::Udp(udp::Kind::Datagrams),
            "udp-places" => Self::Udp(udp::Kind::Places),
            "udp-silent" => Self::Udp(udp::Kind::Silent),
            "udp-hello" => Self::Udp(udp::Kind::Hello),
            "udp-guesses" => Self::Udp(udp::Kind::Guesses),
            _ => return Err(format!("no attack {name:?}")),
        })
    }
}

/// Counters of all attackers.
static CONNECTED: AtomicU64 = AtomicU64::new(0);
static ENDED: AtomicU64 = AtomicU64::new(0);
static SENT: AtomicU64 = AtomicU64::new(0);

/// Attacks until the input is closed, and prints the counters.
pub(crate) async fn run(attack: Attack, count: u32, server: SocketAddr) -> Outcome {
    let attackers = async {
        match attack.kind {
            Kind::Churn => churn(attack.carrier, count, server).await,
            _ => persist(attack, count, server).await,
        }
    };
    tokio::select! {
        () = input_closed() => {}
        () = attackers => {}
    }
    println!(
        "attackers: {} connections, {} ended, {} MB sent",
        CONNECTED.load(Ordering::Relaxed),
        ENDED.load(Ordering::Relaxed),
        SENT.load(Ordering::Relaxed) / 1_000_000,
    );
    Ok(())
}

/// Returns the source address of an attacker: loopback has 2^24.
fn source(kind: Kind, number: u32) -> Ipv4Addr {
    let number = match kind {
        Kind::Idle
        | Kind::Mute
        | Kind::Kcp(datagram::Kind::Places)
        | Kind::Udp(udp::Kind::Places) => 0,
        _ => number % 60_000,
    };
    let [.., high, low] = (number + 2).to_be_bytes();
    Ipv4Addr::new(127, 1, high, low)
}

/// Runs a number of attackers that connect again whenever they are cut.
async fn persist(kind: Attack, count: u32, server: SocketAddr) {
    let mut attackers = JoinSet::new();
    for number in 0..count {
        attackers.spawn(async move {
            loop {
                // An error is the end of the connection.
                let _ = Box::pin(attack(kind, number, server)).await;
                ENDED.fetch_add(1, Ordering::Relaxed);
                sleep(PAUSE).await;
            }
        });
    }
    std::future::pending::<()>().await;
}

/// Starts a number of short connections per second.
async fn churn(carrier: Carrier, rate: u32, server: SocketAddr) {
    let kind = Kind::Churn;
    let mut starts = interval(Duration::from_secs(1) / rate.max(1));
    let mut attackers = JoinSet::new();
    for number in 0.. {
        starts.tick().await;
        attackers.spawn(async move {
            let _ = Box::pin(attack(Attack { carrier, kind }, number, server)).await;
            ENDED.fetch_add(1, Ordering::Relaxed);
        });
        while attackers.try_join_next().is_some() {}
    }
}

/// Attacks with one connection until it ends.
async fn attack(attack: Attack, number: u32, server: SocketAddr) -> std::io::Result<()> {
    let Attack { carrier, kind } = attack;
    let from: SocketAddr = (source(kind, number), 0).into();
    match kind {
        Kind::Kcp(kind) => return datagram::attack(kind, from, server).await,
        Kind::Udp(kind) => return udp::attack(kind, from, server).await,
        _ => {}
    }
    let mut stream = Stream::connect(carrier, source(kind, number), server).await?;
    CONNECTED.fetch_add(1, Ordering::Relaxed);
    match kind {
        Kind::Flood => {
            stream.join().await?;
            let messages = stream.valid_messages();
            stream.repeat(&messages).await
        }
        Kind::Garbage => stream.repeat(&stream::garbage(number)).await,
        Kind::Idle => {
            stream.handshake().await?;
            stream.send(&[0, 0, 0]).await?;
            stream.drain().await
        }
        Kind::Mute => stream.drain().await,
        Kind::Slowloris => loop {
            stream.send(&[0]).await?;
            sleep(Duration::from_secs(1)).await;
        },
        Kind::Stalled => {
            stream.join().await?;
            std::future::pending().await
        }
        Kind::Churn => {
            stream.join().await?;
            Box::pin(stream.read_some()).await
        }
        Kind::Kcp(_) | Kind::Udp(_) => Ok(()),
    }
}

/// Counts sent bytes.
fn sent(bytes: usize) {
    SENT.fetch_add(u64::try_from(bytes).unwrap_or(0), Ordering::Relaxed);
}
