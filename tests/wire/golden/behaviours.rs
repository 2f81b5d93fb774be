//! `behaviours.json` and `behaviours_random.json`: what `on_serialize` writes after each step of a
//! behaviour's life, and what `on_deserialize` makes of it on another object.

use super::Report;
use super::cell::Structs;
use super::class::Class;
use super::classes::{self, Known};
use super::trial::Trial;
use syncvar_testing::golden::catch;
use syncvar_testing::golden::{Json, Node};

pub(crate) fn run(file: &Json, report: &mut Report) -> usize {
    run_with(classes::find, file, report)
}

/// Runs the classes that `find` knows as what it says, the others with a stand-in.
fn run_with(find: fn(&str) -> Option<Known>, file: &Json, report: &mut Report) -> usize {
    let structs = Structs::from_json(file.at("structs"));
    let mut count = 0;
    for json in file.at("classes").list() {
        let name = json.at("class").text();
        let Json::List(steps) = json.at("steps") else {
            report.fault(format!("the steps of {name} are no list"));
            continue;
        };
        let known = find(name);
        let class = catch(|| Class::from_json(json, &structs, known));
        if let Ok(Ok(class)) = &class
            && class.is_stand_in()
        {
            report.note(format!("{name}: {} by the stand-in", steps.len()));
            match known {
                Some(_) if report.is_ours() => report.fault(format!("{name} has other fields")),
                Some(_) => println!("{name} is another class here, so a stand-in has its place"),
                None => {}
            }
        }
        if let (Err(panic), []) = (&class, &steps[..]) {
            report.fault(format!("{name}, which has no steps: {panic}"));
        }
        let name = report.group(name);
        let mut trial = class.as_ref().map(|class| class.as_ref().map(Trial::new));
        for (number, step) in steps.iter().enumerate() {
            let label = step.at("label").text();
            report.vector(
                format!("{name} #{number} {label}"),
                |check| match &mut trial {
                    Ok(Ok(trial)) => trial.step(step, check),
                    Ok(Err(rule)) => check.under(**rule),
                    Err(panic) => check.fault("class", "one that can be made", panic),
                },
            );
        }
        count += steps.len();
    }
    count
}

/// The stand-in for classes that are not known by name writes and reads what the derived code does;
/// two classes have code of their own, which nothing can stand in for.
#[test]
fn the_stand_in_matches_the_recordings_too() {
    let written_by_hand = |name: &str| match name {
        "FromManual" | "DefaultSer" => classes::find(name),
        _ => None,
    };
    let mut report = Report::new("behaviours.json", true);
    let count = run_with(
        written_by_hand,
        super::recordings::behaviours(),
        &mut report,
    );
    report.verify(Some(count));
}
