//! One scenario of `messages.json`: our server does what UNet's did, and its messages are compared.

use std::time::Duration;

use syncvar::Channel;

use super::Check;
use super::bytes::RecordedBytes;
use super::command::Command;
use super::frame::{Frame, show};
use super::rule::Rule;
use super::scripts::{Expect, Script};
use super::stage::Stage;
use syncvar_testing::golden::{Json, Node};

/// One step: what is done, and what ours must send.
struct Step<'a> {
    json: &'a Json,
    /// The rest of the scenario.
    following: &'a [Json],
    commands: Vec<Command>,
    expect: Expect,
}

pub(crate) struct Scenario<'a> {
    stage: Stage,
    /// The object that the scenario is about.
    object: u32,
    /// The rule by which the scenario cannot even begin.
    impossible: Option<Rule>,
    steps: std::vec::IntoIter<Step<'a>>,
}

impl<'a> Scenario<'a> {
    pub(crate) fn new(json: &'a Json, script: Option<&Script>, channels: &[Channel]) -> Self {
        let object = json.get("netId").map_or(1, Json::number);
        let setup = match (script, json.get("components")) {
            (Some(script), _) => Command::parse_all(script.setup),
            (None, Some(components)) => set_up(object, components),
            (None, None) => Vec::new(),
        };
        let steps = steps(
            json,
            object,
            &setup,
            script.map_or(&[], |script| script.steps),
        );
        let commands: Vec<_> = steps
            .iter()
            .flat_map(|step| &step.commands)
            .cloned()
            .collect();
        let channel_count = script.map_or(channels.len(), |script| script.channel_count);
        let channels = &channels[..channel_count.min(channels.len())];
        let mut stage = Stage::new(channels, &[setup.as_slice(), &commands].concat());
        let impossible = stage.perform_all(&setup).err();
        stage.take_frames();
        Self {
            stage,
            object,
            impossible,
            steps: steps.into_iter(),
        }
    }

    pub(crate) fn step(&mut self, check: &mut Check) {
        let Some(step) = self.steps.next() else {
            return check.fault("script", "one for this step", "none");
        };
        let skipped = match step.expect {
            Expect::Skipped(rule) => Some(rule),
            _ => self.impossible,
        };
        match skipped {
            Some(rule) => check.under(rule),
            None => {
                if let Err(rule) = self.run(&step, check) {
                    check.under(rule);
                }
            }
        }
    }

    fn run(&mut self, step: &Step<'_>, check: &mut Check) -> Result<(), Rule> {
        let (last, first) = step.commands.split_last().expect("at least one command");
        self.stage.perform_all(first)?;
        let mut other_bits = false;
        if let Some(recorded) = step.json.get("masks_before") {
            other_bits |= self.compare_dirty_bits(recorded, check)?;
        }
        if self.stage.has(self.object) && self.stage.has_dirty_lists(self.object)? {
            check.under(Rule::ListChanges);
            other_bits = true;
        }
        let (before, recorded_update) = self.before_update()?;
        let own_update = match step.expect {
            Expect::WholeUpdate(_, object) => self.stage.expected_update(object, 1)?,
            Expect::WholeSpawn(_, object) => self.stage.expected_spawn(object, 1)?,
            _ if self.stage.has(self.object) => self.stage.expected_update(self.object, 1)?,
            _ => Vec::new(),
        };
        self.stage.perform(last)?;
        let frames = self.stage.take_frames();
        if self.stage.has(self.object) {
            let after = self.stage.dirty_bits(self.object)?;
            self.stage.clear_unknown_bits(self.object, &before, &after);
        }
        if let (Expect::Recorded, Some(recorded)) = (step.expect, step.json.get("masks_after")) {
            other_bits |= self.compare_dirty_bits(recorded, check)?;
        }
        let recorded_update = other_bits.then_some(recorded_update.as_slice());
        compare(step, &frames, &own_update, recorded_update, check);
        Ok(())
    }

