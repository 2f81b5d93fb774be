//! `components_snapshots.json`: the parts of the snapshot interpolation.

use serde_json::Value;
use syncvar::mirror::components::{
    AccurateInterval, ConnectionQuality, InterpolationSettings, MovingAverage, SnapshotBuffer,
    Timeline, adjusted_multiplier, adjusted_speed, clamped_time,
};

use super::{double_bits, float};
use crate::Report;
use crate::golden::json::Json;
use syncvar_testing::golden::same;

type Test = fn(&Value) -> Result<(), String>;

pub(crate) fn run(json: &Value, report: &mut Report) {
    for (index, case) in json.at("cases").list().iter().enumerate() {
        let (kind, test): (_, Test) = if case.get("ema").is_some() {
            ("average", average)
        } else if case.get("accurate_interval").is_some() {
            ("interval", interval)
        } else if case.get("quality").is_some() {
            ("formulas", formulas)
        } else {
            ("sequences", sequence)
        };
        report.check(kind, &index.to_string(), || test(case));
    }
}

/// Compares floating-point numbers by their bits.
pub(crate) fn same_numbers<const N: usize>(
    what: &str,
    ours: [f64; N],
    recorded: &[Value],
) -> Result<(), String> {
    let recorded: Vec<f64> = recorded.iter().map(Json::seconds).collect();
    let recorded: [f64; N] = recorded.try_into().expect("as many numbers");
    if double_bits(ours) == double_bits(recorded) {
        return Ok(());
    }
    same(what, &ours, &recorded)
}

fn average(case: &Value) -> Result<(), String> {
    let mut average = MovingAverage::new(case.at("ema").number());
    for step in case.at("steps").list() {
        average.add(step[0].seconds());
        let deviation = average.standard_deviation();
        let ours = [average.value(), average.variance(), deviation];
        same_numbers("average", ours, &step.list()[1..])?;
    }
    Ok(())
}

fn interval(case: &Value) -> Result<(), String> {
    let length = case.at("accurate_interval").seconds();
    let mut interval = AccurateInterval::default();
    for step in case.at("steps").list() {
        let elapsed = interval.elapsed(step[0].seconds(), length);
        same("elapsed", &elapsed, &step[1].truth())?;
        same_numbers("last", [interval.last()], &step.list()[2..])?;
    }
    Ok(())
}

fn formulas(case: &Value) -> Result<(), String> {
    let numbers = |name: &str| -> Vec<f64> {
        let list = case.at(name).list().iter();
        list.map(Json::seconds).collect()
    };
    let quality = numbers("quality");
    let grades = [
        (ConnectionQuality::of_round_trip(quality[0], quality[1]), 2),
        (ConnectionQuality::of_buffer(quality[3], quality[4]), 5),
    ];
    for (grade, place) in grades {
        let recorded: i128 = case.at("quality")[place].number();
        same("quality", &(grade as i128), &recorded)?;
    }
    let [interval, jitter, tolerance, result] = numbers("dynamic_adjustment")[..] else {
        return Err("four numbers".into());
    };
    let adjusted = adjusted_multiplier(interval, jitter, tolerance);
    same("multiplier", &adjusted, &result)?;
    let [drift, catchup, slowdown, negative, positive, result] = numbers("timescale")[..] else {
        return Err("six numbers".into());
    };
    let speed = adjusted_speed(drift, (slowdown, catchup), (negative, positive));
    same("speed", &speed, &result)?;
    let [time, distance, newest, result] = numbers("timeline_clamp")[..] else {
        return Err("four numbers".into());
    };
    same("clamp", &clamped_time(time, distance, newest), &result)
}

/// Insertions and steps. The scaled times are the times: a step shows where it is.
fn sequence(case: &Value) -> Result<(), String> {
    let settings = InterpolationSettings {
        buffer_limit: case.at("buffer_limit").number(),
        catchup_negative_threshold: number(case.at("negative")),
        catchup_positive_threshold: number(case.at("positive")),
        catchup_speed: case.at("catchup").seconds(),
        slowdown_speed: case.at("slowdown").seconds(),
        ..InterpolationSettings::default()
    };
    let averages = (case.at("drift_n").number(), case.at("delivery_n").number());
    let mut timeline = Timeline::with_distance(
        settings,
        float(case.at("send_interval")),
        case.at("buffer_time").seconds(),
        averages,
    );
    for step in case.at("steps").list() {
        let step = step.list();
        if step[0].text() == "i" {
            let remote = step[1].seconds();
            timeline.add((remote, remote), step[2].seconds());
            let held = timeline.snapshots().len();
            same("held", &held, &step[3].number())?;
            let (drift, delivery) = (timeline.drift(), timeline.delivery());
            let ours = [
                timeline.time(),
                timeline.speed(),
                drift.value(),
                drift.standard_deviation(),
                delivery.value(),
                delivery.standard_deviation(),
            ];
            same_numbers("insert", ours, &step[4..])?;
        } else {
            let mut buffer = SnapshotBuffer::default();
            for snapshot in timeline.snapshots() {
                buffer.insert(*snapshot, usize::MAX);
            }
            timeline.advance(step[1].seconds());
            let sample = buffer.sample(timeline.time()).ok_or("nothing is held")?;
            let ours = [
                timeline.time(),
                sample.from.remote_time,
                sample.to.remote_time,
                sample.fraction,
            ];
            same_numbers("step", ours, &step[2..6])?;
            let held = timeline.snapshots().len();
            same("held", &held, &step[6].number())?;
        }
    }
    Ok(())
}

/// A number that Mirror holds as `float`.
#[allow(clippy::cast_possible_truncation, reason = "it was widened")]
fn number(json: &Value) -> f32 {
    json.seconds() as f32
}
