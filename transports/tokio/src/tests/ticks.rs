//! Times of ticks.

use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};
use std::time::Duration;

use syncvar_runtime::{ConnectionId, NetworkTime, Transmit};
use tokio::time::Instant;

use super::support::*;
use crate::admission::Admission;
use crate::listener::{Listener, Sent};
use crate::{Host, TransportOptions};

/// Runs a host until `enough`, and returns the times of its ticks.
async fn times(tick_rate: u32, enough: impl Fn(Duration) -> bool) -> Vec<Duration> {
    let mut times = Vec::new();
    let mut host = Host::new(TransportOptions::mirror());
    let mut server = Echo::default();
    server.tick_rate = tick_rate;
    host.run(&mut server, |_, now| {
        times.push(now);
        if enough(now) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })
    .await;
    times
}

#[tokio::test(start_paused = true)]
async fn ten_minutes_have_36_000_ticks() {
    let end = Duration::from_mins(10);
    let began = Instant::now();
    let times = times(60, |now| now >= end).await;
    assert_eq!(times.len(), 36_001);
    // No tick occurs twice: inputs and views count in ticks.
    assert!(
        (0..)
            .zip(times)
            .all(|(number, now)| NetworkTime::of_tick(number, 60).time == now)
    );
    // tokio's timers have a resolution of a millisecond.
    let late = began.elapsed().saturating_sub(end);
    assert!(late < Duration::from_millis(2), "{late:?}");
}

#[tokio::test(start_paused = true)]
async fn the_rate_is_that_of_the_server() {
    let times = times(20, |now| now >= Duration::from_secs(1)).await;
    assert_eq!(times.len(), 21);
    assert_eq!(times[20], Duration::from_secs(1));
}

#[tokio::test]
async fn after_a_long_tick_the_next_has_the_real_time() {
    let long = Duration::from_millis(60);
    let times = times(100, |now| {
        std::thread::sleep(long);
        now >= 3 * long
    })
    .await;
    // Missed ticks are skipped.
    assert!(times.len() <= 4, "{times:?}");
    assert!((0..).zip(&times).all(|(number, now)| *now >= number * long));
}

#[tokio::test]
async fn sockets_are_drained_although_each_tick_is_late() {
    /// Listener with this many rounds of input.
    #[derive(Debug)]
    struct Busy(Arc<AtomicUsize>);

    impl Listener<Echo> for Busy {
        fn poll(&mut self, _: &mut Context<'_>) -> Poll<()> {
            let less = |left: usize| left.checked_sub(1);
            match self.0.fetch_update(Relaxed, Relaxed, less) {
                Ok(_) => Poll::Ready(()),
                Err(_) => Poll::Pending,
            }
        }

        fn set_options(&mut self, _: &TransportOptions, _: &Arc<Admission>) {}

        fn local_addr(&self) -> io::Result<SocketAddr> {
            Ok(([127, 0, 0, 1], 0).into())
        }

        fn receive(&mut self, _: &mut crate::gate::Gate<'_, Echo>, _: Duration) {}

        fn send(&mut self, _: &Transmit<'_>) -> Sent {
            Sent::NotHere
        }

        fn close(&mut self, _: ConnectionId, _: Duration) -> bool {
            false
        }

        fn connections(&self) -> Vec<ConnectionId> {
            Vec::new()
        }

        fn flush(&mut self, _: Duration) {}

        fn shut_down(&mut self, _: Duration) {}

        fn poll_shut_down(&mut self, _: &mut Context<'_>) -> Poll<()> {
            Poll::Ready(())
        }
    }

    let left = Arc::new(AtomicUsize::new(0));
    let mut host = Host::new(TransportOptions::mirror());
    host.add(Busy(Arc::clone(&left)));
    let mut server = Echo::default();
    server.tick_rate = 1000;
    let mut ticks = 0;
    host.run(&mut server, |_, _| {
        // The input of the previous tick has been read.
        assert_eq!(left.swap(40, Relaxed), 0);
        std::thread::sleep(Duration::from_millis(3));
        ticks += 1;
        if ticks == 10 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })
    .await;
}

#[tokio::test]
async fn zero_share_is_one_message_per_tick() {
    for kind in BOTH {
        let options = TransportOptions {
            max_queued_packets: 0,
            ..TransportOptions::mirror()
        };
        let server = Running::start(&[kind], options);
        let mut client = server.join(kind).await;
        exchange(&mut client, "first").await;
        exchange(&mut client, "second").await;
    }
}
