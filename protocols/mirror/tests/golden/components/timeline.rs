//! `components_timeline.json`: the clock of a client, and of the server for one client.

use serde_json::Value;
use syncvar::mirror::components::{InterpolationSettings, Timeline};

use super::snapshots::same_numbers;
use crate::Report;
use crate::golden::json::Json;
use syncvar_testing::golden::same;

pub(crate) fn run(json: &Value, report: &mut Report) {
    for case in json.at("cases").list() {
        let number: u32 = case.at("n").number();
        report.check(case.at("side").text(), &number.to_string(), || one(case));
    }
}

fn one(case: &Value) -> Result<(), String> {
    let settings = InterpolationSettings {
        dynamic_adjustment: case.at("dynamic").truth(),
        ..InterpolationSettings::default()
    };
    let mut timeline = Timeline::new(settings, case.at("send_rate").number());
    let mut is_first = true;
    for frame in case.at("steps").list() {
        let now = frame.at("t").seconds();
        for times in frame.get("in").map_or(&[][..], Json::list) {
            timeline.add((times[0].seconds(), times[1].seconds()), now);
            is_first = false;
        }
        timeline.advance(frame.at("dt").seconds());
        let out = frame.at("out").list();
        // Mirror's server has the speed 0 before the first time, when it moves nothing.
        let speed = if is_first && case.at("side").text() == "server" {
            0.0
        } else {
            timeline.speed()
        };
        let ours = [
            timeline.multiplier(),
            timeline.time(),
            speed,
            timeline.scaled_time(),
        ];
        same_numbers(&format!("at {now}"), ours, &out[..4])?;
        let held = timeline.snapshots().len();
        same(&format!("held at {now}"), &held, &out[4].number())?;
    }
    Ok(())
}
