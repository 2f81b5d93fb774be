//! `synclists.json`: what UNet sends for operations on lists, and to whom. Rows M5, M17 to M21.
//!
//! Our server sends no such messages. What is compared is our writer and reader of them, what an
//! operation does to a list, and what a list of ours tells of its changes in UNet's operations.

use syncvar::{
    Channel, ClientConfig, ClientEvent, NetworkClient, Prefabs,
    unet::ListHash,
    wire::{NetworkReader, ReadErrorKind},
};

use super::Check;
use super::Report;
use super::class::Class;
use super::command::Command;
use super::frame::{Frame, show};
use super::list_cell::{ForElement, Listed, with_element};
use super::list_trial::Trial;
use super::recordings;
use super::rule::Rule;
use super::stage::Stage;
use syncvar_testing::golden::{Json, Node};

/// How many operations and messages there are in the file that came with this repository.
const OPERATIONS: usize = 95;
const MESSAGES: usize = 71;

pub(crate) fn run(file: &Json, report: &mut Report) -> usize {
    let (mut count, mut operations, mut messages) = (0, 0, 0);
    for json in file.at("lists").list() {
        if let Some(situations) = json.get("recipients") {
            count += run_recipients(json.at("class").text(), situations.list(), report);
            continue;
        }
        let steps = json.at("ops").list();
        operations += steps.len();
        messages += steps
            .iter()
            .map(|step| step.at("messages").list().len())
            .sum::<usize>();
        let kind = json.at("type").text();
        let ran = with_element(kind, Run { json, report });
        assert!(ran.is_some(), "`{kind}` is no recorded list");
        count += steps.len() + 1;
    }
    let counts = (operations, messages);
    if report.is_ours() && counts != (OPERATIONS, MESSAGES) {
        report.fault(format!("{counts:?} operations and messages"));
    }
    count
}

/// Runs the operations on one list.
struct Run<'a> {
    json: &'a Json,
    report: &'a mut Report,
}

impl ForElement for Run<'_> {
    type Output = ();

    fn run<T: Listed>(self) {
        let Self { json, report } = self;
        let (class, field) = (json.at("class").text(), json.at("field").text());
        let name = report.group(&format!("{class}.{field}"));
        let mut trial = Trial::<T>::new(json);
        let steps = json.at("ops").list();
        for (number, step) in steps.iter().enumerate() {
            let operation = step.at("op").text();
            report.vector(format!("{name} #{number} {operation}"), |check| {
                if let Err(rule) = trial.step(step, check) {
                    check.under(rule);
                }
            });
        }
        report.vector(format!("{name}: hash and full state"), |check| {
            compare_hash(json, check);
            if let (Some(state), Some(last)) =
                (json.get("final_initial_state_of_behaviour"), steps.last())
            {
                compare_full_state(class, field, last.at("list_after"), &state.hex(), check);
            }
        });
    }
}

/// The hash of the class that declares the list, without its namespace, and the list's name.
fn compare_hash(json: &Json, check: &mut Check) {
    let (class, field) = (json.at("class").text(), json.at("field").text());
    let hash = ListHash(json.at("hash_u32").number());
    let signed: i32 = json.at("hash_i32").number();
    check.equal("signed hash", signed, hash.0.cast_signed());
    let text = json.at("hash_input").text();
    let (declared_in, declared) = text.split_once(":List:").expect("class:List:field");
    check.equal("field", field, declared);
    check.equal("hash", hash.0, ListHash::of(declared_in, field).0);
    if recordings::class(class).is_some() {
        let class = Class::named(class).expect("a class with lists can be made");
        check.equal("declared hash", hash.0, class.field(field).list_hash().0);
    }
}

