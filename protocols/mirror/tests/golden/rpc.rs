//! `rpc.json`: the names of remote calls, what is sent of them, and what a server does with them.

use std::time::Duration;

use serde_json::{Value, json};
use syncvar::mirror::{
    AssetId, MirrorClient, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerConfig,
    MirrorSpawnOptions, SpawnPolicy,
};
use syncvar::prelude::*;
use syncvar::{Channel, calls::CallError, values::Vector3};

use super::batches::id_of;
use super::classes::calls::{Health, Inner, RpcBase, RpcChild, Rpcs};
use super::classes::plain::EmptyNB;
use super::classes::structs::Item;
use super::differences::Rule;
use super::json::Json;
use super::log;
use super::value::Recorded;
use super::value::number::EByte;
use crate::{Report, Verdict};
use syncvar_testing::golden::same;
use syncvar_testing::mirror::{MirrorNetwork, messages};

/// Mirror's ids of calls.
const CALLS: [u16; 2] = [39_124, 40_238];

/// The number of the recorded object; the next one has `RpcChild`.
const OBJECT: NetId = NetId(2102);
const CHILD: NetId = NetId(2103);

/// What was sent of calls: the channel, and the message.
type Sent = Vec<(u8, String)>;

pub(crate) fn run(json: &Value, report: &mut Report) {
    for function in json.at("function_hashes").list() {
        let name = function.at("full_name").text();
        report.check("names", name, || hash(name, function.at("hash").number()));
    }
    for case in json.at("cases").list() {
        let (kind, name) = (case.at("kind").text(), case.at("name").text());
        report.check(kind, &format!("{name} {}", case.at("args")), || {
            sent(kind, name, case)
        });
    }
    for case in json.at("server_dispatch").list() {
        let name = case.at("name").text();
        report.case("dispatch", name, || dispatch(name, case));
    }
}

fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new()
        .class::<Health>("Game.Net.Health")
        .class::<Inner>("Game.Net.Health+Inner")
        .register::<(EmptyNB, Rpcs)>(MirrorPrefab::new("rpcs", AssetId(1)))
        .register::<RpcChild>(MirrorPrefab::new("child", AssetId(2)))
        .register::<RpcBase>(MirrorPrefab::new("base", AssetId(3)))
        .register::<(Health, Inner)>(MirrorPrefab::new("health", AssetId(4)))
}

/// Ours of this full name has the recorded hash.
fn hash(name: &str, hash: u16) -> Result<(), String> {
    let prefabs = prefabs();
    let calls = ["rpcs", "child", "base", "health"];
    let mut calls = calls.into_iter().flat_map(|prefab| prefabs.calls(prefab));
    let call = calls.find(|call| call.name == name);
    let call = call.ok_or("no call has this name")?;
    same("hash", &call.hash, &hash)
}

/// A server with the recorded objects, and a client that observes both.
fn network(owned: bool) -> Result<MirrorNetwork, String> {
    let config = MirrorServerConfig {
        spawn_policy: SpawnPolicy::WhenReady,
        ..MirrorServerConfig::default()
    };
    let server = MirrorServer::with_config(prefabs(), config);
    let mut net = MirrorNetwork::new(server, || MirrorClient::new(prefabs()));
    net.frame_time = Duration::from_secs(1);
    let connection = net.connect();
    let options = MirrorSpawnOptions {
        owner: owned.then_some(connection),
        ..MirrorSpawnOptions::default()
    };
    loop {
        let object = <(EmptyNB, Rpcs)>::default();
        let id = net.server.try_spawn(object, options.clone());
        match id.map_err(|error| error.to_string())? {
            OBJECT => break,
            other => net.server.despawn(other),
        }
        .unwrap();
    }
    let child = net.server.try_spawn(RpcChild::default(), options);
    same("the child", &child, &Ok(CHILD))?;
    net.frames(2);
    net.take_packets();
    Ok(net)
}

/// Runs a second, and returns the messages about calls.
fn calls(net: &mut MirrorNetwork) -> Sent {
    net.frame();
    let mut sent = Sent::new();
    for packet in net.take_packets() {
        for message in messages::messages(&packet.bytes) {
            if CALLS.contains(&id_of(&message)) {
                sent.push((packet.channel as u8, hex::encode(message)));
            }
        }
    }
    sent
}

/// The call is made, and what is sent of it is what was recorded.
fn sent(kind: &str, name: &str, case: &Value) -> Result<(), String> {
    let owned = match kind {
        "Command" => !name.contains("without authority"),
        _ => name.contains("owner conn1") || name.contains("conn1 is owner"),
    };
    let mut net = network(owned)?;
    let connection = net.nth(0);
    let arguments = case.at("args").text();
    let called = match kind {
        "Command" => command(net.client(connection), name, arguments)?,
        _ => rpc(&mut net, name, arguments)?,
    };
    let key = if kind == "Command" {
        "sent"
    } else {
        "sent_to_conn1"
    };
    let recorded: Sent = case
        .at(key)
        .list()
        .iter()
        .map(|sent| {
            (
                sent.at("channel").number(),
                sent.at("message").text().into(),
            )
        })
        .collect();
    if kind == "Command" {
        same("it can be sent", &called.is_ok(), &!recorded.is_empty())?;
    }
    same("sent", &calls(&mut net), &recorded)
}

