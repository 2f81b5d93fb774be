//! The section `message_classes`: one message at a time, each as its class writes it.

use std::time::Duration;

use syncvar::{
    ClientConfig, ConnectionId, NetId, NetworkBehaviour, NetworkClient, NetworkServer, Prefabs,
    ServerConfig, ServerEvent, SpawnOptions, SyncValue,
    behaviour::FieldVisitor,
    error::PacketError,
    schema::BehaviourSchema,
    values::{NetworkHash128, Vector3},
    wire::{NetworkReader, NetworkWriter, ReadError},
};

use super::Check;
use super::Report;
use super::frame::{Frame, show};
use super::rule::Rule;
use super::spawn::{SceneSpawnMessage, SpawnMessage};
use syncvar_testing::golden::{Json, Node};

pub(crate) fn run(messages: &Json, report: &mut Report) -> usize {
    for (number, message) in messages.items().iter().enumerate() {
        let class = message.at("message").text();
        let name = format!(
            "message_classes: #{number} {class} {}",
            message.at("fields").text()
        );
        report.vector(name.trim_end().into(), |check| match why_not(class) {
            Some(rule) => check.under(rule),
            None => compare(&Frame::split(1, 0, &message.at("hex").hex()), check),
        });
    }
    messages.items().len()
}

/// The rule by which there is no such message.
fn why_not(class: &str) -> Option<Rule> {
    Some(match class {
        "CRC" => Rule::SchemaInsteadOfCrc,
        "NetworkInfo / override transform"
        | "Animation"
        | "AnimationParameters"
        | "AnimationTrigger"
        | "LobbyReadyToBegin"
        | "PeerClientAuthority"
        | "PeerInfo"
        | "PeerList"
        | "ReconnectPlayer"
        | "Error"
        | "Scene" => Rule::OtherSystems,
        _ => return None,
    })
}

/// Brings a server of ours, or a client, to send the message.
fn compare(recorded: &[Frame], check: &mut Check) {
    let [message] = recorded else {
        return check.fault("recorded messages", 1, recorded.len());
    };
    let sent = match message.message_type() {
        1 | 13 => about_object(message.message_type(), message.payload()),
        3 => spawn(message.payload()),
        10 => scene_spawn(message.payload()),
        12 => spawn_finished(message.payload()),
        4 => owner(message.payload()),
        15 => authority(message.payload()),
        37 | 38 => player(message.message_type(), message.payload()),
        35 => Ok(ready()),
        36 => Ok(not_ready()),
        1000.. => user_message(message),
        other => return check.fault("message type", "one that this test knows", other),
    };
    match sent {
        Ok(sent) => check.equal("message", show(recorded), show(&sent)),
        Err(error) => check.fault("recorded message", "one that can be read", error),
    }
}

/// `StringMessage` of UNet.
#[derive(SyncValue, Clone)]
struct StringMessage(String);

/// `IntegerMessage` of UNet.
#[derive(SyncValue, Clone)]
struct IntegerMessage(i32);

/// `EmptyMessage` of UNet.
#[derive(SyncValue, Clone)]
struct EmptyMessage;

#[derive(SyncValue, Clone)]
struct Buff {
    id: u32,
    name: String,
    timer: f32,
}

#[derive(SyncValue, Clone)]
enum Kind {
    Zero,
    One,
    Two,
}

/// The message class `ChatMsg` of the recording.
#[derive(SyncValue, Clone)]
struct ChatMsg {
    who: String,
    n: i32,
    pos: Vector3,
    raw: Vec<u8>,
    arr: Vec<i32>,
    kind: Kind,
    c: char,
    buf: Buff,
}

/// The message class `ChatMsgEx` of the recording, whose base does not travel.
#[derive(SyncValue, Clone)]
struct ChatMsgEx {
    extra: i32,
}

