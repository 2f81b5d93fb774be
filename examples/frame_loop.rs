//! A server and a client over TCP, in one loop at 60 frames per second: without async and without a runtime of the program.
//!
//! `cargo run --example frame_loop`

use std::io;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

use syncvar::prelude::*;
use syncvar::tcp::TransportOptions;
use syncvar::transport::{Host, Peer};
use syncvar::{ClientConfig, ServerConfig};

const FRAMES_PER_SECOND: u32 = 60;

#[derive(NetworkBehaviour, Default)]
struct Ship {
    #[sync_var]
    heading: SyncVar<u32>,
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Ship>("ship")
}

fn main() -> io::Result<ExitCode> {
    // The rate in one place for each end. Changes leave with each update.
    let mut server = NetworkServer::with_config(
        prefabs(),
        ServerConfig {
            tick_rate: FRAMES_PER_SECOND,
            send_interval: Some(Duration::ZERO),
            ..ServerConfig::default()
        },
    );
    let mut client = NetworkClient::with_config(
        prefabs(),
        ClientConfig {
            tick_rate: FRAMES_PER_SECOND,
            ..ClientConfig::default()
        },
    );
    let mut host = Host::new(TransportOptions::default());
    host.listen_tcp("127.0.0.1:0")?;
    let mut peer = Peer::tcp(
        &host.local_addrs()?[..],
        &client,
        TransportOptions::default(),
    )?;
    let ship = server.spawn(Ship::default());

    let frame = Duration::from_secs(1) / FRAMES_PER_SECOND;
    let started = Instant::now();
    let (mut frames, mut repeated, mut last) = (0, 0, None);
    while !peer.is_over() {
        let now = started.elapsed(); // the one clock
        frames += 1;

        host.receive(&mut server, now);
        while let Some(event) = server.poll_event() {
            if let ServerEvent::Connected { connection } = event {
                println!("{connection} from {:?}", host.peer_addr(connection));
            }
        }
        if let Ok(mut ship) = server.get_mut::<Ship>(ship) {
            ship.heading += 1;
        }
        server.update(now);
        host.transmit(&mut server, now);

        if let Err(error) = peer.receive(&mut client, now) {
            println!("client: {error}");
        }
        // A game draws here, at this server time.
        let moment = client.network_time_at(now);
        repeated += u32::from(moment.is_some() && moment <= last);
        last = moment;
        if frames % FRAMES_PER_SECOND == 0 {
            let heading = client.get::<Ship>(ship).map(|ship| *ship.heading);
            println!("frame {frames}: heading {heading:?} at {moment:?}");
        }
        if frames == 3 * FRAMES_PER_SECOND {
            client.disconnect("bye");
        }
        client.update(now);
        peer.transmit(&mut client, now);

        sleep((frame * frames).saturating_sub(started.elapsed()));
    }
    host.shut_down_blocking(&mut server);
    println!("{frames} frames, {repeated} with a repeated time");
    Ok(if repeated == 0 && last.is_some() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
