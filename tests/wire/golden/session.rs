//! `session.json`: one conversation. Our server does what UNet's did; a client of ours is given what
//! UNet's client was given.

use std::collections::BTreeMap;

use syncvar::{
    Channel, ClientEvent, NetId, NetworkSceneId, calls::ReceivedEvent, values::NetworkHash128,
};

use super::Check;
use super::Report;
use super::classes::calls::Calls;
use super::command::{Command, scene_asset_id};
use super::frame::{Frame, show};
use super::replica::Replica;
use super::rule::Rule;
use super::spawn::{SceneSpawnMessage, SpawnMessage};
use super::stage::Stage;
use syncvar_testing::golden::{Json, Node};

/// What our server's messages are compared with.
#[derive(Clone, Copy)]
enum Expect {
    Recorded,
    /// The recorded messages without updates: what was changed before the spawn is in the spawn.
    SpawnOnly,
    /// The recorded messages, and that the client owns its player.
    OwnerAgain,
    /// The update of this object with the changes of its lists, which the client is given instead of
    /// UNet's messages.
    ListUpdate(u32),
    /// The client asks for its player 0, or gives it back; the rest as recorded.
    Asks(fn(&mut Replica)),
    /// The client calls `CmdMove` on this object.
    Moves(u32),
}

use Expect::{Asks, ListUpdate, Moves, OwnerAgain, Recorded, SpawnOnly};

