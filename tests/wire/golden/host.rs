//! `host.json`: a server with a local client, and one other connection. What the other one is sent is
//! what UNet's was; what the hooks of the host are told is by a rule.

use syncvar::{Channel, NetId};

use super::Check;
use super::Report;
use super::classes::calls::Calls;
use super::command::Command;
use super::frame::{Frame, show};
use super::rule::Rule;
use super::stage::Stage;
use syncvar_testing::golden::{Json, Node};

/// What our server is compared with.
#[derive(Clone, Copy)]
enum Expect {
    /// The recorded messages, and the hooks that have run with the update.
    Recorded(&'static [&'static str]),
    /// The recorded messages, and the recorded calls on object 2. A command is refused unless the local
    /// client owns the object.
    Called { command: bool },
    /// The update of this object with the changes of its lists.
    ListUpdate(u32),
    /// Nothing: what was done is not there by a rule.
    Skipped(Rule),
}

use Expect::{Called, ListUpdate, Recorded, Skipped};

/// The steps, which are recorded as prose, as commands; and the behaviour whose state is recorded.
const STEPS: [(&str, Expect, (u32, usize)); 16] = [
    (
        "spawn 1 1 HookVar HookChain; own 1 0; update",
        Recorded(&[]),
        (1, 0),
    ),
    ("set 1 0.hp 5; update", Recorded(&["hp was 100"]), (1, 0)),
    ("set 1 0.hp 5; update", Recorded(&[]), (1, 0)),
    (
        r#"set 1 0.nick "n"; update"#,
        Recorded(&[r#"nick was """#]),
        (1, 0),
    ),
    (
        "set 1 1.a 4; set 1 1.b 40; update",
        Recorded(&["a was 0", "b was 0"]),
        (1, 1),
    ),
    (
        r#"set 1 1.go {"netId": 1}; update"#,
        Recorded(&["go was #0"]),
        (1, 1),
    ),
    (
        "spawn 2 2 Calls ListsAndVars; update",
        Recorded(&[]),
        (2, 1),
    ),
    ("damage 2 3", Called { command: false }, (2, 0)),
    ("move 2 1 2", Called { command: true }, (2, 0)),
    ("magic 2 0 8", Called { command: false }, (2, 0)),
    ("magic 2 1 9", Called { command: false }, (2, 0)),
    // 120 is `x`.
    ("hit 2 120", Called { command: false }, (2, 0)),
    (
        "set 2 1.li [5]; set 2 1.li [6]; set 2 1.li []; update",
        ListUpdate(2),
        (2, 1),
    ),
    ("set 2 1.v0 77; update", Recorded(&[]), (2, 1)),
    ("", Skipped(Rule::SideGuards), (2, 0)),
    ("despawn 1; update", Recorded(&[]), (1, 0)),
];

pub(crate) fn run(file: &Json, report: &mut Report) -> usize {
    let steps = file.at("steps").list();
    let commands: Vec<_> = STEPS
        .iter()
        .flat_map(|(commands, ..)| Command::parse_all(commands))
        .collect();
    let mut stage = Stage::new(&[Channel::Reliable, Channel::Unreliable], &commands);
    let start = Command::parse_all("connect-local 0; connect 1; ready 1; update; forget");
    stage.perform_all(&start).expect("nothing is spawned");
    let scripts = STEPS.map(Some).into_iter().chain(std::iter::repeat(None));
    for ((number, step), script) in steps.iter().enumerate().zip(scripts) {
        let name = format!("#{number} {}", step.at("step").text());
        report.vector(name, |check| match script {
            Some((commands, expect, place)) => {
                let done = compare(&mut stage, step, (commands, expect, place), check);
                done.unwrap_or_else(|rule| check.under(rule));
            }
            None => check.fault("script", "one for this step", "none"),
        });
    }
    steps.len()
}

fn compare(
    stage: &mut Stage,
    step: &Json,
    (commands, expect, place): (&str, Expect, (u32, usize)),
    check: &mut Check,
) -> Result<(), Rule> {
    let recorded = Frame::recorded(step.at("to_remote_client"));
    let commands = Command::parse_all(commands);
    match expect {
        Skipped(rule) => return Err(rule),
        Called { command } => return compare_call(stage, step, &commands, command, check),
        ListUpdate(object) => {
            let (update, changes) = commands.split_last().expect("an update");
            let mut theirs = stage.lists(object)?;
            for frame in &recorded {
                theirs.take(frame.payload(), check);
            }
            stage.perform_all(changes)?;
            let own_update = stage.expected_update(object, 1)?;
            stage.perform(update)?;
            check.equal("messages", show(&own_update), show(&stage.take_frames()));
            let ours = stage.lists(object)?.show();
            check.equal("UNet's lists", theirs.show(), ours);
            return Err(Rule::ListChanges);
        }
        Recorded(hooks) => {
            stage.perform_all(&commands)?;
            let sent = stage.take_frames();
            let recorded = renumbered(&recorded);
            check.equal("messages", show(&recorded), show(&sent));
            compare_hooks(stage, step, hooks, place, check);
        }
    }
    if let Some(recorded) = step.get("state") {
        stage.compare_behaviour(place, recorded.at("state"), check);
        let (seen, owned) = stage.seen_locally(place.0);
        check.equal(
            "whether it is a client",
            recorded.at("isClient").truth(),
            seen,
        );
        check.equal("authority", recorded.at("hasAuthority").truth(), owned);
    }
    Ok(())
}

/// Calls, and then updates. What has been called runs when UNet's has run.
fn compare_call(
    stage: &mut Stage,
    step: &Json,
    call: &[Command],
    command: bool,
    check: &mut Check,
) -> Result<(), Rule> {
    let [own, disown, update] = ["own 2 0", "disown 2", "update"].map(Command::parse_all);
    if command {
        check.under(Rule::HostOwns);
        let allowed = stage.may_move_locally(2);
        check.equal("whether it may call what it does not own", false, allowed);
        stage.perform_all(&own)?;
    }
    stage.perform_all(call)?;
    compare_ran(stage, step.at("log_during_call"), check);
    if command {
        stage.perform_all(&disown)?;
    }
    stage.perform_all(&update)?;
    compare_ran(stage, step.at("log_after_update"), check);
    let recorded = Frame::recorded(step.at("to_remote_client"));
    let sent = stage.take_frames();
    check.equal("messages", show(&recorded), show(&sent));
    Ok(())
}

/// What has run on the host, and the events that it was told of.
fn compare_ran(stage: &mut Stage, recorded: &Json, check: &mut Check) {
    let recorded = recorded.items().iter().map(Json::text);
    // 0 is UNet's number of the local client.
    let recorded = recorded.map(|text| text.trim_end_matches(" conn=0"));
    let mut ran = stage.take_calls(2);
    for event in stage.take_local_events() {
        let (a, b, c) = event.arguments(Calls::EVENT_HIT).expect("the one event");
        ran.push(format!("EventHit({a},{b},{c})"));
    }
    let recorded: Vec<_> = recorded.collect();
    check.equal("what has run", recorded.join("; "), ran.join("; "));
}

/// UNet's hooks run in the assignment, before the value is stored; ours with the update.
fn compare_hooks(
    stage: &mut Stage,
    step: &Json,
    hooks: &[&str],
    (object, behaviour): (u32, usize),
    check: &mut Check,
) {
    let theirs = step.at("log_during_call").items().len();
    if theirs > 0 || !hooks.is_empty() {
        check.under(Rule::HostHooks);
    }
    if stage.has(object) && step.get("state").is_some() {
        let ours = stage.take_hooks((object, behaviour)).unwrap_or_default();
        check.equal("hooks", format!("{hooks:?}"), format!("{ours:?}"));
    }
}

/// The recorder has given both objects the number of one asset; ours are two prefabs.
fn renumbered(frames: &[Frame]) -> Vec<Frame> {
    let renumber = |frame: &Frame| {
        let mut frame = frame.clone();
        if frame.message_type() == 3 && frame.object() == Some(NetId(2)) {
            // Behind the header and the object's number.
            let last_of_asset = 4 + 1 + 15;
            frame.bytes[last_of_asset] = 2;
        }
        frame
    };
    frames.iter().map(renumber).collect()
}