    /// The dirty bits of the object, and the update that UNet must give it now.
    fn before_update(&self) -> Result<(Vec<u64>, Vec<Frame>), Rule> {
        if !self.stage.has(self.object) {
            return Ok((Vec::new(), Vec::new()));
        }
        let ours = self.stage.dirty_bits(self.object)?;
        let recorded = self.stage.as_recorded(self.object, &ours)?;
        let update = self.stage.recorded_update(self.object, 1, &recorded)?;
        Ok((ours, update))
    }

    /// Whether other bits are dirty, by a rule.
    fn compare_dirty_bits(&self, recorded: &Json, check: &mut Check) -> Result<bool, Rule> {
        let mut other_bits = false;
        let ours = self.stage.dirty_bits(self.object)?;
        let classes = self.stage.classes(self.object)?;
        check.equal("number of masks", recorded.items().len(), ours.len());
        let pairs = recorded.items().iter().zip(ours).zip(classes);
        for (index, ((recorded, ours), class)) in pairs.enumerate() {
            let recorded = recorded.number();
            let unknown_bits = self.stage.unknown_bits(self.object, index);
            let recorded_unknown = recorded & !class.recorded_bits();
            check.equal(
                "UNet's bits without a field",
                unknown_bits,
                recorded_unknown,
            );
            if recorded != ours {
                let rule = class.why_other_bits(recorded, ours, unknown_bits);
                check.differs(rule, "dirty bits", recorded, ours);
                other_bits = true;
            }
        }
        Ok(other_bits)
    }
}

/// A connection that is ready, and an object that it sees.
fn set_up(object: u32, components: &Json) -> Vec<Command> {
    let classes = components.items().iter().map(super::command::class_name);
    let classes: Vec<String> = classes.collect();
    Command::parse_all(&format!(
        "connect 1; ready 1; spawn {object} 1 {}; update",
        classes.join(" ")
    ))
}

/// The steps of a scenario: some are recorded with all their circumstances, for the others there is
/// a script.
fn steps<'a>(
    json: &'a Json,
    object: u32,
    setup: &[Command],
    scripts: &[(&str, Expect)],
) -> Vec<Step<'a>> {
    let items = json.at("steps").items();
    let mut scripts = scripts.iter();
    let steps = (1..).zip(items).map_while(|(next, json)| {
        let (commands, expect) = if let Some(values) = json.get("set") {
            (assign(object, values), Expect::Recorded)
        } else if let Some(time) = json.get("time") {
            (
                assign_at(
                    json.at("action").text(),
                    setup,
                    Duration::from_secs_f64(time.seconds()),
                ),
                Expect::Recorded,
            )
        } else if json.get("components").is_some() {
            (
                vec![Command::spawn_from_json(json), Command::Update(None)],
                Expect::Recorded,
            )
        } else {
            let (commands, expect) = scripts.next()?;
            (Command::parse_all(commands), *expect)
        };
        Some(Step {
            json,
            following: &items[next..],
            commands,
            expect,
        })
    });
    steps.collect()
}

fn assign(object: u32, values: &Json) -> Vec<Command> {
    let values = values.entries().iter();
    let commands = values.map(|(field, value)| Command::set(object, field, value));
    commands.chain([Command::Update(None)]).collect()
}

/// `Slow.v=2: ...` assigns to field `v` of the behaviour of class `Slow`, `v=2` to that of the
/// first; any other text only lets the time come.
fn assign_at(action: &str, setup: &[Command], time: Duration) -> Vec<Command> {
    let mut commands = Vec::new();
    let first_word = action.split([' ', ':']).next().unwrap_or_default();
    let spawn = setup.iter().find_map(|command| match command {
        Command::Spawn(spawn) => Some(spawn),
        _ => None,
    });
    if let (Some((target, value)), Some(spawn)) = (first_word.split_once('='), spawn) {
        let (class, field) = target
            .split_once('.')
            .unwrap_or((&spawn.classes[0], target));
        let behaviour = spawn.classes.iter().position(|name| name == class);
        let field = format!("{}.{field}", behaviour.expect("a class of the object"));
        commands.push(Command::set(spawn.object, &field, &Json::parse(value)));
    }
    commands.push(Command::Update(Some(time)));
    commands
}

