//! Pages of the port.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar_tokio::tcp::TcpOptions;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::support::{Running, read_to_end, soon};

/// Sends bytes, and returns the whole answer.
async fn ask(server: &Running, request: &str) -> String {
    let mut stream = TcpStream::connect(server.addr).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    String::from_utf8(read_to_end(&mut stream).await).unwrap()
}

#[tokio::test]
async fn pages_have_answers_and_are_no_connections() {
    let mut server = Running::start(TcpOptions::default(), |_| {});
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
    assert_eq!(server.counters.stats().accepted, 4);
}

#[tokio::test]
async fn malformed_requests_have_answers() {
    let server = Running::start(TcpOptions::default(), |_| {});
    let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(9000));
    for (request, status) in [
        ("GARBAGE\r\n\r\n", "400 Bad Request"),
        ("GET / HTTP/1.0\r\n\r\n", "400 Bad Request"),
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
    let options = TcpOptions {
        handshake_timeout: Duration::from_millis(200),
        ..TcpOptions::default()
    };
    let mut server = Running::start(options, |_| {});
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
    assert_eq!(server.counters.stats().handshake_timeouts, 2);
    assert_eq!(server.events(), []);
}
