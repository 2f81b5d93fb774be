use std::time::Duration;

use super::*;

fn track(rules: Interpolation<f32>, samples: &[(u32, f32)]) -> Track<f32> {
    let mut track = Track::new(rules);
    for (tick, value) in samples {
        track.record(*tick, *value);
    }
    track
}

fn at(tick: f64, settled: &SettledTicks) -> Moment<'_> {
    Moment {
        tick,
        settled,
        interval: 1,
        tick_length: 0.05,
    }
}

fn values(track: &Track<f32>, settled: &SettledTicks, ticks: &[f64]) -> Vec<f32> {
    let value = |tick: &f64| track.at(&at(*tick, settled)).unwrap();
    ticks.iter().map(value).collect()
}

/// Record of ticks 1 to 40, of which some are not settled.
fn settled_without(lost: &[u32]) -> SettledTicks {
    let mut ticks = SettledTicks::default();
    for tick in 1..=40 {
        ticks.note(tick, !lost.contains(&tick), true);
    }
    ticks
}

#[test]
fn values_lie_between_the_samples_of_their_ticks() {
    let track = track(Interpolation::linear(), &[(1, 0.0), (2, 1.0), (3, 3.0)]);
    let known = settled_without(&[]);
    let ticks = [0.0, 1.0, 1.5, 2.0, 2.5, 3.0, 9.0];
    assert_eq!(
        values(&track, &known, &ticks),
        [0.0, 0.0, 0.5, 1.0, 2.0, 3.0, 3.0]
    );
    assert_eq!(
        Track::new(Interpolation::<f32>::linear()).at(&at(1.0, &known)),
        None
    );
}

#[test]
fn a_rest_is_not_stretched_into_a_slow_movement() {
    let track = track(Interpolation::linear(), &[(1, 0.0), (20, 4.0)]);
    let rested = settled_without(&[]);
    assert_eq!(
        values(&track, &rested, &[10.0, 19.0, 19.5]),
        [0.0, 0.0, 2.0]
    );
    let lost = settled_without(&[11]);
    assert_eq!(
        values(&track, &lost, &[10.0, 15.0]),
        [0.0, 2.0],
        "from tick 10"
    );
}

#[test]
fn a_longer_interval_is_no_rest() {
    let samples = [(3, 0.0), (6, 3.0), (9, 6.0), (12, 9.0), (30, 12.0)];
    let track = track(Interpolation::linear(), &samples);
    let known = settled_without(&[]);
    let value = |tick| {
        let moment = Moment {
            interval: 3,
            ..at(tick, &known)
        };
        track.at(&moment)
    };
    assert_eq!(
        [4.0, 7.5, 20.0, 27.0, 28.0].map(value),
        [1.0, 4.5, 9.0, 9.0, 10.0].map(Some)
    );
}

#[test]
fn late_and_repeated_samples_take_their_place() {
    let mut track = track(Interpolation::linear(), &[(1, 0.0), (4, 6.0)]);
    track.record(2, 4.0);
    track.record(2, 2.0);
    assert_eq!(
        values(&track, &settled_without(&[3]), &[1.5, 2.0, 3.0]),
        [1.0, 2.0, 4.0]
    );
    for tick in 5..60 {
        track.record(tick, 0.0);
    }
    assert_eq!(track.samples.len(), MAX_SAMPLES);
    track.record(3, 1.0);
    assert_eq!(
        track.samples.front().map(|(tick, _)| *tick),
        Some(28),
        "too old"
    );
    track.record(28, 7.0);
    assert_eq!(track.samples.front(), Some(&(28, 7.0)));
}

#[test]
fn a_teleport_is_shown_in_its_tick() {
    let rules = Interpolation::linear().snap(5.0);
    let track = track(rules, &[(1, 0.0), (2, 1.0), (3, 50.0), (4, 51.0)]);
    let known = settled_without(&[]);
    let ticks = [1.5, 2.5, 2.9, 3.0, 3.5];
    assert_eq!(values(&track, &known, &ticks), [0.5, 1.0, 1.0, 50.0, 50.5]);
}

#[test]
fn an_extrapolation_ends_and_does_not_leave_a_rest() {
    let rules = Interpolation::linear().extrapolate(Duration::from_millis(100));
    let moving = track(rules, &[(38, 0.0), (39, 1.0), (40, 2.0)]);
    let known = settled_without(&[]);
    let ticks = [40.5, 42.0, 60.0];
    assert_eq!(
        values(&moving, &known, &ticks),
        [2.5, 4.0, 4.0],
        "two ticks at most"
    );
    let resting = track(rules, &[(28, 0.0), (29, 1.0), (30, 2.0)]);
    assert_eq!(values(&resting, &known, &ticks), [2.0, 2.0, 2.0]);
    let jumped = track(rules.snap(0.5), &[(39, 1.0), (40, 2.0)]);
    assert_eq!(values(&jumped, &known, &ticks), [2.0, 2.0, 2.0]);
    let alone = track(rules, &[(40, 2.0)]);
    assert_eq!(values(&alone, &known, &ticks), [2.0, 2.0, 2.0]);
}

#[test]
fn a_curve_passes_the_samples_without_a_step_in_velocity() {
    let samples: Vec<(u32, f32)> = (1..20_u8)
        .map(|tick| (tick.into(), (f32::from(tick) * 0.5).sin()))
        .collect();
    let track = track(Interpolation::hermite(), &samples);
    let known = settled_without(&[]);
    let value = |tick: f64| f64::from(values(&track, &known, &[tick])[0]);
    for (tick, expected) in &samples {
        assert!((value(f64::from(*tick)) - f64::from(*expected)).abs() < 1e-6);
    }
    for tick in 3..19 {
        let tick = f64::from(tick);
        let left = (value(tick) - value(tick - 0.01)) / 0.01;
        let right = (value(tick + 0.01) - value(tick)) / 0.01;
        assert!((left - right).abs() < 0.03, "{tick}: {left} {right}");
    }
}

#[test]
fn a_server_keeps_the_samples_of_its_history() {
    let history = Duration::from_millis(500);
    let mut track = Track::new(Interpolation::linear().history(history));
    for tick in 1..=100_u8 {
        track.keep(tick.into(), f32::from(tick), 60);
        track.keep(tick.into(), f32::from(tick) * 2.0, 60);
    }
    let known = SettledTicks::ALL;
    assert_eq!(track.samples.len(), 31);
    assert_eq!(
        values(&track, &known, &[70.0, 80.5, 100.0]),
        [140.0, 161.0, 200.0]
    );
    track.keep(200, 1.0, 60);
    assert_eq!(track.samples.len(), 2);
    assert_eq!(
        values(&track, &known, &[170.0, 199.0, 199.5]),
        [200.0, 200.0, 100.5],
        "it rested"
    );
    track.keep(1, 7.0, 60);
    assert_eq!(values(&track, &known, &[1.0, 300.0]), [7.0, 7.0]);
}

#[test]
fn nearest_shows_the_nearer_sample() {
    let mut track = Track::new(Interpolation::nearest());
    track.record(1, "idle");
    track.record(2, "run");
    let known = settled_without(&[]);
    let value = |tick| track.at(&at(tick, &known)).unwrap();
    assert_eq!([1.4, 1.6, 3.0].map(value), ["idle", "run", "run"]);
}