/// Reads a message as a server, and sends the value back.
fn user_message(recorded: &Frame) -> Result<Vec<Frame>, ReadError> {
    let prefabs = Prefabs::new()
        .message_as::<StringMessage>("string", 1000)
        .message_as::<IntegerMessage>("integer", 1001)
        .message_as::<EmptyMessage>("empty", 1002)
        .message_as::<ChatMsg>("chat", 1003)
        .message_as::<ChatMsgEx>("chat ex", 1004);
    let mut host = Host::of(prefabs);
    host.sent();
    let (server, connection) = (&mut host.server, host.connection);
    if let Err(PacketError::Malformed(error)) = server.handle_packet(connection, 0, &recorded.bytes)
    {
        return Err(error);
    }
    while let Some(event) = server.poll_event() {
        let ServerEvent::Message { message, .. } = event else {
            continue;
        };
        let sent = [
            message
                .get()
                .map(|it: &StringMessage| server.send(connection, it)),
            message
                .get()
                .map(|it: &IntegerMessage| server.send(connection, it)),
            message
                .get()
                .map(|it: &EmptyMessage| server.send(connection, it)),
            message
                .get()
                .map(|it: &ChatMsg| server.send(connection, it)),
            message
                .get()
                .map(|it: &ChatMsgEx| server.send(connection, it)),
        ];
        let sent: Vec<_> = sent.into_iter().flatten().collect();
        assert_eq!(sent, [Ok(())]);
    }
    Ok(host.sent())
}

fn spawn(payload: &[u8]) -> Result<Vec<Frame>, ReadError> {
    let spawn = SpawnMessage::read(payload)?;
    let mut host = Host::new(spawn.asset_id);
    host.sent();
    host.spawn(
        spawn.state,
        SpawnOptions {
            net_id: Some(spawn.net_id),
            position: spawn.position,
            rotation: Some(spawn.rotation),
            ..SpawnOptions::default()
        },
    );
    Ok(host.sent())
}

fn scene_spawn(payload: &[u8]) -> Result<Vec<Frame>, ReadError> {
    let spawn = SceneSpawnMessage::read(payload)?;
    let mut host = Host::new(NetworkHash128::default());
    host.sent();
    host.spawn(
        spawn.state,
        SpawnOptions {
            net_id: Some(spawn.net_id),
            position: spawn.position,
            scene_id: Some(spawn.scene_id),
            ..SpawnOptions::default()
        },
    );
    Ok(host.sent())
}

/// `ObjectDestroy` and `ObjectHide`.
fn about_object(message_type: i16, payload: &[u8]) -> Result<Vec<Frame>, ReadError> {
    let id = NetworkReader::new(payload).read()?;
    let mut host = Host::with_object(id);
    if message_type == 1 {
        host.server.despawn(id).unwrap();
    } else {
        host.server.hide(id, host.connection).unwrap();
    }
    host.update();
    Ok(host.sent())
}

fn authority(payload: &[u8]) -> Result<Vec<Frame>, ReadError> {
    let mut reader = NetworkReader::new(payload);
    let (id, authority) = (reader.read()?, reader.read_bool()?);
    let mut host = Host::with_object(id);
    host.server.set_owner(id, Some(host.connection)).unwrap();
    if !authority {
        host.sent();
        host.server.set_owner(id, None).unwrap();
    }
    Ok(host.sent())
}

/// `Owner`: an object becomes a player.
fn owner(payload: &[u8]) -> Result<Vec<Frame>, ReadError> {
    let mut reader = NetworkReader::new(payload);
    let (id, number) = (reader.read()?, reader.read_packed_u32()?);
    let mut host = Host::with_object(id);
    let number = i16::try_from(number.cast_signed()).expect("16 bits");
    let given = host.server.set_player(host.connection, number, Some(id));
    given.expect("an object");
    Ok(host.sent())
}

