//! The section `remote_calls`, and `receive_on_server`: calls as UNet writes them, and what its server
//! makes of commands.

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::values::{Vector2, Vector3, Vector4};
use syncvar::{
    Channel,
    calls::{CallError, CallKind, CallSchema},
    error::PacketError,
    unet::ListHash,
    wire::NetworkWriter,
};
use syncvar::{
    ClientConfig, ServerConfig,
    values::{Color, Color32, Decimal, Quaternion},
};

use super::Check;
use super::Report;
use super::classes::Buf;
use super::classes::calls::{Calls, CallsDerived};
use super::frame::{Frame, show};
use super::recorded::{EnumNumber, Recorded};
use super::rule::Rule;
use syncvar_testing::golden::{Json, Node};

/// A behaviour without calls.
#[derive(NetworkBehaviour, Default)]
struct NoCalls;

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Calls>("calls")
        .register::<CallsDerived>("derived")
        .register::<NoCalls>("none")
}

/// A server in literal UNet fashion, with two connections. The first one is ready.
struct Stage {
    server: NetworkServer,
    connections: [ConnectionId; 2],
}

impl Stage {
    fn new() -> Self {
        let config = ServerConfig {
            compare_schemas: false,
            channels: vec![Channel::Reliable; 3],
            ..ServerConfig::default()
        };
        let mut server = NetworkServer::with_config(prefabs(), config);
        let connections = [server.handle_connect(), server.handle_connect()];
        server.set_ready(connections[0]);
        Self {
            server,
            connections,
        }
    }

    fn spawn<B: NetworkBehaviour>(&mut self, behaviour: B, id: u32, owner: Option<usize>) {
        let options = SpawnOptions {
            net_id: Some(NetId(id)),
            owner: owner.map(|owner| self.connections[owner]),
            ..SpawnOptions::default()
        };
        let spawned = self.server.try_spawn(behaviour, options);
        spawned.expect("a registered prefab and a free id");
    }

    /// What is sent, by the recorder's numbers of the connections.
    fn frames(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        while let Some(transmit) = self.server.poll_transmit() {
            let bytes = transmit.to_bytes();
            frames.extend(Frame::split(
                transmit.connection.0,
                transmit.channel,
                &bytes,
            ));
        }
        frames
    }

    fn settle(&mut self) {
        self.server.update(std::time::Duration::ZERO);
        self.frames();
    }

    /// What has run on an object since this was last asked.
    fn take_log(&mut self, id: u32) -> Vec<String> {
        let calls = self.server.get_mut::<Calls>(NetId(id));
        calls.map_or(Vec::new(), |mut calls| std::mem::take(&mut calls.log))
    }
}

pub(crate) fn run(section: &Json, report: &mut Report) -> usize {
    let hashes = section.at("hashes").items();
    for (number, hash) in hashes.iter().enumerate() {
        let name = format!("remote_calls: hashes #{number}");
        report.vector(name, |check| compare_hash(hash, check));
    }
    let arguments = section.at("argument_sets");
    let mut stage = Stage::new();
    stage.spawn(Calls::default(), 3, None);
    stage.settle();
    let to_client = section.at("server_to_client").at("calls").items();
    for (number, call) in to_client.iter().enumerate() {
        let name = format!("remote_calls: server_to_client #{number}");
        report.vector(name, |check| {
            call_clients(&mut stage, call, arguments, check);
        });
    }
    let mut client = Client::new();
    let to_server = section.at("client_to_server").at("calls").items();
    for (number, call) in to_server.iter().enumerate() {
        let name = format!("remote_calls: client_to_server #{number}");
        report.vector(name, |check| {
            call_server(&mut client, call, arguments, check);
        });
    }
    hashes.len() + to_client.len() + to_server.len()
}

fn compare_hash(recorded: &Json, check: &mut Check) {
    let parts: Vec<_> = recorded.at("hash_input").text().split(':').collect();
    let [class, kind, member] = parts[..] else {
        return check.fault("input", "three parts", parts.len());
    };
    let hash = match kind {
        "List" => ListHash::of(class, member).0,
        "Cmd" => CallSchema::hash_of(class, CallKind::Command, member),
        "Rpc" => CallSchema::hash_of(class, CallKind::ClientRpc, member),
        "TargetRpc" => CallSchema::hash_of(class, CallKind::TargetRpc, member),
        _ => CallSchema::hash_of(class, CallKind::SyncEvent, member),
    };
    check.equal("hash", recorded.at("hash_u32").number::<u32>(), hash);
    let mut writer = NetworkWriter::new();
    writer.write_packed_u32(hash);
    check.equal_bytes(
        "packed",
        &recorded.at("packed_hex").hex(),
        writer.as_bytes(),
    );
    let tables = [Calls::INFO.calls.own(), CallsDerived::INFO.calls.own()];
    let declared = tables.into_iter().flatten().any(|call| call.hash == hash);
    let ours = class.starts_with("Calls");
    check.equal("whether a call of ours has it", ours, declared);
}

