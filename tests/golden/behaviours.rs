//! `behaviours.json` and `behaviours_random.json`: what `on_serialize` writes after each step of a
//! behaviour's life, and what `on_deserialize` makes of it on another object.

use super::cell::Structs;
use super::check::Check;
use super::class::Class;
use super::json::Json;
use super::report::Report;
use super::trial::Trial;

pub(crate) fn run(file: &Json, report: &mut Report) -> usize {
    let structs = Structs::from_json(file.at("structs"));
    let classes = file.at("classes").items();
    for json in classes {
        let (name, steps) = (json.at("class").text(), json.at("steps").items());
        let vector =
            |report: &mut Report, number, step: &Json, test: &mut dyn FnMut(&mut Check)| {
                let label = step.at("label").text();
                report.vector(format!("{name} #{number} {label}"), test);
            };
        match Class::from_json(json, &structs) {
            Ok(class) => {
                let mut trial = Trial::new(&class);
                for (number, step) in steps.iter().enumerate() {
                    vector(report, number, step, &mut |check| trial.step(step, check));
                }
            }
            Err(rule) => {
                for (number, step) in steps.iter().enumerate() {
                    vector(report, number, step, &mut |check| check.under(rule));
                }
            }
        }
    }
    classes
        .iter()
        .map(|class| class.at("steps").items().len())
        .sum()
}
