//! `HealthPort`: the state of a relay by HTTP, for the probes of an orchestrator.

use std::io::{self, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use syncvar_fleet::RelayStats;

use crate::http::{HttpRequest, write_head};

/// Time without a report after which the relay counts as stalled.
const STALL: Duration = Duration::from_secs(5);

/// Time for a request and its answer. One follows another: the port is for the inside of a cluster.
const PATIENCE: Duration = Duration::from_secs(1);

/// State of a relay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Health {
    /// Whether there is an origin with objects.
    pub(super) follows: bool,
    /// Whether the relay ends as soon as its spectators are elsewhere.
    pub(super) drains: bool,
    pub(super) spectators: usize,
    pub(super) stats: RelayStats,
}

/// Port that answers `/live` and `/ready`: 200, or 503 if the relay is not.
#[derive(Debug)]
pub(super) struct HealthPort(Arc<Mutex<HealthReport>>);

#[derive(Debug)]
struct HealthReport {
    health: Health,
    at: Instant,
}

impl HealthPort {
    /// Listens at an address. Returns the port and its address.
    pub(super) fn open(address: &str) -> io::Result<(Self, SocketAddr)> {
        let listener = TcpListener::bind(address)?;
        let local = listener.local_addr()?;
        let report = Arc::new(Mutex::new(HealthReport {
            health: Health::default(),
            at: Instant::now(),
        }));
        let shared = Arc::clone(&report);
        std::thread::Builder::new()
            .name("health".into())
            .spawn(move || {
                for stream in listener.incoming() {
                    // A probe that goes away has no answer.
                    let _ = stream.and_then(|stream| answer(stream, &shared));
                }
            })?;
        Ok((Self(report), local))
    }

    /// Takes the state of the relay. A relay without reports for 5 s is stalled.
    pub(super) fn report(&self, health: Health) {
        let at = Instant::now();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = HealthReport { health, at };
    }
}

fn answer(mut stream: TcpStream, report: &Mutex<HealthReport>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let Some(request) = HttpRequest::read(&mut reader)? else {
        return Ok(());
    };
    let (status, body) = {
        let report = report.lock().unwrap_or_else(PoisonError::into_inner);
        respond(&request, report.health, report.at.elapsed() < STALL)
    };
    let body = body.to_string();
    let lines = [
        ("Content-Type", "application/json"),
        ("Connection", "close"),
    ];
    write_head(&mut stream, status, body.len() as u64, &lines)?;
    if request.method == "GET" {
        stream.write_all(body.as_bytes())?;
    }
    Ok(())
}

/// Returns the status and the body for a request.
fn respond(request: &HttpRequest, health: Health, moves: bool) -> (&'static str, Value) {
    if !matches!(request.method.as_str(), "GET" | "HEAD") {
        return ("405 Method Not Allowed", Value::Null);
    }
    let is_well = match request.path.as_str() {
        "/live" => moves,
        "/ready" => moves && health.follows && !health.drains,
        _ => return ("404 Not Found", Value::Null),
    };
    let status = if is_well {
        "200 OK"
    } else {
        "503 Service Unavailable"
    };
    let body = json!({
        "follows": health.follows,
        "drains": health.drains,
        "stalled": !moves,
        "spectators": health.spectators,
        "records": health.stats.records,
        "damaged": health.stats.damaged,
    });
    (status, body)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn ask(address: SocketAddr, line: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "{line} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn probes_learn_the_state_of_the_relay() {
        let (port, address) = HealthPort::open("127.0.0.1:0").unwrap();
        assert!(ask(address, "GET /live").starts_with("HTTP/1.1 200 OK"));
        assert!(ask(address, "GET /ready").starts_with("HTTP/1.1 503"));
        let follows = Health {
            follows: true,
            spectators: 3,
            ..Health::default()
        };
        port.report(follows);
        let ready = ask(address, "GET /ready");
        assert!(ready.starts_with("HTTP/1.1 200 OK"), "{ready}");
        assert!(ready.contains("\"spectators\":3"), "{ready}");
        assert!(ask(address, "HEAD /ready").ends_with("\r\n\r\n"));
        let drains = true;
        port.report(Health { drains, ..follows });
        assert!(ask(address, "GET /ready").starts_with("HTTP/1.1 503"));
        assert!(ask(address, "GET /live").starts_with("HTTP/1.1 200 OK"));
        assert!(ask(address, "GET /").starts_with("HTTP/1.1 404"));
        assert!(ask(address, "POST /live").starts_with("HTTP/1.1 405"));
    }

    #[test]
    fn a_stalled_relay_is_not_alive() {
        let request = HttpRequest::read(&mut BufReader::new(&b"GET /live HTTP/1.1\r\n\r\n"[..]));
        let request = request.unwrap().unwrap();
        let (status, _) = respond(&request, Health::default(), false);
        assert_eq!(status, "503 Service Unavailable");
    }
}