/// `AddPlayer` and `RemovePlayer`, as a client sends them and a server reads them.
fn player(message_type: i16, payload: &[u8]) -> Result<Vec<Frame>, ReadError> {
    let mut host = Host::new(NetworkHash128::default());
    let length = u16::try_from(payload.len()).expect("short").to_le_bytes();
    let frame = [&length[..], &message_type.to_le_bytes(), payload].concat();
    if let Err(PacketError::Malformed(error)) =
        host.server.handle_packet(host.connection, 0, &frame)
    {
        return Err(error);
    }
    let mut client = connected();
    sent_by(&mut client);
    while let Some(event) = host.server.poll_event() {
        match event {
            ServerEvent::AddPlayer {
                number, payload, ..
            } => client.add_player(number, &payload),
            ServerEvent::RemovePlayer { number, .. } => client.remove_player(number),
            _ => {}
        }
    }
    Ok(sent_by(&mut client))
}

/// The message before (0) or after (1) the objects that a newcomer is given.
fn spawn_finished(payload: &[u8]) -> Result<Vec<Frame>, ReadError> {
    let state = NetworkReader::new(payload).read_packed_u32()?;
    let frames = Host::new(NetworkHash128::default()).sent().into_iter();
    Ok((0..)
        .zip(frames)
        .filter(|(number, _)| *number == state)
        .map(|(_, frame)| frame)
        .collect())
}

fn not_ready() -> Vec<Frame> {
    let mut host = Host::new(NetworkHash128::default());
    host.sent();
    host.server.set_not_ready(host.connection);
    host.sent()
}

fn ready() -> Vec<Frame> {
    sent_by(&mut connected())
}

/// A client whose `Ready` waits.
fn connected() -> NetworkClient {
    let config = ClientConfig {
        compare_schemas: false,
        ..ClientConfig::default()
    };
    let mut client = NetworkClient::with_config(Prefabs::new(), config);
    client.handle_connect();
    client
}

fn sent_by(client: &mut NetworkClient) -> Vec<Frame> {
    let packets = std::iter::from_fn(|| client.poll_transmit());
    packets
        .flat_map(|packet| Frame::split(1, packet.channel, &packet.bytes))
        .collect()
}

/// A server with one client that is ready.
struct Host {
    server: NetworkServer,
    connection: ConnectionId,
}

impl Host {
    fn new(asset_id: NetworkHash128) -> Self {
        Self::of(Prefabs::new().register_asset("raw", asset_id, || Raw(Vec::new())))
    }

    fn of(prefabs: Prefabs) -> Self {
        let config = ServerConfig {
            compare_schemas: false,
            ..ServerConfig::default()
        };
        let mut server = NetworkServer::with_config(prefabs, config);
        let connection = server.handle_connect();
        server.set_ready(connection);
        server.update(Duration::ZERO);
        Self { server, connection }
    }

    /// One whose client has been given everything, this object too.
    fn with_object(id: NetId) -> Self {
        let mut host = Self::new(NetworkHash128::default());
        host.spawn(
            &[],
            SpawnOptions {
                net_id: Some(id),
                ..SpawnOptions::default()
            },
        );
        host.sent();
        host
    }

    fn spawn(&mut self, state: &[u8], options: SpawnOptions) {
        let spawned = self.server.try_spawn(Raw(state.to_vec()), options);
        spawned.expect("a free id");
        self.update();
    }

    fn update(&mut self) {
        self.server.update(Duration::ZERO);
    }

    fn sent(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        while let Some(transmit) = self.server.poll_transmit() {
            frames.extend(Frame::split(1, transmit.channel, &transmit.to_bytes()));
        }
        frames
    }
}

/// A behaviour whose full state is whatever a recorded spawn carries.
struct Raw(Vec<u8>);

impl NetworkBehaviour for Raw {
    type Previous = ();
    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "Raw",
        base: None,
        fields: &[],
    };

    fn sync_var_dirty_bits(&self) -> u64 {
        0
    }

    fn visit(&mut self, (): &mut (), _: &mut impl FieldVisitor) {}

    fn on_serialize(&mut self, writer: &mut NetworkWriter, _: bool) -> bool {
        writer.write_bytes(&self.0);
        true
    }

    fn on_deserialize(&mut self, _: &mut NetworkReader<'_>, _: bool) -> Result<(), ReadError> {
        Ok(())
    }
}
