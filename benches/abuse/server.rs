//! Role of the server.

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use syncvar::prelude::*;
use syncvar::tcp::{TcpOptions, TcpServer};

use crate::Outcome;
use crate::process::input_closed;
use crate::world::{CHANGES, CLOCK, ECHOES, Echo, TICK, UNITS, Unit, micros, prefabs};

/// Prints the address, and runs until the input is closed.
pub(crate) async fn serve() -> Outcome {
    let mut server = NetworkServer::new(prefabs());
    for number in 0..UNITS {
        server.spawn(Unit {
            name: format!("unit {number}").into(),
            ..Unit::default()
        });
    }
    for _ in 0..ECHOES {
        server.spawn(Echo::default());
    }
    let mut options = TcpOptions::default();
    options.tick = TICK;
    let tcp = TcpServer::bind("127.0.0.1:0", server, options).await?;
    println!("{}", tcp.local_addr()?);
    std::io::stdout().flush()?;

    let stopped = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&stopped);
    tokio::spawn(async move {
        input_closed().await;
        stop.store(true, Ordering::Relaxed);
    });
    let mut next = 0;
    tcp.run(move |server, _now| {
        if stopped.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        while server.poll_event().is_some() {}
        for _ in 1..CHANGES {
            next = (next + 1) % UNITS;
            change(server, NetId(1 + next));
        }
        change(server, CLOCK);
        ControlFlow::Continue(())
    })
    .await;
    Ok(())
}

fn change(server: &mut NetworkServer, id: NetId) {
    if let Some(mut unit) = server.get_mut::<Unit>(id) {
        unit.stamp.set(micros());
    }
}