/// The steps, which are recorded as prose, as commands.
const STEPS: [(&str, Expect); 24] = [
    ("ready 1; update", Recorded),
    (
        r#"spawn 1 1 data ListsAndVars Calls at 1 2 3; set 1 1.li [7];
           set 1 1.lb [{"id": 1, "name": "x", "timer": {"bits": "40000000"}}]; update"#,
        Recorded,
    ),
    (r#"set 1 0.int1 -7; set 1 1.v1 "neu"; update"#, Recorded),
    (
        r#"set 1 1.li [-1, 300, 8]; set 1 1.lb [{"id": 2, "name": null, "timer": {"bits": "00000000"}}];
           set 1 1.ls ["s"]; set 1 1.ls []; update"#,
        ListUpdate(1),
    ),
    ("set 1 1.SetDirtyBit 2; update", ListUpdate(1)),
    ("damage 1 5; magic 1 1 6; die 1", Recorded),
    ("die 1; hit 1; say 1", Recorded),
    (
        "spawn 2 3 Calls One; player 1 0 2; update",
        Asks(Replica::add_player),
    ),
    ("", Moves(2)),
    ("", Moves(1)),
    ("spawn 3 2 HookVar; set 3 0.hp 55; update", SpawnOnly),
    (r#"set 3 0.hp 60; set 3 0.nick "q"; update"#, Recorded),
    (
        r#"spawn 4 4 Refs; set 4 0.nid 4; set 4 0.go {"netId": 1}; set 4 0.ident {"netId": 3};
           set 4 0.tr {"netId": 1}; update"#,
        SpawnOnly,
    ),
    (r#"set 4 0.go {"netId": 4}; update"#, Recorded),
    ("spawn 5 5 InhB OnCh1 EmptyBeh Three; update", Recorded),
    (
        r#"set 5 0.b0 99; set 5 1.v 98; set 5 3.f {"bits": "41180000"}; update"#,
        Recorded,
    ),
    ("spawn-scene 6 12 One Two; set 6 0.v 44; update", SpawnOnly),
    ("not-ready 1", Recorded),
    ("ready 1; update", OwnerAgain),
    ("hide 1 1; update", Recorded),
    ("show 1 1; update", Recorded),
    ("own 3 1", Recorded),
    ("despawn 3; update", Recorded),
    ("despawn 2; update", Asks(Replica::remove_player)),
];

struct Session {
    stage: Stage,
    replica: Replica,
    /// Objects that ours does not have, and why.
    absent: BTreeMap<NetId, Rule>,
    /// The events of objects that the client was told of.
    told: Vec<String>,
}

pub(crate) fn run(file: &Json, report: &mut Report) -> usize {
    let steps = file.at("steps").list();
    let mut session = Session::new(steps);
    let scripts = STEPS.map(Some).into_iter().chain(std::iter::repeat(None));
    for ((number, step), script) in steps.iter().enumerate().zip(scripts) {
        let name = format!("#{number} {}", step.at("step").text());
        report.vector(name, |check| match script {
            Some((commands, expect)) => session.step(step, commands, expect, check),
            None => check.fault("script", "one for this step", "none"),
        });
    }
    steps.len()
}

impl Session {
    fn new(steps: &[Json]) -> Self {
        let commands: Vec<_> = STEPS
            .iter()
            .flat_map(|(commands, _)| Command::parse_all(commands))
            .collect();
        let mut stage = Stage::new(&[Channel::Reliable, Channel::Unreliable], &commands);
        stage
            .perform(&Command::Connect(1))
            .expect("a connection is always possible");
        let scene = scene(steps);
        let mut assets = assets(steps);
        let scene_assets = scene.iter();
        assets.extend(scene_assets.map(|(id, classes)| (scene_asset_id(*id), classes.clone())));
        let mut replica = Replica::new(&assets);
        for scene_id in scene.into_keys() {
            replica.add_scene_object(scene_id);
        }
        Self {
            stage,
            replica,
            absent: BTreeMap::new(),
            told: Vec::new(),
        }
    }

    fn step(&mut self, step: &Json, commands: &str, expect: Expect, check: &mut Check) {
        let (sent, received) = wire(step);
        if let Moves(object) = expect {
            return self.compare_command(NetId(object), &sent, step, check);
        }
        if let Asks(ask) = expect {
            ask(&mut self.replica);
        }
        self.compare_client(&sent, expect, check);
        if let ListUpdate(object) = expect {
            let updated = self.compare_list_update(&received, commands, object, check);
            updated.unwrap_or_else(|rule| check.under(rule));
        } else {
            self.compare_server(&received, commands, expect, check);
            for (frame, json) in received.iter().zip(received_json(step)) {
                if json.get("client_log").is_some() {
                    check.under(Rule::NotReadyIsKnown);
                }
                self.deliver(frame, check);
            }
        }
        if step
            .entries()
            .iter()
            .any(|(key, _)| key.ends_with("HookVar_log"))
        {
            received
                .iter()
                .filter_map(Frame::object)
                .for_each(|id| self.replica.note_hooks(id));
            check.under(Rule::HooksAfterApply);
        }
        if let Some(log) = step.get("client_Calls_log") {
            self.compare_calls(log, check);
        }
        for (key, recorded) in step.entries() {
            if let Some(number) = key.strip_prefix("client_object_") {
                let id = NetId(number.parse().expect("an object's number"));
                match self.absent.get(&id) {
                    Some(rule) => check.under(*rule),
                    None => self.replica.compare_object(id, recorded, check),
                }
            }
        }
    }

    /// What our client sends by itself: that it is ready.
    fn compare_client(&mut self, recorded: &[Frame], expect: Expect, check: &mut Check) {
        let sent = self.replica.sent();
        if let Recorded | Asks(_) = expect {
            check.equal("messages of the client", show(recorded), show(&sent));
        }
        if let Asks(_) = expect {
            check.equal("requests", 1, self.stage.take_requests(&sent));
        }
    }

    /// The client calls `CmdMove(3,-4)`. It owns object 2, which is its player.
    fn compare_command(&mut self, id: NetId, recorded: &[Frame], step: &Json, check: &mut Check) {
        let called = self.replica.call_move(id);
        check.equal("whether it is sent", !recorded.is_empty(), called.is_ok());
        let sent = self.replica.sent();
        check.equal("commands", show(recorded), show(&sent));
        let log = self.stage.take_commands(id, &sent);
        let expected = step.get("server_Calls_log").map(|log| {
            let texts: Vec<_> = log.list().iter().map(Json::text).collect();
            texts.join("; ")
        });
        check.equal("what has run", expected.unwrap_or_default(), log.join("; "));
    }

    /// What has run on the client, and the events that it was told of.
    fn compare_calls(&mut self, recorded: &Json, check: &mut Check) {
        let texts = recorded.list().iter().map(Json::text);
        let texts = texts.map(|text| text.trim_end_matches(" conn=1"));
        let (events, calls): (Vec<_>, Vec<_>) = texts.partition(|text| text.starts_with("Event"));
        let ran = self.replica.take_calls(NetId(1));
        check.equal("what has run", calls.join("; "), ran.join("; "));
        // Without a listener UNet writes nothing down.
        let told = std::mem::take(&mut self.told);
        let told = if events.is_empty() {
            String::new()
        } else {
            told.join("; ")
        };
        check.equal("events", events.join("; "), told);
    }

    fn compare_server(
        &mut self,
        recorded: &[Frame],
        commands: &str,
        expect: Expect,
        check: &mut Check,
    ) {
        if let Err(rule) = self.stage.perform_all(&Command::parse_all(commands)) {
            check.under(rule);
        }
        let mut sent = self.stage.take_frames();
        let mut expected = Vec::new();
        for frame in recorded {
            match self.why_not_sent(frame) {
                Some(rule) => check.under(rule),
                None => expected.push(frame.clone()),
            }
        }
        match expect {
            Recorded | ListUpdate(_) | Moves(_) | Asks(_) => {}
            OwnerAgain => {
                let owner = sent.extract_if(.., |frame| frame.message_type() == 4);
                let owner: Vec<_> = owner.collect();
                check.equal(
                    "owner",
                    "[020004000200 to 1 on channel 0]".into(),
                    show(&owner),
                );
                check.under(Rule::OwnerAgain);
            }
            SpawnOnly => {
                expected.retain(|frame| frame.message_type() != 8);
                check.under(Rule::ChangesTravelOnce);
            }
        }
        check.equal("messages of the server", show(&expected), show(&sent));
    }

    /// UNet's messages make its lists what ours are, or are an update with whole lists. Ours is one
    /// update with what has changed.
    fn compare_list_update(
        &mut self,
        recorded: &[Frame],
        commands: &str,
        object: u32,
        check: &mut Check,
    ) -> Result<(), Rule> {
        check.under(Rule::ListChanges);
        let commands = Command::parse_all(commands);
        let (update, changes) = commands.split_last().expect("an update");
        let mut theirs = self.stage.lists(object)?;
        self.stage.perform_all(changes)?;
        let own_update = self.stage.expected_update(object, 1)?;
        if recorded.iter().all(|frame| frame.message_type() == 9) {
            for frame in recorded {
                theirs.take(frame.payload(), check);
            }
            let ours = self.stage.lists(object)?.show();
            check.equal("UNet's lists", theirs.show(), ours);
        } else {
            let dirty_bits = self.stage.dirty_bits(object)?;
            let dirty_bits = self.stage.as_recorded(object, &dirty_bits)?;
            let update = self.stage.recorded_update(object, 1, &dirty_bits)?;
            check.equal("UNet's messages", show(&update), show(recorded));
        }
        self.stage.perform(update)?;
        let sent = self.stage.take_frames();
        check.equal("messages", show(&own_update), show(&sent));
        for frame in &sent {
            self.deliver(frame, check);
        }
        Ok(())
    }

    /// The rule by which our server does not send a recorded message.
    fn why_not_sent(&self, frame: &Frame) -> Option<Rule> {
        let NetId(object) = frame.object()?;
        why_no_message(frame).or(self.stage.why_not(object))
    }

    /// Gives the client a message, unless it is about something that ours does not have.
    fn deliver(&mut self, frame: &Frame, check: &mut Check) {
        let object = frame.object();
        let absent = object.and_then(|id| self.absent.get(&id).copied());
        let rule = why_no_message(frame)
            .or(self.replica.why_not(frame))
            .or(absent);
        if let Some(rule) = rule {
            if let (Some(id), 3 | 10) = (object, frame.message_type()) {
                self.absent.insert(id, rule);
            }
            return check.under(rule);
        }
        if let Err(error) = self.replica.deliver(frame.channel, &frame.bytes) {
            check.fault("delivery", "no error", error);
        }
        for event in self.replica.events() {
            if let ClientEvent::SyncEvent(event) = &event {
                self.told.push(told(event));
            }
            if matches!(
                event,
                ClientEvent::Poisoned { .. } | ClientEvent::SpawnFailed { .. }
            ) {
                check.fault("event", "an object that can be read", format!("{event:?}"));
            }
        }
    }
}

/// An event as the recorder writes it.
fn told(event: &ReceivedEvent) -> String {
    match event.arguments(Calls::EVENT_HIT) {
        Some((a, b, c)) => format!("EventHit({a},{b},{c})"),
        None => "EventDie".into(),
    }
}

/// The rule by which there is no message of this type.
fn why_no_message(frame: &Frame) -> Option<Rule> {
    match frame.message_type() {
        9 => Some(Rule::ListChanges),
        _ => None,
    }
}

/// What the client sent, and what the server sent.
fn wire(step: &Json) -> (Vec<Frame>, Vec<Frame>) {
    let frames = |direction, connection| {
        let items = step.at("wire").items().iter();
        let items = items.filter(move |item| item.at("dir").text() == direction);
        let frames = items.flat_map(move |item| {
            Frame::split(
                connection,
                item.at("channel").number(),
                &item.at("hex").hex(),
            )
        });
        frames.collect()
    };
    (frames("c->s", 0), frames("s->c", 1))
}

fn received_json(step: &Json) -> impl Iterator<Item = &Json> {
    step.at("wire")
        .items()
        .iter()
        .filter(|item| item.at("dir").text() == "s->c")
}

/// The classes of each asset: a spawn names the asset of an object, and the client's object after
/// it has the classes.
fn assets(steps: &[Json]) -> BTreeMap<NetworkHash128, Vec<String>> {
    let mut assets = BTreeMap::new();
    for step in steps {
        let (_, received) = wire(step);
        for spawn in received.iter().filter_map(SpawnMessage::of) {
            if let Some(classes) = classes_after(step, spawn.net_id) {
                assets.insert(spawn.asset_id, classes);
            }
        }
    }
    assets
}

/// The same for the objects of the scene.
fn scene(steps: &[Json]) -> BTreeMap<NetworkSceneId, Vec<String>> {
    let mut scene = BTreeMap::new();
    for step in steps {
        let (_, received) = wire(step);
        for spawn in received.iter().filter_map(SceneSpawnMessage::of) {
            if let Some(classes) = classes_after(step, spawn.net_id) {
                scene.insert(spawn.scene_id, classes);
            }
        }
    }
    scene
}

/// The classes of the client's object after a step.
fn classes_after(step: &Json, NetId(id): NetId) -> Option<Vec<String>> {
    let object @ Json::Object(_) = step.get(&format!("client_object_{id}"))? else {
        return None;
    };
    let behaviours = object.at("behaviours").items().iter();
    let classes = behaviours.map(|behaviour| behaviour.at("class").text().to_string());
    Some(classes.collect())
}
