//! Schemas of running servers, by each transport.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use syncvar::ServerConfig;
use syncvar::join::SchemaRequests;
use syncvar::prelude::*;
use syncvar::quic::QuicPort;
use syncvar::schema::Schema;
use syncvar::tls::Identity;
use syncvar::transport::{Host, TransportOptions};
use syncvar::websocket::WebPort;

use crate::support::{page_file, run};

/// Server on a thread, until it is dropped.
struct Running {
    addr: SocketAddr,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<usize>>,
}

impl Running {
    /// Starts a server with the prefabs of the page, behind a transport.
    fn start(config: ServerConfig, listen: impl FnOnce(&mut Host<NetworkServer>)) -> Self {
        let text = std::fs::read_to_string(page_file("game.syncvar")).expect("the schema");
        // The type `Custom` has no layout.
        let text = text.replace("      odd: Custom\n", "");
        let schema = Schema::parse(&text).expect("a schema");
        let prefabs = Prefabs::from_schema(&schema).expect("prefabs");
        let mut server = NetworkServer::with_config(prefabs, config);
        let mut host = Host::new(TransportOptions::default());
        listen(&mut host);
        let addr = host.local_addrs().expect("an address")[0];
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            let (started, mut joined) = (Instant::now(), 0);
            while !ends.load(Ordering::Relaxed) {
                let now = started.elapsed();
                host.receive(&mut server, now);
                server.update(now);
                host.transmit(&mut server, now);
                joined = joined.max(server.connections().count());
                while server.poll_event().is_some() {}
                std::thread::sleep(Duration::from_millis(1));
            }
            joined
        });
        Self {
            addr,
            is_over,
            thread: Some(thread),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Asks a server by a transport, and compares its schema.
fn ask(scheme: &str, listen: impl FnOnce(&mut Host<NetworkServer>)) {
    let server = Running::start(ServerConfig::default(), listen);
    let address = format!("{scheme}://{}", server.addr);
    let (code, output, errors) = run(&["schema", &address]);
    assert_eq!((code, errors.as_str()), (0, ""));
    let text = std::fs::read_to_string(page_file("game.syncvar")).expect("the schema");
    assert_eq!(output, text.replace("      odd: Custom\n", ""));
    let (code, output, errors) = run(&["check", &address, &address]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(output.starts_with("old client: equal\n"), "{output}");
}

#[test]
fn a_server_tells_its_schema_by_tcp() {
    ask("tcp", |host| {
        host.listen_tcp("127.0.0.1:0").expect("a port");
    });
}

#[test]
fn a_server_tells_its_schema_by_udp() {
    ask("udp", |host| {
        host.listen_udp("127.0.0.1:0").expect("a port");
    });
}

#[test]
fn a_server_tells_its_schema_by_websocket() {
    let listen = |host: &mut Host<_>| host.listen("127.0.0.1:0", WebPort::new());
    ask("ws", |host| listen(host).expect("a port"));
}

#[test]
fn a_server_tells_its_schema_by_quic() {
    let identity = Identity::generated(&["127.0.0.1"]).expect("a certificate");
    ask("quic", |host| {
        let port = QuicPort::new(&identity);
        host.listen("127.0.0.1:0", port).expect("a port");
    });
}

#[test]
fn a_server_that_does_not_describe_itself_is_an_error() {
    let config = ServerConfig {
        schema_requests: SchemaRequests::Refuse,
        ..ServerConfig::default()
    };
    let listen = |host: &mut Host<_>| host.listen_tcp("127.0.0.1:0").expect("a port");
    let server = Running::start(config, listen);
    let address = format!("tcp://{}", server.addr);
    let (code, output, errors) = run(&["schema", &address]);
    assert_eq!((code, output.as_str()), (2, ""));
    let expected = format!("{address}: the server tells no schema: ");
    assert!(errors.starts_with(&expected), "{errors}");
}

#[test]
fn a_refused_connection_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("tcp://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let (code, _, errors) = run(&["schema", &address]);
    assert_eq!(code, 2);
    let expected = format!("{address}: the connection to the server has failed: ");
    assert!(errors.starts_with(&expected), "{errors}");
}

#[test]
fn a_silent_server_is_an_error_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("tcp://{}", listener.local_addr().expect("an address"));
    let started = Instant::now();
    let (code, _, errors) = run(&["schema", &address, "--timeout", "0.3"]);
    assert_eq!(code, 2);
    assert!(errors.starts_with(&format!("{address}: no")), "{errors}");
    assert!(started.elapsed() < Duration::from_secs(5));
}

/// Asks a server that sends these packets, each a frame of channel 0.
fn answer(packets: Vec<Vec<u8>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("tcp://{}", listener.local_addr().expect("an address"));
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        for packet in packets {
            let length = u32::try_from(packet.len() + 1).expect("a short packet");
            let frame = [&length.to_be_bytes()[..], &[0], &packet].concat();
            // The program may leave before the last packet.
            let _ = stream.write_all(&frame);
        }
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let (code, output, errors) = run(&["schema", &address]);
    thread.join().expect("the server");
    assert_eq!((code, output.as_str()), (2, ""));
    let errors = errors.strip_prefix(&format!("{address}: "));
    errors.expect("the address").to_owned()
}

fn message(number: u8, payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(payload.len()).expect("a short message");
    [&length.to_le_bytes()[..], &[number, 0], payload].concat()
}

#[test]
fn a_hostile_server_is_an_error() {
    let part = |is_last: u8, text: &[u8]| message(21, &[&[is_last], text].concat());
    let fields = "      f: u8\n".repeat(65);
    let deep = format!(
        "prefab a {}1\n  behaviour B, channel 0\n    class B\n{fields}",
        "0".repeat(31)
    );
    let cases = [
        (
            vec![part(1, b"prefab a 1\n")],
            "line 1, column 10: expected 32 hexadecimal digits",
        ),
        (
            vec![part(1, deep.as_bytes())],
            "line 68, column 7: more than 64 fields in a behaviour",
        ),
        (
            vec![part(0, &vec![b'['; 60_000]); 18],
            "a schema of more than 1048576 bytes",
        ),
        (vec![part(0, b"")], "a malformed answer"),
        (vec![part(2, b"x")], "a malformed answer"),
        (vec![part(1, &[0xff])], "a malformed answer"),
        (vec![vec![9, 0, 21]], "a malformed answer"),
        (
            vec![message(33, &[2, 0, 0])],
            "the server speaks another version of the protocol than 7",
        ),
        (
            vec![message(33, &[4, 2, 0, b'n', b'o'])],
            "the server tells no schema: no",
        ),
        (vec![message(33, &[1, 0, 0])], "the server tells no schema"),
        (
            vec![message(22, &[])],
            "an answer without a schema: message 22",
        ),
    ];
    for (packets, expected) in cases {
        assert_eq!(answer(packets), expected);
    }
}