/// The values of an argument set, one after another.
struct Arguments<'a>(std::slice::Iter<'a, Json>);

impl<'a> Arguments<'a> {
    fn of(sets: &'a Json, name: &str) -> Self {
        Self(sets.get(name).map_or(&[][..], Json::items).iter())
    }

    fn next<T: Recorded>(&mut self) -> T {
        let value = T::from_json(self.0.next().expect("one more argument"));
        value.unwrap_or_else(|rule| panic!("{rule}"))
    }

    fn list<T: Recorded>(&mut self) -> Vec<T> {
        let json = self.0.next().expect("one more argument");
        if json.is_null() {
            return Vec::new();
        }
        T::list_from_json(json).unwrap_or_else(|rule| panic!("{rule}"))
    }
}

fn call_clients(stage: &mut Stage, recorded: &Json, sets: &Json, check: &mut Check) {
    let action = recorded.at("action").text();
    let text = recorded.at("args").text();
    let mut values = Arguments::of(sets, text);
    let second = stage.connections[1];
    if action.contains("both connections ready") {
        stage.server.set_ready(second);
        stage.settle();
    }
    if action.contains("netId 300") {
        stage.spawn(CallsDerived::default(), 300, None);
        stage.settle();
    }
    let number = || text.trim_start_matches("extra=").parse().expect("a number");
    let first = stage.connections[0];
    let id = match action {
        _ if action.contains("unspawned") => NetId(99),
        _ if action.contains("CallsDerived") => NetId(300),
        _ => NetId(3),
    };
    if action.starts_with("RpcExtra") {
        let sent = stage.server.calls::<CallsDerived>(id).rpc_extra(number());
        return compare_sent(stage, recorded, &sent, check);
    }
    let calls = stage.server.calls::<Calls>(id);
    let word = action.split([' ', '(', ':']).next().unwrap_or_default();
    let sent = match word {
        "RpcDamage" if sets.get(text).is_some() => calls.rpc_damage(values.next()),
        "RpcDamage" | "SiteRpcDamage" | "inherited" => calls.rpc_damage(number()),
        "RpcNone" => calls.rpc_none(),
        "RpcSay" => calls.rpc_say(values.next(), values.next()),
        "RpcStruct" => calls.rpc_struct(
            values.next(),
            EnumNumber::new(values.next()),
            EnumNumber::new(values.next()),
        ),
        "RpcArrays" => calls.rpc_arrays(values.list(), values.list(), values.list(), values.list()),
        "RpcWide" => {
            let (a, b, c, d) = (values.next(), values.next(), values.next(), values.next());
            calls.rpc_wide(a, b, c, d, 'A')
        }
        "TargetDoMagic" if action.contains("unspawned") => calls.target_do_magic(first, 1),
        "TargetDoMagic" => calls.target_do_magic(second, number()),
        "TargetHi" => calls.target_hi(first, "yo".into(), 241),
        "EventDie" => calls.event_die(),
        "EventHit" if text.starts_with('5') => calls.event_hit(5, 0.5, "bob".into()),
        "EventHit" => calls.event_hit(-1, 0.0, String::new()),
        _ => return check.fault("call", "one that is known", action),
    };
    compare_sent(stage, recorded, &sent, check);
}

fn compare_sent(
    stage: &mut Stage,
    recorded: &Json,
    sent: &Result<(), CallError>,
    check: &mut Check,
) {
    let expected = Frame::recorded(recorded.at("packets"));
    let frames = stage.frames();
    if let Err(CallError::NotObserved { .. }) = sent {
        check.equal("frames of an error", 0, frames.len());
        return check.under(Rule::TargetObserves);
    }
    check.equal("whether it is sent", !expected.is_empty(), sent.is_ok());
    check.equal("messages", show(&expected), show(&frames));
}

/// A client that owns object 4, and the server that runs what it calls.
struct Client {
    client: NetworkClient,
    stage: Stage,
}

impl Client {
    fn new() -> Self {
        let config = ClientConfig {
            compare_schemas: false,
            channels: vec![Channel::Reliable; 3],
            ..ClientConfig::default()
        };
        let mut client = NetworkClient::with_config(prefabs(), config);
        client.handle_connect();
        let mut stage = Stage::new();
        stage.spawn(Calls::default(), 4, Some(0));
        stage.spawn(Calls::default(), 3, None);
        stage.server.update(std::time::Duration::ZERO);
        for frame in stage.frames() {
            let delivered = client.handle_packet(frame.channel, &frame.bytes);
            delivered.expect("a message of ours");
        }
        while client.poll_transmit().is_some() {}
        Self { client, stage }
    }
}

