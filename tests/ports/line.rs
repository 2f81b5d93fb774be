//! `Line`: a relay between a client and a server that can be cut without a word.

use std::io;
use std::net::SocketAddr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::way::Way;

/// Relay of one client.
pub(crate) struct Line {
    pub(crate) addr: SocketAddr,
    cut: oneshot::Sender<()>,
    relay: JoinHandle<io::Result<Ends>>,
}

/// Sockets of a line, to the client and to the server.
pub(crate) type Ends = Box<dyn Send>;

impl Line {
    /// Makes a line to a server.
    pub(crate) async fn to(way: Way, server: SocketAddr) -> Self {
        let (cut, is_cut) = oneshot::channel();
        let anywhere = "127.0.0.1:0";
        let (addr, relay) = if way.is_stream() {
            let listener = TcpListener::bind(anywhere).await.unwrap();
            let addr = listener.local_addr().unwrap();
            (addr, tokio::spawn(relay_stream(listener, server, is_cut)))
        } else {
            let near = UdpSocket::bind(anywhere).await.unwrap();
            let addr = near.local_addr().unwrap();
            (addr, tokio::spawn(relay_datagrams(near, server, is_cut)))
        };
        Self { addr, cut, relay }
    }

    /// Loses all packets of both ends from now on, and returns the sockets. `None`: the system cannot.
    pub(crate) async fn cut(self) -> Option<Ends> {
        self.cut.send(()).unwrap();
        match self.relay.await.unwrap() {
            Ok(ends) => Some(ends),
            Err(error) => {
                println!("skipped: no socket filter ({error})");
                None
            }
        }
    }
}

/// Drops each packet for a socket before the system acknowledges it.
#[cfg(target_os = "linux")]
fn lose_input(stream: &TcpStream) -> io::Result<()> {
    // `return 0`: no byte of a packet passes.
    let drop_all = [socket2::SockFilter::new(6, 0, 0, 0)];
    socket2::SockRef::from(stream).attach_filter(&drop_all)
}

#[cfg(not(target_os = "linux"))]
fn lose_input(_: &TcpStream) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

async fn relay_stream(
    listener: TcpListener,
    server: SocketAddr,
    cut: oneshot::Receiver<()>,
) -> io::Result<Ends> {
    let (mut near, _) = listener.accept().await.unwrap();
    let mut far = TcpStream::connect(server).await.unwrap();
    tokio::select! {
        copied = copy_bidirectional(&mut near, &mut far) => panic!("over before the cut: {copied:?}"),
        _ = cut => {}
    }
    lose_input(&near)?;
    lose_input(&far)?;
    Ok(Box::new((near, far)))
}

async fn relay_datagrams(
    near: UdpSocket,
    server: SocketAddr,
    mut cut: oneshot::Receiver<()>,
) -> io::Result<Ends> {
    let far = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    far.connect(server).await.unwrap();
    let (mut up, mut down) = ([0; 2048], [0; 2048]);
    let mut client = None;
    loop {
        tokio::select! {
            received = near.recv_from(&mut up) => {
                let (length, from) = received.unwrap();
                client = Some(from);
                far.send(&up[..length]).await.unwrap();
            }
            received = far.recv(&mut down) => {
                let length = received.unwrap();
                if let Some(client) = client {
                    near.send_to(&down[..length], client).await.unwrap();
                }
            }
            _ = &mut cut => break,
        }
    }
    Ok(Box::new((near, far)))
}
