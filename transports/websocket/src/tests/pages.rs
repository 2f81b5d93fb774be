//! Pages of the port.

use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use syncvar::join::Decision;
use syncvar::prelude::*;
use syncvar_tokio::Host;
use syncvar_tokio::tcp::TransportOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::support::{Running, ask_to_upgrade, joining, start, start_on, upgrade, upgrade_with};
use crate::WebPort;
use syncvar_testing::sockets::{idle, prefabs, read_to_end, soon};

/// Sends bytes, and returns the whole answer.
async fn ask(server: &Running, request: &str) -> String {
    let mut stream = TcpStream::connect(server.addr).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    String::from_utf8(read_to_end(&mut stream).await).unwrap()
}

#[tokio::test]
async fn pages_have_answers_and_are_no_connections() {
    let mut server = start(TransportOptions::default(), idle);
    let page = ask(&server, "GET /?v=1 HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
    assert!(
        page.contains("\r\nContent-Type: text/html\r\nContent-Length: 13\r\n"),
        "{page}"
    );
    assert!(page.ends_with("\r\n\r\n<h1>page</h1>"), "{page}");
    let count = ask(&server, "GET /count HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(count.ends_with("\r\n\r\n7"), "{count}");
    let missing = ask(&server, "GET /missing HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(
        missing.starts_with("HTTP/1.1 404 Not Found\r\n"),
        "{missing}"
    );
    let _client = server.join().await;
    let connected = |event: &ServerEvent| matches!(event, ServerEvent::Connected { .. });
    let events = server.events();
    assert_eq!(events.iter().filter(|event| connected(event)).count(), 1);
    assert_eq!(server.stats().accepted, 4);
}

#[tokio::test]
async fn other_methods_have_answers_of_http() {
    let server = start(TransportOptions::default(), idle);
    let head = ask(&server, "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains("\r\nContent-Length: 13\r\n"), "{head}");
    assert!(head.ends_with("\r\nConnection: close\r\n\r\n"), "{head}");
    let missing = ask(&server, "HEAD /missing HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(missing.starts_with("HTTP/1.1 404 ") && missing.ends_with("\r\n\r\n"));
    for method in ["POST", "OPTIONS", "PUT", "DELETE", "TRACE", "CONNECT"] {
        let request = format!("{method} / HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody");
        let refused = ask(&server, &request).await;
        assert!(refused.starts_with("HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\n"));
    }
    assert_eq!(server.stats().malformed_frames, 0);
}

#[tokio::test]
async fn scripts_of_other_origins_are_refused() {
    let port = WebPort::new()
        .origin("https://game.example")
        .origin("http://127.0.0.1:8080/");
    let server = start_on(port, TransportOptions::default(), idle);
    for origin in [
        "",
        "Origin: https://game.example\r\n",
        "Origin: HTTPS://Game.example\r\n",
        "Origin: http://127.0.0.1:8080\r\n",
    ] {
        let line = upgrade_from(&server, origin).await;
        assert!(line.starts_with("HTTP/1.1 101 "), "{origin}: {line}");
    }
    for origin in [
        "Origin: http://game.example\r\n",
        "Origin: https://game.example.evil.example\r\n",
        "Origin: https://game.example:444\r\n",
        "Origin: null\r\n",
        "Origin: https://game.example\r\nOrigin: https://evil.example\r\n",
    ] {
        let line = upgrade_from(&server, origin).await;
        assert_eq!(line, "HTTP/1.1 403 Forbidden\r\n", "{origin}");
    }
    server.join().await;
    let open = start(TransportOptions::default(), idle);
    let line = upgrade_from(&open, "Origin: https://any.example\r\n").await;
    assert!(line.starts_with("HTTP/1.1 101 "), "{line}");

    /// Returns the first line of the answer to a request to upgrade.
    async fn upgrade_from(server: &Running, origin: &str) -> String {
        let mut stream = ask_to_upgrade(server.addr, origin).await;
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            line.push(soon(stream.read_u8()).await.unwrap());
        }
        String::from_utf8(line).unwrap()
    }
}

#[tokio::test]
async fn answers_have_the_headers_of_the_program() {
    let port = WebPort::new()
        .page("/", "text/html", "page")
        .header("Content-Security-Policy", "default-src 'self'");
    let server = start_on(port, TransportOptions::default(), idle);
    for path in ["/", "/missing"] {
        let page = ask(&server, &format!("GET {path} HTTP/1.1\r\n\r\n")).await;
        assert!(page.contains("\r\nContent-Security-Policy: default-src 'self'\r\n"));
        assert!(page.contains("\r\nX-Content-Type-Options: nosniff\r\n"));
        assert!(
            page.contains("\r\nAccess-Control-Allow-Origin: *\r\n"),
            "{page}"
        );
    }
    for (name, value) in [("a b", "c"), ("", "c"), ("a", "c\r\nd: e")] {
        let mut host = Host::<NetworkServer>::new(TransportOptions::default());
        let refused = host.listen("127.0.0.1:0", WebPort::new().header(name, value));
        assert_eq!(
            refused.unwrap_err().kind(),
            ErrorKind::InvalidInput,
            "{name}: {value}"
        );
    }
}

/// Pages of a port with origins are read by the scripts of these origins alone.
#[tokio::test]
async fn scripts_of_other_origins_cannot_read_pages() {
    let port = WebPort::new()
        .page("/state.json", "application/json", "{}")
        .origin("https://game.example");
    let server = start_on(port, TransportOptions::default(), idle);
    let reader = |origin: &str| {
        let request = format!("GET /state.json HTTP/1.1\r\nOrigin: {origin}\r\n\r\n");
        let server = &server;
        async move {
            let page = ask(server, &request).await;
            assert!(page.contains("\r\nVary: Origin\r\n"), "{page}");
            let line = page
                .lines()
                .find(|line| line.starts_with("Access-Control-"));
            line.map(str::to_owned)
        }
    };
    let allowed = "Access-Control-Allow-Origin: https://game.example";
    assert_eq!(
        reader("https://game.example").await.as_deref(),
        Some(allowed)
    );
    assert_eq!(reader("https://evil.example").await, None);
}

#[tokio::test]
async fn an_admission_rule_learns_the_origin_of_a_page() {
    let mut host = Host::<NetworkServer>::new(TransportOptions::default());
    host.listen("127.0.0.1:0", WebPort::new()).unwrap();
    let addr = host.local_addrs().unwrap()[0];
    let (peers, found) = (host.peer_addrs(), Arc::new(Mutex::new(Vec::new())));
    let mut server = NetworkServer::new(prefabs());
    let noted = Arc::clone(&found);
    server.set_admission(move |request| {
        noted.lock().unwrap().push(peers.origin(request.connection));
        Decision::Accept
    });
    tokio::spawn(async move {
        host.run(&mut server, |_, _| ControlFlow::Continue(()))
            .await;
    });
    let mut page = upgrade_with(addr, "Origin: https://game.example\r\n").await;
    page.write_all(&joining()).await.unwrap();
    let mut native = upgrade(addr).await;
    native.write_all(&joining()).await.unwrap();
    soon(async {
        while found.lock().unwrap().len() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    let mut found = found.lock().unwrap().clone();
    found.sort();
    assert_eq!(found, [None, Some("https://game.example".to_owned())]);
}

#[tokio::test]
async fn malformed_requests_have_answers() {
    let server = start(TransportOptions::default(), idle);
    let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(9000));
    for (request, status) in [
        ("GARBAGE\r\n\r\n", "400 Bad Request"),
        ("GET / HTTP/1.0\r\n\r\n", "400 Bad Request"),
        ("GET\0 / HTTP/1.1\r\n\r\n", "400 Bad Request"),
        (
            "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n",
            "400 Bad Request",
        ),
        (&long, "431 Request Header Fields Too Large"),
    ] {
        let answer = ask(&server, request).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}\r\n")),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn a_request_without_an_end_is_cut_off() {
    let options = TransportOptions {
        handshake_timeout: Duration::from_millis(200),
        ..TransportOptions::default()
    };
    let mut server = start(options, idle);
    let mut halting = TcpStream::connect(server.addr).await.unwrap();
    let trickle = async {
        for byte in b"GET / HTTP/1.1\r\n".iter().cycle() {
            if halting.write_all(&[*byte]).await.is_err() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    soon(trickle).await;
    // A silent one has not even sent a first byte.
    let mut silent = TcpStream::connect(server.addr).await.unwrap();
    assert_eq!(read_to_end(&mut silent).await, b"");
    assert_eq!(server.stats().handshake_timeouts, 2);
    assert_eq!(server.events(), []);
}
