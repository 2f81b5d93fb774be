//! `messages.json`: the messages of a server, and what a client makes of them.

use syncvar::Channel;

use super::Report;
use super::calls;
use super::message_classes;
use super::receiving;
use super::scenario::Scenario;
use super::scripts;
use syncvar_testing::golden::catch;
use syncvar_testing::golden::{Json, Node};

pub(crate) fn run(file: &Json, report: &mut Report) -> usize {
    let channels = channels(file.at("channels").text());
    let mut count = 0;
    for (section, content) in file.at("sections").entries() {
        count += match section.as_str() {
            "update_vars" | "send_interval" | "spawn_and_scene" | "channel_buffer" => {
                run_scenarios(section, content, &channels, report)
            }
            "message_classes" => message_classes::run(content, report),
            "receive_errors" => receiving::run_client(content, report),
            "receive_on_server" => receiving::run_server(content, report),
            "remote_calls" => calls::run(content, report),
            _ => panic!("a section `{section}`, which this test does not know"),
        };
    }
    count
}

/// `0 ReliableSequenced, 1 Unreliable, ...; PacketSize 1440`
fn channels(text: &str) -> Vec<Channel> {
    let (names, _) = text.split_once(';').unwrap_or((text, ""));
    let kinds = names.split(", ").map(|name| {
        let is_unreliable = name.contains(" Unreliable");
        if is_unreliable {
            Channel::Unreliable
        } else {
            Channel::Reliable
        }
    });
    kinds.collect()
}

fn run_scenarios(
    section: &str,
    scenarios: &Json,
    channels: &[Channel],
    report: &mut Report,
) -> usize {
    for json in scenarios.list() {
        let name = json.at("name").text();
        let mut scenario = catch(|| Scenario::new(json, scripts::find(name), channels));
        let name = report.group(&format!("{section}: {name}"));
        for (number, step) in json.at("steps").list().iter().enumerate() {
            let action = step.at("action").text();
            let vector = format!("{name} #{number} {action}");
            report.vector(vector, |check| match &mut scenario {
                Ok(scenario) => scenario.step(check),
                Err(panic) => check.fault("scenario", "one that can be run", panic),
            });
        }
    }
    scenarios
        .items()
        .iter()
        .map(|scenario| scenario.at("steps").items().len())
        .sum()
}