/// `recorded_update` is what UNet must send with bits of its own, where it has others than ours, or
/// with whole lists.
fn compare(
    step: &Step<'_>,
    frames: &[Frame],
    own_update: &[Frame],
    recorded_update: Option<&[Frame]>,
    check: &mut Check,
) {
    let recorded = || Frame::recorded(step.json.at("packets"));
    let (expected, rule) = match (step.expect, recorded_update) {
        (Expect::Recorded, Some(update)) => {
            check.equal("UNet's messages", show(update), show(&recorded()));
            (own_update.to_vec(), None)
        }
        (expect, _) => expected(step, expect, own_update, check),
    };
    check.equal("messages", show(&expected), show(frames));
    if let Some(rule) = rule {
        check.under(rule);
    }
}

/// The messages that ours must send where it has UNet's dirty bits, and the rule by which they are
/// others.
fn expected(
    step: &Step<'_>,
    expect: Expect,
    own_update: &[Frame],
    check: &mut Check,
) -> (Vec<Frame>, Option<Rule>) {
    let recorded = || Frame::recorded(step.json.at("packets"));
    match expect {
        Expect::Recorded => (recorded(), None),
        Expect::Nothing(rule) | Expect::Skipped(rule) => (Vec::new(), Some(rule)),
        Expect::NotAgain(rule) => {
            let are_updates = recorded().iter().all(|frame| frame.message_type() == 8);
            check.equal("whether UNet sends updates only", true, are_updates);
            (Vec::new(), Some(rule))
        }
        Expect::Instead(rule, frames) => (literal(frames), Some(rule)),
        Expect::Before(rule, frames) => ([literal(frames), recorded()].concat(), Some(rule)),
        Expect::Sooner(rule, count) => {
            let following = step.following.iter().take(count);
            let frames = following.flat_map(|step| Frame::recorded(step.at("packets")));
            (
                frames.filter(|frame| !frame.is_of_the_user()).collect(),
                Some(rule),
            )
        }
        Expect::WholeUpdate(rule, _) | Expect::WholeSpawn(rule, _) => {
            if rule == Rule::WholeMessages {
                compare_fragments(step.json.at("packets"), own_update, check);
            }
            (own_update.to_vec(), Some(rule))
        }
    }
}

fn literal(frames: &[(u32, u8, &str)]) -> Vec<Frame> {
    let frames = frames.iter().map(|(connection, channel, bytes)| Frame {
        connection: *connection,
        channel: *channel,
        bytes: hex::decode(bytes).expect("hexadecimal text"),
    });
    frames.collect()
}

/// UNet cuts a message that is larger than a packet: the pieces that it sends are those of ours.
fn compare_fragments(packets: &Json, message: &[Frame], check: &mut Check) {
    let pieces: Vec<_> = message
        .iter()
        .flat_map(|frame| fragments(&frame.bytes))
        .collect();
    let packets = packets.items();
    check.equal("number of fragments", packets.len(), pieces.len());
    for (packet, piece) in packets.iter().zip(pieces) {
        let recorded = RecordedBytes::of_packet(packet);
        if !recorded.are(&piece) {
            check.fault("fragment", recorded, hex::encode(piece));
        }
    }
}

/// Messages of type 17: 0, the length and bytes of a piece; or 1 for the end.
pub(crate) fn fragments(message: &[u8]) -> Vec<Vec<u8>> {
    let pieces = message.chunks(1340 - 32).map(|piece| {
        let length = u16::try_from(piece.len()).expect("a piece is small");
        let header = [
            &(length + 3).to_le_bytes()[..],
            &[17, 0, 0],
            &length.to_le_bytes(),
        ];
        [&header.concat(), piece].concat()
    });
    pieces.chain([vec![1, 0, 17, 0, 1]]).collect()
}
