//! A game with pages: HTTP, WebSocket and WebTransport on one port, beside native clients by TCP.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use ring::rand::{SecureRandom, SystemRandom};
use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::quic::QuicPort;
use syncvar::tcp::TransportOptions;
use syncvar::tls::Identity;
use syncvar::transport::Host;
use syncvar::websocket::WebPort;

/// Time in which a page without a connection may return to its objects: a sleeping tab loses its own.
const GRACE: Duration = Duration::from_mins(2);

/// Modules of all pages.
const SHARED: [(&str, &str); 5] = [
    ("/canvas.js", include_str!("web/canvas.js")),
    ("/panels.js", include_str!("web/panels.js")),
    (
        "/syncvar.js",
        include_str!("../../clients/typescript/syncvar.js"),
    ),
    (
        "/prediction.js",
        include_str!("../../clients/typescript/prediction.js"),
    ),
    (
        "/track.js",
        include_str!("../../clients/typescript/track.js"),
    ),
];

/// Description of all objects as JSON, for a comparison with those of a page: `/state.json`.
#[derive(Clone, Default)]
pub(crate) struct State(Arc<Mutex<Bytes>>);

impl State {
    pub(crate) fn set(&self, json: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = json.into();
    }

    fn get(&self) -> Bytes {
        let state = self.0.lock();
        state.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Returns the address of the program's arguments, or one of this machine.
pub(crate) fn address() -> String {
    let argument = std::env::args().nth(1);
    argument.unwrap_or_else(|| "127.0.0.1:7777".into())
}

/// Returns the configuration of a server whose clients may return after a lost link.
pub(crate) fn config() -> ServerConfig {
    ServerConfig {
        incarnation: u64::from_le_bytes(random()),
        reconnect_grace: GRACE,
        session_tokens: Some(random),
        ..ServerConfig::default()
    }
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SystemRandom::new()
        .fill(&mut bytes)
        .expect("the system has random numbers");
    bytes
}

/// Listens by TCP with the pages, the one at `/` and its scripts, and by UDP on the port of the same number.
pub(crate) fn listen(
    pages: &[(&'static str, &'static str)],
    state: &State,
) -> io::Result<(Host<NetworkServer>, SocketAddr)> {
    let identity = Identity::generated(&["localhost", "127.0.0.1"])?;
    let (hashes, state) = (identity.clone(), state.clone());
    let all = pages.iter().chain(&SHARED);
    let port = all.fold(WebPort::new(), |port, (path, text)| {
        let kind = if *path == "/" { "html" } else { "javascript" };
        port.page(path, &format!("text/{kind}; charset=utf-8"), *text)
    });
    let port = port
        .answer("/cert-hashes", "application/json", move || {
            hashes.hashes_json().into()
        })
        .answer("/state.json", "application/json", move || state.get());
    let mut host = Host::new(TransportOptions::default());
    host.listen(address(), port)?;
    let addr = host.local_addrs()?[0];
    host.listen(addr, QuicPort::new(&identity))?;
    Ok((host, addr))
}