fn command(
    client: &mut MirrorClient,
    name: &str,
    arguments: &str,
) -> Result<Result<(), CallError>, String> {
    let text = |text: &str| Some(text.to_string());
    let child = name.starts_with("RpcChild");
    let calls = |client| MirrorClient::calls_at::<Rpcs>(client, OBJECT, 1);
    Ok(match (name.split([' ', ':']).next(), arguments) {
        _ if child => client.calls::<RpcChild>(CHILD).cmd_virt_child(9),
        (Some("CmdNoArgs"), "") => calls(client).cmd_no_args(),
        (Some("CmdInt"), "-5") => calls(client).cmd_int(-5),
        (Some("CmdInt"), "1") => calls(client).cmd_int(1),
        (Some("CmdMany"), "1, 2.5f, \"abc\", (1,2,3)") => {
            calls(client).cmd_many(1, 2.5, text("abc"), Vector3::new(1.0, 2.0, 3.0))
        }
        (Some("CmdMany"), "int.Min, NaN, null, 0") => {
            let nan = f32::from_bits(0xffc0_0000);
            calls(client).cmd_many(i32::MIN, nan, None, Vector3::default())
        }
        (Some("CmdAnyone"), "\"hey\"") => calls(client).cmd_anyone(text("hey")),
        (Some("CmdAnyone"), "\"x\"") => calls(client).cmd_anyone(text("x")),
        (Some("CmdUnreliable"), "7") => calls(client).cmd_unreliable(7),
        (Some("CmdNullable"), "null, \"\"") => calls(client).cmd_nullable(None, text("")),
        (Some("CmdNullable"), "300, null") => calls(client).cmd_nullable(Some(300), None),
        other => return Err(format!("{other:?} is not understood")),
    })
}

fn rpc(
    net: &mut MirrorNetwork,
    name: &str,
    arguments: &str,
) -> Result<Result<(), CallError>, String> {
    let text = |text: &str| Some(text.to_string());
    let connection = net.nth(0);
    let calls = net.server.calls_at::<Rpcs>(OBJECT, 1);
    let item = json!({"id": 1, "name": "a", "weight": {"bits": "40000000"}});
    Ok(match (name.split(' ').next(), arguments) {
        (Some("RpcNoArgs"), "") => calls.rpc_no_args(),
        (Some("RpcInt"), number) => calls.rpc_int(number.parse().expect("a number")),
        (Some("RpcNotOwner"), "\"s\"") => calls.rpc_not_owner(text("s")),
        (Some("RpcUnreliable"), "1") => calls.rpc_unreliable(1),
        (Some("RpcItem"), "{1,a,2}, [1,2], [3], Max") => {
            let item = Item::from_json(&item);
            calls.rpc_item(item, Some(vec![1, 2]), Some(vec![3]), EByte(255))
        }
        (Some("RpcItem"), "default, null, null, Zero") => {
            calls.rpc_item(Item::default(), None, None, EByte(0))
        }
        (Some("RpcRefs"), "identity 2, gameobject 2, behaviour 2/1") => {
            let component = json!({"netId": 2, "componentIndex": 1});
            let two = NetRef::from(NetId(2));
            calls.rpc_refs(two, two, Recorded::from_json(&component))
        }
        (Some("RpcRefs"), "null, null, null") => {
            calls.rpc_refs(NetRef::NONE, NetRef::NONE, BehaviourRef::NONE)
        }
        (Some("TargetExplicit"), "conn1, \"only you\"") => {
            calls.target_explicit(connection, text("only you"))
        }
        (Some("TargetImplicit"), "5") => calls.target_implicit(5),
        other => return Err(format!("{other:?} is not understood")),
    })
}

/// A recorded batch with a command, and which commands have run.
fn dispatch(name: &str, case: &Value) -> Result<Verdict, String> {
    let others = ["without authority", "non owner"];
    let owned = !others.iter().any(|other| name.contains(other));
    let mut net = network(owned)?;
    let connection = net.nth(0);
    log::take();
    let batch = case.at("batch").hex();
    let reliable = Channel::Reliable;
    let handled = net.server.handle_packet(connection, reliable, &batch);
    same(
        "accepted",
        &handled.is_ok(),
        &case.at("still_connected").truth(),
    )?;
    let sender = format!(" from {}", connection.0);
    let ran: Vec<_> = log::take()
        .into_iter()
        .map(|entry| entry.arguments.text().replace(&sender, " from 1"))
        .collect();
    let invoked = case.at("invoked").list().iter();
    let invoked: Vec<_> = invoked.map(|line| line.text().to_string()).collect();
    if name == "virtual override command: base hash" {
        // What names the command of the base runs that, and no other.
        same("ran", &ran, &vec!["base 5".to_string()])?;
        return Ok(Verdict::Ruled(Rule::Virtual));
    }
    same("ran", &ran, &invoked)?;
    Ok(Verdict::Matched)
}
