use std::time::Duration;

use super::{Clock, Pace};

/// Returns the first new rate that a clock finds in a number of updates.
fn found(clock: &mut Clock, step: Duration, updates: u32, tick_rate: u32) -> Option<f64> {
    (0..updates).find_map(|_| {
        let now = clock.now() + step;
        clock.advance(now);
        clock.other_pace(tick_rate)
    })
}

#[test]
fn updates_at_another_rate_than_the_setting_are_found() {
    let millis = Duration::from_millis;
    let find = |step, rate| found(&mut Clock::default(), step, 200, rate);
    assert_eq!(find(millis(20), 50), None);
    assert_eq!(find(millis(17), 50), None, "58.8 per second");
    assert_eq!(find(millis(20), 60), None);
    assert_eq!(find(millis(16), 30), Some(62.5));
    assert_eq!(find(millis(100), 30), Some(10.0));
    assert_eq!(find(Duration::ZERO, 30), None, "no time passes");
    assert_eq!(
        found(&mut Clock::default(), millis(16), 129, 30),
        None,
        "too few"
    );
    let mut paused = Clock::default();
    assert_eq!(found(&mut paused, millis(20), 50, 50), None);
    paused.advance(Duration::from_secs(9));
    assert_eq!(found(&mut paused, millis(20), 500, 50), None, "one pause");
}

#[test]
fn warning_of_another_rate_comes_once() {
    let mut clock = Clock::default();
    for _ in 0..130 {
        clock.advance(clock.now() + Duration::from_millis(16));
        clock.watch_pace(30);
    }
    assert_eq!(clock.pace, Pace::Warned);
    assert_eq!(found(&mut clock, Duration::from_millis(16), 200, 30), None);
}

fn own_times(readings: &[u64]) -> Vec<u64> {
    let mut clock = Clock::default();
    let times = readings.iter().map(|reading| {
        let now = clock.advance(Duration::from_secs(*reading));
        assert_eq!(now, clock.now());
        now.as_secs()
    });
    times.collect()
}

#[test]
fn own_time_follows_the_readings() {
    assert_eq!(own_times(&[0, 1, 1, 7]), [0, 1, 1, 7]);
    assert_eq!(own_times(&[100, 101]), [100, 101]);
}

#[test]
fn reading_that_goes_back_stops_own_time_for_one_update() {
    assert_eq!(own_times(&[10, 4, 5, 12]), [10, 10, 11, 18]);
    assert_eq!(own_times(&[10, 0, 0, 3]), [10, 10, 10, 13]);
}

#[test]
fn leap_stops_own_time_for_one_update() {
    let mut clock = Clock::default();
    let second = Duration::from_secs(1);
    assert_eq!(clock.advance(second), second);
    assert_eq!(clock.advance(Duration::MAX), second);
    assert!(clock.take_leap().is_some() && clock.take_leap().is_none());
    assert_eq!(clock.advance(second), second);
    assert_eq!(clock.advance(2 * second), 2 * second);
    assert_eq!(clock.take_leap(), None);
}

#[test]
fn change_of_the_owner_adds_no_time() {
    let mut clock = Clock::default();
    let second = Duration::from_secs(1);
    clock.advance(100 * second);
    clock.hold(true);
    assert!(!clock.admits_program());
    assert_eq!(clock.at(2 * second), 100 * second);
    clock.advance(second);
    assert_eq!(clock.advance(3 * second), 102 * second);
    clock.hold(false);
    assert!(clock.admits_program());
    assert_eq!(clock.advance(5000 * second), 102 * second);
    assert_eq!(clock.advance(5001 * second), 103 * second);
}

#[test]
fn own_time_goes_on_after_500_years_of_leaps() {
    let mut clock = Clock::default();
    for century in 1..20 {
        clock.advance(century * super::LONGEST_STEP);
    }
    assert!(clock.take_leap().is_some());
    assert_eq!(clock.now(), super::LATEST);
}
