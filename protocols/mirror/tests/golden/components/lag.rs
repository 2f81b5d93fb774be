//! `components_lag.json`: captured states, and the boxes around them.

use serde_json::Value;
use syncvar::mirror::components::{Bounds, Capture, HistoryBounds, LagHistory, estimated_view};
use syncvar::values::Vector3;

use super::snapshots::same_numbers;
use super::vector;
use crate::Report;
use crate::golden::json::Json;
use syncvar_testing::golden::same;

pub(crate) fn run(json: &Value, report: &mut Report) {
    for (index, case) in json.at("cases").list().iter().enumerate() {
        let name = index.to_string();
        if let Some(times) = case.get("estimate_time") {
            report.check("time", &name, || {
                let times = times.list();
                let [now, round_trip, buffer] =
                    [0, 1, 2].map(|index: usize| times[index].seconds());
                same_numbers(
                    "time",
                    [estimated_view(now, round_trip, buffer)],
                    &times[3..],
                )
            });
        } else if case.get("bounds_limit").is_some() {
            report.check("bounds", &name, || bounds(case));
        } else {
            report.check("samples", &name, || samples(case));
        }
    }
}

fn samples(case: &Value) -> Result<(), String> {
    let interval = case.at("interval").seconds();
    let mut history = LagHistory::new(case.at("limit").number(), interval);
    for step in case.at("steps").list() {
        let time = step[1].seconds();
        if step[0].text() == "i" {
            let (position, size) = (vector(&step[2]), vector(&step[3]));
            history.insert(time, Capture { position, size });
            same("held", &history.len(), &step[4].number())?;
            continue;
        }
        let sample = history.sample(time);
        same(
            &format!("found {time}"),
            &sample.is_some(),
            &step[2].truth(),
        )?;
        let Some(sample) = sample else {
            continue;
        };
        let ours = [sample.before.0, sample.after.0, sample.fraction];
        same_numbers("sample", ours, &step.list()[3..6])?;
        let capture = Capture::interpolated(&sample);
        let recorded = (vector(&step[6]), vector(&step[7]));
        same("capture", &bits(capture.position), &bits(recorded.0))?;
        same("capture", &bits(capture.size), &bits(recorded.1))?;
    }
    Ok(())
}

fn bits(v: Vector3) -> [u32; 3] {
    [v.x, v.y, v.z].map(f32::to_bits)
}

/// Unity keeps a box as its centre and half its size, so that its corners are rounded.
fn bounds(case: &Value) -> Result<(), String> {
    let limit = case.at("bounds_limit").number();
    let mut history = HistoryBounds::new(limit, case.at("bounds_per_bucket").number());
    for (index, step) in case.at("steps").list().iter().enumerate() {
        if step[0].text() == "reset" {
            history.clear();
            same("count", &history.count(), &step[1].number())?;
            continue;
        }
        let (min, max) = (vector(&step[0]), vector(&step[1]));
        history.insert(Bounds { min, max });
        same("count", &history.count(), &step[2].number())?;
        let total = history.total().ok_or("no box")?;
        let recorded = (vector(&step[3]), vector(&step[4]));
        let size = [recorded.0, recorded.1].map(|v| v.x.abs().max(v.y.abs()).max(v.z.abs()));
        let near = |a: f32, b: f32| (a - b).abs() <= 1e-3 * size[0].max(size[1]).max(1.0);
        let same = |a: Vector3, b: Vector3| near(a.x, b.x) && near(a.y, b.y) && near(a.z, b.z);
        if !same(total.min, recorded.0) || !same(total.max, recorded.1) {
            return Err(format!("step {index}: {total:?} instead of {recorded:?}"));
        }
    }
    Ok(())
}
