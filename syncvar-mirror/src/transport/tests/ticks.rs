//! When a host ticks, and what time it says it is.

use std::ops::ControlFlow;
use std::time::Duration;

use tokio::time::Instant;

use super::support::*;
use crate::transport::TransportOptions;
use crate::transport::host::Host;

/// How long a host needs until its game says that it is enough, and the times that it was told.
async fn run(options: TransportOptions, enough: impl Fn(Duration) -> bool) -> Vec<Duration> {
    let mut host = Host::new(Echo::default());
    host.set_options(options);
    let mut times = Vec::new();
    host.run(|_, now| {
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
async fn ten_minutes_have_sixty_ticks_in_every_second_and_none_too_many() {
    let options = TransportOptions::default();
    let tick = options.tick;
    let began = Instant::now();
    let times = run(options, |now| now >= 36_000 * tick).await;
    assert_eq!(times.len(), 36_001);
    assert!((0..).zip(times).all(|(number, now)| now == number * tick));
    // A timer is as exact as a millisecond.
    let late = began.elapsed().saturating_sub(36_000 * tick);
    assert!(late < Duration::from_millis(2), "{late:?}");
}

#[tokio::test(start_paused = true)]
async fn the_rate_is_that_of_the_options() {
    let options = TransportOptions {
        tick: Duration::from_millis(50),
        ..TransportOptions::default()
    };
    let times = run(options, |now| now >= Duration::from_secs(1)).await;
    assert_eq!(times.len(), 21);
    assert_eq!(times[20], Duration::from_secs(1));
}

#[tokio::test]
async fn after_a_tick_that_took_too_long_the_next_is_told_the_time_as_it_is() {
    let long = Duration::from_millis(60);
    let options = TransportOptions {
        tick: Duration::from_millis(10),
        ..TransportOptions::default()
    };
    let times = run(options, |now| {
        std::thread::sleep(long);
        now >= 3 * long
    })
    .await;
    // And those that were missed are not made up for.
    assert!(times.len() <= 4, "{times:?}");
    assert!((0..).zip(&times).all(|(number, now)| *now >= number * long));
}

#[tokio::test]
async fn a_share_of_nothing_is_one_message_in_a_tick() {
    for kind in BOTH {
        let options = TransportOptions {
            max_queued_packets: 0,
            ..TransportOptions::default()
        };
        let server = Running::start(&[kind], options).await;
        let mut client = server.join(kind).await;
        exchange(&mut client, "first").await;
        exchange(&mut client, "second").await;
    }
}
