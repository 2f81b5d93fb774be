//! A relay that loses datagrams.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use syncvar::testing::Random;
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// Misfortunes of datagrams, in percent.
#[derive(Debug, Default)]
pub(crate) struct Loss {
    pub(crate) lost: AtomicU32,
    pub(crate) twice: AtomicU32,
    /// Datagrams that arrive 30 ms later than the others.
    pub(crate) late: AtomicU32,
    /// Number of lost datagrams with a packet of an unreliable channel.
    lost_packets: AtomicU32,
}

/// Socket between clients and a server that loses, repeats and reorders datagrams in both directions.
pub(crate) struct Relay {
    pub(crate) addr: SocketAddr,
    pub(crate) loss: Arc<Loss>,
    task: JoinHandle<()>,
}

impl Relay {
    /// Starts a relay with these misfortunes: lost, repeated and late datagrams.
    pub(crate) async fn start(server: SocketAddr, percent: [u32; 3]) -> Self {
        let front = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
        let addr = front.local_addr().unwrap();
        let loss = Arc::new(Loss {
            lost: percent[0].into(),
            twice: percent[1].into(),
            late: percent[2].into(),
            lost_packets: 0.into(),
        });
        let task = tokio::spawn(relay(front, server, Arc::clone(&loss)));
        Self { addr, loss, task }
    }

    /// Returns the number of lost datagrams with a packet of an unreliable channel.
    pub(crate) fn lost_packets(&self) -> u32 {
        self.loss.lost_packets.load(Ordering::Relaxed)
    }

    pub(crate) fn set_lost(&self, percent: u32) {
        self.loss.lost.store(percent, Ordering::Relaxed);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn relay(front: Arc<UdpSocket>, server: SocketAddr, loss: Arc<Loss>) {
    let random = Arc::new(Mutex::new(Random::new(42)));
    let mut backs: HashMap<SocketAddr, Arc<UdpSocket>> = HashMap::new();
    let mut buffer = [0; 2048];
    loop {
        let Ok((length, client)) = front.recv_from(&mut buffer).await else {
            continue;
        };
        let back = match backs.get(&client) {
            Some(back) => Arc::clone(back),
            None => {
                let back = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
                back.connect(server).await.unwrap();
                backs.insert(client, Arc::clone(&back));
                let (front, back) = (Arc::clone(&front), Arc::clone(&back));
                let (loss, random) = (Arc::clone(&loss), Arc::clone(&random));
                tokio::spawn(async move {
                    let mut buffer = [0; 2048];
                    loop {
                        // An error reports the closed port of a server that is away.
                        if let Ok(length) = back.recv(&mut buffer).await {
                            let datagram = &buffer[..length];
                            forward(&front, Some(client), datagram, (&loss, &random));
                        }
                    }
                });
                Arc::clone(&backs[&client])
            }
        };
        forward(&back, None, &buffer[..length], (&loss, &random));
    }
}

/// Sends a datagram on, as the misfortunes allow.
fn forward(
    socket: &Arc<UdpSocket>,
    to: Option<SocketAddr>,
    datagram: &[u8],
    (loss, random): (&Loss, &Mutex<Random>),
) {
    let mut random = random.lock().unwrap();
    let mut hits = |percent: &AtomicU32| random.chance(percent.load(Ordering::Relaxed) * 10);
    if hits(&loss.lost) {
        let is_packet = u32::from(datagram.first() == Some(&0xa3));
        loss.lost_packets.fetch_add(is_packet, Ordering::Relaxed);
        return;
    }
    let copies = 1 + u32::from(hits(&loss.twice));
    for _ in 0..copies {
        let (socket, datagram) = (Arc::clone(socket), datagram.to_vec());
        let delay = Duration::from_millis(if hits(&loss.late) { 30 } else { 0 });
        tokio::spawn(async move {
            sleep(delay).await;
            let _ = match to {
                Some(to) => socket.send_to(&datagram, to).await,
                None => socket.send(&datagram).await,
            };
        });
    }
}
