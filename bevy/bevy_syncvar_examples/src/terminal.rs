//! Roles of a program at a terminal.

use std::io::{self, BufRead};
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;
use std::{env, fs, thread};

use bevy_syncvar::prelude::*;
use syncvar::NetworkServer;
use syncvar::quic::QuicPort;
use syncvar::testing::Conditions;
use syncvar::tls::Identity;
use syncvar::transport::{Host, Peer, TransportOptions};
use syncvar::websocket::WebPort;

use crate::{Example, run};

pub(crate) fn main(example: &Example) -> io::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => {
            example.play();
        }
        ["server", addr, ref page @ ..] if page.len() <= 2 => {
            let host = listen(addr, page.first().map(Path::new))?;
            if let Some(delay) = page.get(1) {
                let delay = delay.parse().map_err(io::Error::other)?;
                host.conditions().set_both(Conditions {
                    delay: Duration::from_millis(delay),
                    ..Conditions::default()
                });
            }
            let mut plugin = ServerPlugin::new(host);
            plugin.is_host = example.is_host;
            run((example.server)(plugin), typed());
        }
        ["client", addr] => {
            let addr = addr.to_owned();
            let plugin = ClientPlugin::open(move |client| {
                Peer::tcp(addr, client, TransportOptions::default())
            });
            run((example.client)(plugin), typed());
        }
        _ => {
            let usage = "usage: [server ADDR [FOLDER OF A PAGE [DELAY IN ms]] | client ADDR]";
            return Err(io::Error::other(usage));
        }
    }
    Ok(())
}

/// Listens for terminals and browsers, with the files of a page.
fn listen(addr: &str, page: Option<&Path>) -> io::Result<Host<NetworkServer>> {
    let identity = Identity::generated(&["localhost", "127.0.0.1"])?;
    let hashes = identity.clone();
    let mut port = WebPort::new().answer("/cert-hashes", "application/json", move || {
        hashes.hashes_json().into()
    });
    for file in page.map(fs::read_dir).into_iter().flatten().flatten() {
        let path = file?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let (url, kind) = match (name, path.extension().and_then(|it| it.to_str())) {
            (Some("index.html"), _) => ("/".to_owned(), "text/html; charset=utf-8"),
            (Some(name), Some("js")) => (format!("/{name}"), "text/javascript"),
            (Some(name), Some("wasm")) => (format!("/{name}"), "application/wasm"),
            _ => continue,
        };
        port = port.page(&url, kind, fs::read(&path)?);
    }
    let mut host = Host::new(TransportOptions::default());
    host.listen(addr, port)?;
    let addr = host.local_addrs()?[0];
    host.listen(addr, QuicPort::new(&identity))?;
    println!("http://{addr}/");
    Ok(host)
}

/// Returns the lines that are typed at the terminal.
fn typed() -> Receiver<String> {
    let (sender, typed) = mpsc::channel();
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    typed
}