/// A new object with this list, all else as it was made: what it writes, and what is read of it.
fn compare_full_state(class: &str, field: &str, list: &Json, recorded: &[u8], check: &mut Check) {
    let class = Class::named(class).expect("a class with lists can be made");
    let mut subject = class.make();
    let assigned = class.field(field).assign(subject.as_mut(), list);
    assigned.expect("a list that Rust has");
    let (writer, _) = subject.serialize(true);
    check.equal_bytes("full state", recorded, writer.as_bytes());
    let mut replica = class.make();
    let mut reader = NetworkReader::new(recorded);
    match replica.deserialize(&mut reader, true) {
        Ok(()) => {
            let sent = class.show_all(subject.as_ref()).join(", ");
            let read = class.show_all(replica.as_ref()).join(", ");
            check.equal("what is read", sent, read);
            check.equal("bytes that are left", 0, reader.remaining());
        }
        Err(error) => check.fault("full state", "one that can be read", error),
    }
}

/// Whom UNet sends an operation is whom ours sends the update, and who joins is given the list.
fn run_recipients(class: &str, situations: &[Json], report: &mut Report) -> usize {
    let setup = format!("connect 1; connect 2; ready 1; spawn 1 1 {class}; update; forget");
    let setup = Command::parse_all(&setup);
    let mut stage = Stage::new(&[Channel::Reliable, Channel::Unreliable], &setup);
    let prepared = stage.perform_all(&setup);
    let name = report.group(&format!("{class} recipients"));
    for (number, json) in situations.iter().enumerate() {
        let situation = json.at("situation").text();
        report.vector(format!("{name} #{number} {situation}"), |check| {
            prepared.expect("a class with lists can be made");
            let commands = match situation.split(':').next() {
                Some("connection 1 ready, connection 2 not ready" | "both ready") => "",
                Some("connection 2 becomes ready") => "ready 2",
                Some("connection 1 set not-ready") => "not-ready 1; forget",
                _ => return check.fault("situation", "one that this test knows", situation),
            };
            let recorded = Frame::recorded(json.at("packets"));
            if let Err(rule) = compare_recipients(&mut stage, commands, &recorded, check) {
                check.under(rule);
            }
        });
    }
    situations.len()
}

fn compare_recipients(
    stage: &mut Stage,
    commands: &str,
    recorded: &[Frame],
    check: &mut Check,
) -> Result<(), Rule> {
    stage.perform_all(&Command::parse_all(commands))?;
    let is_operation = |frame: &&Frame| frame.message_type() == 9;
    let operations: Vec<_> = recorded.iter().filter(is_operation).collect();
    let mut expected = recorded.to_vec();
    if let Some(first) = operations.first() {
        check.under(Rule::ListChanges);
        let are_alike = operations
            .iter()
            .all(|frame| frame.bytes == first.bytes && frame.channel == first.channel);
        check.equal("whether all get the same", true, are_alike);
        stage.operate(1, first.payload(), check)?;
        let updates = operations
            .iter()
            .map(|frame| stage.expected_update(1, frame.connection));
        let updates: Vec<_> = updates.collect::<Result<_, _>>()?;
        expected.retain(|frame| frame.message_type() != 9);
        expected.extend(updates.into_iter().flatten());
    }
    stage.perform(&Command::Update(None))?;
    check.equal("messages", show(&expected), show(&stage.take_frames()));
    Ok(())
}

/// A client of ours has no use for the message, and says so; what comes behind it is handled.
#[test]
fn a_client_reports_a_list_message_and_reads_on() {
    let mut client = NetworkClient::with_config(Prefabs::new(), {
        ClientConfig {
            compare_schemas: false,
            ..ClientConfig::default()
        }
    });
    client.handle_connect();
    let list_message = hex::decode("0900090001fb8ccdd572000005").expect("hexadecimal text");
    let not_ready = [0, 0, 36, 0];
    let packet = [&list_message[..], &not_ready].concat();
    let error = client.handle_packet(0, &packet).unwrap_err();
    assert_eq!(error.kind(), ReadErrorKind::UnknownMessage(9));
    let events: Vec<_> = syncvar_testing::events(&mut client).collect();
    assert!(events.contains(&ClientEvent::NotReady), "{events:?}");
}