fn call_server(world: &mut Client, recorded: &Json, sets: &Json, check: &mut Check) {
    let name = recorded.at("call").text();
    if let Some(hex) = name.strip_prefix("raw Command frame ") {
        let packet = &Json::parse(&format!("\"{}\"", &hex[..8])).hex();
        let handled = world
            .stage
            .server
            .handle_packet(world.stage.connections[0], 0, packet);
        check.equal("whether it is refused", true, handled.is_err());
        return check.under(Rule::StrictCalls);
    }
    if name.contains("without authority") {
        let error = world.client.calls::<Calls>(NetId(3)).cmd_move(1, 2);
        check.equal("whether it is refused", true, error.is_err());
        return check.equal("packets", true, world.client.poll_transmit().is_none());
    }
    let text = recorded.at("args").text();
    let mut values = Arguments::of(sets, text);
    let calls = world.client.calls::<Calls>(NetId(4));
    let sent = match name {
        "CallCmdMove" | "SiteCmdMove" => calls.cmd_move(values.next(), values.next()),
        "CallCmdNone" => calls.cmd_none(),
        "CallCmdCh1" => calls.cmd_ch1(values.next()),
        "CallCmdMany" => many(calls, &mut values),
        "CallCmdUnity" => {
            let (v2, v3, v4): (Vector2, Vector3, Vector4) =
                (values.next(), values.next(), values.next());
            let (q, col, col32): (Quaternion, Color, Color32) =
                (values.next(), values.next(), values.next());
            calls.cmd_unity(v2, v3, v4, q, col, col32)
        }
        "CallCmdRefs" if text == "refs" => calls.cmd_refs(NetId(4), NetId(4), NetId(4)),
        "CallCmdRefs" => calls.cmd_refs(NetId::NONE, NetId::NONE, NetId::NONE),
        "CallCmdStruct" => calls.cmd_struct(values.next::<Buf>(), EnumNumber::new(values.next())),
        "CallCmdArrays" => {
            calls.cmd_arrays(values.list(), values.list(), values.list(), values.list())
        }
        _ => return check.fault("call", "one that is known", name),
    };
    check.equal("whether it is sent", true, sent.is_ok());
    let packets = recorded.at("packets").items().iter();
    let expected = packets
        .flat_map(|packet| Frame::split(0, packet.at("channel").number(), &packet.at("hex").hex()));
    let mut frames = Vec::new();
    while let Some(packet) = world.client.poll_transmit() {
        let from = world.stage.connections[0];
        let handled = world
            .stage
            .server
            .handle_packet(from, packet.channel, &packet.bytes);
        check.equal("whether it is handled", true, handled.is_ok());
        frames.extend(Frame::split(0, packet.channel, &packet.bytes));
    }
    check.equal(
        "messages",
        show(&expected.collect::<Vec<_>>()),
        show(&frames),
    );
    compare_log(
        recorded.at("executed_on_server"),
        &world.stage.take_log(4),
        check,
    );
}

fn many(
    calls: <Calls as syncvar::calls::NetworkCalls>::Commands<'_>,
    values: &mut Arguments<'_>,
) -> Result<(), CallError> {
    let (b, u8, i8) = (values.next(), values.next(), values.next());
    let c = char::from_u32(values.next()).expect("a character");
    let (i16, u16, i32, u32) = (values.next(), values.next(), values.next(), values.next());
    let (i64, u64, f32, f64) = (values.next(), values.next(), values.next(), values.next());
    let (dec, s): (Decimal, String) = (values.next(), values.next());
    calls.cmd_many(b, u8, i8, c, i16, u16, i32, u32, i64, u64, f32, f64, dec, s)
}

fn compare_log(recorded: &Json, log: &[String], check: &mut Check) {
    let recorded: Vec<_> = recorded.list().iter().map(Json::text).collect();
    check.equal("what has run", recorded.join("; "), log.join("; "));
}

/// A command of `receive_on_server`.
pub(crate) fn receive(item: &Json, packet: &[u8], check: &mut Check) {
    let mut stage = Stage::new();
    let second = stage.connections[1];
    stage.server.set_ready(second);
    for (id, owner) in [(1, Some(0)), (2, Some(0)), (3, None)] {
        stage.spawn(Calls::default(), id, owner);
    }
    stage.spawn(NoCalls, 4, Some(0));
    stage.settle();
    let from = item.at("from_conn").number::<usize>() - 1;
    let handled = stage
        .server
        .handle_packet(stage.connections[from], 0, packet);
    let handled: Result<(), PacketError> = handled;
    check.equal("whether it is handled", true, handled.is_ok());
    let log: Vec<_> = (1..=3).flat_map(|id| stage.take_log(id)).collect();
    if stage.server.stats().refused_commands.malformed > 0 {
        check.equal("what has run", 0, log.len());
        return check.under(Rule::StrictCalls);
    }
    compare_log(item.at("executed"), &log, check);
    let ran = item.at("executed").list().len();
    let refused = stage.server.stats().refused_commands.total();
    check.equal("whether it is refused", ran == 0, refused > 0);
}
