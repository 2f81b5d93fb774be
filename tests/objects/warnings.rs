//! Warnings that name a mistake of the program, in its log.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use syncvar::join::Builds;
use syncvar::prelude::*;
use syncvar::tcp::TransportOptions;
use syncvar::transport::{Host, Peer};
use syncvar::{ClientConfig, DisconnectReason};
use tracing_subscriber::fmt::MakeWriter;

#[derive(NetworkBehaviour, Default)]
struct Door {
    #[sync_var]
    open: SyncVar<bool>,
}

/// Lines of a program's log.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Runs a program with the log level INFO. Returns the lines with a text.
fn logged(text: &str, program: impl FnOnce()) -> Vec<String> {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::INFO)
        .with_ansi(false)
        .with_writer(lines.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, program);
    let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let found = log.lines().filter(|line| line.contains(text));
    found.map(str::to_owned).collect()
}

#[test]
fn time_since_the_last_update_is_named_once() {
    const MISTAKE: &str = "not the time since the last update";
    let frames = [16_600, 16_700, 16_650, 16_640, 16_710];
    let uneven = logged(MISTAKE, || {
        let mut server = NetworkServer::new(Prefabs::new());
        for micros in frames.into_iter().cycle().take(200) {
            server.update(Duration::from_micros(micros));
        }
    });
    assert_eq!(uneven.len(), 1, "{uneven:?}");
    assert!(uneven[0].contains("from 16.7ms to 16.65ms"), "{uneven:?}");

    let even = logged(MISTAKE, || {
        let mut client = NetworkClient::new(Prefabs::new());
        for _ in 0..500 {
            client.update(Duration::from_millis(16));
        }
    });
    assert_eq!(even.len(), 1, "{even:?}");
    assert!(
        even[0].contains("stands still, from 16ms to 16ms"),
        "{even:?}"
    );
}

#[test]
fn time_that_goes_forward_is_no_mistake() {
    let lines = logged("update", || {
        let mut server = NetworkServer::new(Prefabs::new());
        for tick in 0..500 {
            server.update(Duration::from_secs(7_000) + tick * Duration::from_secs(1) / 30);
        }
    });
    assert_eq!(lines, [""; 0]);
}

#[test]
fn a_forgotten_update_is_named_once() {
    const MISTAKE: &str = "frames go on without `update`";
    let on_the_server = logged(MISTAKE, || run_loop(9, |_, client, now| client.update(now)));
    assert_eq!(on_the_server.len(), 1, "{on_the_server:?}");
    let on_the_client = logged(MISTAKE, || run_loop(9, |server, _, now| server.update(now)));
    assert_eq!(on_the_client.len(), 1, "{on_the_client:?}");
    let nowhere = logged(MISTAKE, || {
        run_loop(9, |server, client, now| {
            server.update(now);
            client.update(now);
        });
    });
    assert_eq!(nowhere, [""; 0]);

    /// Runs both ends in a loop, for so many seconds of its time. The middle is the program's part of a frame.
    fn run_loop(
        seconds: u64,
        mut middle: impl FnMut(&mut NetworkServer, &mut NetworkClient, Duration),
    ) {
        let mut server = NetworkServer::new(Prefabs::new());
        let mut host = Host::new(TransportOptions::default());
        host.listen_tcp("127.0.0.1:0").unwrap();
        let mut client = NetworkClient::new(Prefabs::new());
        let addrs = host.local_addrs().unwrap();
        let mut peer = Peer::tcp(&addrs[..], &client, TransportOptions::default()).unwrap();
        let mut now = Duration::ZERO;
        while now < Duration::from_secs(seconds) {
            now += Duration::from_millis(100);
            host.receive(&mut server, now);
            let _ = peer.receive(&mut client, now);
            middle(&mut server, &mut client, now);
            host.transmit(&mut server, now);
            peer.transmit(&mut client, now);
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

#[test]
fn the_log_of_a_server_explains_a_refused_schema() {
    let lines = logged("other prefabs, behaviours or fields", || {
        let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Door>("gate"));
        let config = ClientConfig {
            builds: Builds::Exact,
            ..ClientConfig::default()
        };
        let prefabs = Prefabs::new().register::<Door>("door");
        net.connect_client(NetworkClient::with_config(prefabs, config));
        net.settle();
        let event = net.client_mut(0).poll_event();
        assert!(
            matches!(
                &event,
                Some(ClientEvent::Refused {
                    reason: DisconnectReason::SchemaMismatch(Some(_))
                })
            ),
            "{event:?}"
        );
    });
    assert_eq!(lines.len(), 1, "{lines:?}");
}

#[test]
fn a_full_queue_of_events_names_its_limit_once() {
    let lines = logged("max_events=2", || {
        let config = ClientConfig {
            max_events: 2,
            ..ClientConfig::default()
        };
        let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Door>("door"));
        let prefabs = Prefabs::new().register::<Door>("door");
        net.connect_client(NetworkClient::with_config(prefabs, config));
        for _ in 0..5 {
            net.server.spawn(Door::default());
            net.settle();
        }
        assert!(net.client(0).missed_events() > 2);
    });
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("drops events"), "{lines:?}");
}

#[test]
fn the_error_of_a_peer_has_its_cause() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = taken.local_addr().unwrap();
    drop(taken);
    let mut client = NetworkClient::new(Prefabs::new());
    let mut peer = Peer::tcp(closed, &client, TransportOptions::default()).unwrap();
    let mut text = String::new();
    for frame in 0..1000 {
        let now = Duration::from_millis(10 * frame);
        if let Err(error) = peer.receive(&mut client, now) {
            text = error.to_string();
            break;
        }
        client.update(now);
        peer.transmit(&mut client, now);
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(text.contains("has failed: Connection refused"), "{text}");
}

/// Runs in a process of its own: the servers of other tests count too.
#[test]
fn second_server_of_a_process_is_told_about_ids_once() {
    const CHILD: &str = "SYNCVAR_TEST_OF_TWO_SERVERS";
    if std::env::var_os(CHILD).is_none() {
        let program = std::env::current_exe().unwrap();
        let test = "warnings::second_server_of_a_process_is_told_about_ids_once";
        let child = std::process::Command::new(program)
            .args(["--exact", test])
            .env(CHILD, "1")
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&child.stdout);
        assert!(
            child.status.success() && told.contains("1 passed"),
            "{told}"
        );
        return;
    }
    let server = || NetworkServer::new(Prefabs::new());
    let told = |program: &dyn Fn()| logged("keep each id beside its server", program).len();
    let one_after_another = told(&|| {
        drop(server());
        drop(server());
    });
    let together = told(&|| drop([server(), server(), server()]));
    assert_eq!((one_after_another, together), (0, 1));
}
