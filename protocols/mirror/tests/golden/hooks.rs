//! `hooks.json`: when hooks are called, and with what.

use serde_json::{Value, json};

use super::classes;
use super::component::Component;
use super::differences::Rule;
use super::json::Json;
use super::log;
use crate::{Report, Verdict};
use syncvar_testing::golden::same;

pub(crate) fn run(json: &Value, report: &mut Report) {
    for case in json.at("cases").list() {
        let name = case.at("name").text();
        report.case("hooks", name, || one(name, case));
    }
}

fn new(class: &str) -> Component {
    Component::new(classes::find(class).expect("known"))
}

/// What was written down, as the recorder has it.
fn told() -> Vec<String> {
    let entries = log::take().into_iter();
    let entries = entries.filter(|entry| entry.event == "hook");
    entries.map(|entry| entry.arguments.text().into()).collect()
}

fn recorded(case: &Value, key: &str) -> Vec<String> {
    let lines = case.at(key).list().iter();
    lines.map(|line| line.text().into()).collect()
}

/// The part of a line that does not depend on when the hook runs.
fn heads(lines: &[String]) -> Vec<&str> {
    let head = |line: &String| {
        let end = line.find(')').map(|end| end + 1);
        end.or_else(|| line.find(" b=")).unwrap_or(line.len())
    };
    lines.iter().map(|line| &line[..head(line)]).collect()
}

fn one(name: &str, case: &Value) -> Result<Verdict, String> {
    let kind = name.split(':').next().unwrap_or_default();
    let mut component = new("HookVars");
    log::take();
    match kind {
        "server-only" => {
            let mut component = Component::observed(classes::find("HookVars").expect("known"));
            for value in [11, 12] {
                component.subject_mut().set_all(&json!([["a", value]]));
            }
            same("told", &told(), &recorded(case, "log"))?;
            same("dirty", &component.masks().0, &case.at("dirty").number())?;
            Ok(Verdict::Matched)
        }
        "client initial, values equal the defaults" => {
            component.read_and_notify(&case.at("bytes").hex(), true)?;
            same("told", &told(), &recorded(case, "log"))?;
            Ok(Verdict::Matched)
        }
        "client delta with all fields" => {
            component.read_and_notify(&case.at("bytes").hex(), false)?;
            afterwards(&told(), &recorded(case, "log"))
        }
        "client delta repeating current values" => {
            component
                .subject_mut()
                .set_all(&json!([["a", 10], ["b", 20]]));
            component.read_and_notify(&case.at("bytes").hex(), false)?;
            same("told", &told(), &recorded(case, "log"))?;
            Ok(Verdict::Matched)
        }
        "client delta list set + b" => {
            let full = "0200000002040000000014283c04006e65770000c03f0e";
            component.read(&hex::decode(full).expect("bytes"), true)?;
            component.subject_mut().set_all(&json!([["b", 20]]));
            component
                .subject_mut()
                .operate(&json!({"op": "Set", "args": [0, 1]}));
            component.read_and_notify(&case.at("bytes").hex(), false)?;
            afterwards(&told(), &recorded(case, "log"))
        }
        "client initial after spawn finished, values differ from defaults" => {
            let mut component = new("HookVarsChild");
            component.read_and_notify(&case.at("bytes").hex(), true)?;
            let (ours, recorded) = (told(), recorded(case, "log"));
            let base: Vec<_> = recorded
                .iter()
                .map(|line| line.replace("child.", ""))
                .collect();
            same("told of", &heads(&ours), &heads(&base))?;
            same(
                "dirty",
                &component.masks().0,
                &case.at("dirty_after").number(),
            )?;
            Ok(Verdict::Ruled(Rule::NotifiedAfterwards))
        }
        "client-only local set" => {
            component.subject_mut().set_all(&json!([["a", 501]]));
            same("told", &told(), &recorded(case, "log"))?;
            same("dirty", &component.masks().0, &case.at("dirty").number())?;
            Ok(Verdict::Matched)
        }
        "client initial while spawning" => {
            let full = "0200000002040000000014283c04006e65770000c03f0e";
            component.read_and_notify(&hex::decode(full).expect("bytes"), true)?;
            same("told", &told(), &recorded(case, "log_after_finish"))?;
            Ok(Verdict::Matched)
        }
        "client hook writing SyncVars" => {
            let mut component = new("HookWrites");
            component.read_and_notify(&case.at("bytes").hex(), false)?;
            let (ours, recorded) = (told(), recorded(case, "log"));
            // Ours runs when `y` is there too; the hook of `x` then writes to it.
            same("told of x", &ours[0], &"x(0->5) y=6".to_string())?;
            same("told as often", &ours.len(), &recorded.len())?;
            Ok(Verdict::Ruled(Rule::NotifiedAfterwards))
        }
        "client reference SyncVars to a netId that is not spawned" => {
            let mut component = new("RefVars");
            component.read_and_notify(&case.at("bytes").hex(), false)?;
            let told: Vec<_> = log::take()
                .into_iter()
                .map(|it| it.arguments[0].clone())
                .collect();
            let recorded = recorded(case, "log");
            let names: Vec<_> = recorded.iter().map(|line| line.split('(').next()).collect();
            same(
                "told of",
                &told,
                &names.iter().map(|name| json!(name)).collect(),
            )?;
            Ok(Verdict::Ruled(Rule::ReferencesAreIds))
        }
        _ if kind.starts_with("host mode") => Ok(Verdict::Ruled(Rule::HostMode)),
        other => Err(format!("`{other}` is not understood")),
    }
}

/// The same hooks are told of the same values in the same order; what they see of other fields is what is
/// there when everything has been read.
fn afterwards(ours: &[String], recorded: &[String]) -> Result<Verdict, String> {
    same("told of", &heads(ours), &heads(recorded))?;
    if ours == recorded {
        return Ok(Verdict::Matched);
    }
    Ok(Verdict::Ruled(Rule::NotifiedAfterwards))
}
