//! The examples of `WIRE.md`, section 5, and malformed messages.

use proptest::prelude::*;
use syncvar::SyncValue;
use syncvar_runtime::ReceivedMessage;
use syncvar_runtime::limits::ReadBudget;
use syncvar_runtime::{NetId, Quaternion, ReadErrorKind, Vector3};

use super::*;
use crate::{AssetId, SceneId};

/// Checks that a message has these bytes, in both directions.
#[track_caller]
fn is(message: Message<'_>, written: Result<Bytes, MirrorError>, bytes: &str) {
    let written = written.expect("writable");
    assert_eq!(hex::encode(&written), bytes.replace(' ', ""));
    assert_eq!(Message::decode(&written), Ok(message));
}

fn refused(bytes: &str) -> MirrorError {
    let bytes = hex::decode(bytes.replace(' ', "")).expect("hexadecimal digits");
    Message::decode(&bytes).expect_err("malformed")
}

#[test]
fn calls_carry_arguments_as_a_segment() {
    let command = CommandMessage {
        net_id: NetId(300),
        component_index: 1,
        function_hash: 0xffff,
        payload: Some(&[1, 2, 3]),
    };
    let bytes = "d498 f13c 01 ffff 04010203";
    is(Message::Command(command), command.to_bytes(), bytes);

    let rpc = RpcMessage {
        net_id: NetId(70_000),
        component_index: 63,
        function_hash: 1,
        payload: Some(&[255]),
    };
    is(
        Message::Rpc(rpc),
        rpc.to_bytes(),
        "2e9d fa701101 3f 0100 02ff",
    );
}

#[test]
fn missing_segment_differs_from_empty() {
    for (payload, segment) in [(None, "00"), (Some(&[][..]), "01")] {
        let command = CommandMessage {
            net_id: NetId(1),
            component_index: 0,
            function_hash: 0xffff,
            payload,
        };
        let bytes = format!("d498 01 00 ffff {segment}");
        is(Message::Command(command), command.to_bytes(), &bytes);
    }
}

#[test]
fn spawn_carries_transform_and_snapshot() {
    let spawn = SpawnMessage {
        net_id: NetId(241),
        flags: SpawnFlags::IS_OWNER | SpawnFlags::IS_LOCAL_PLAYER,
        scene_id: SceneId::NONE,
        asset_id: AssetId(1),
        position: Vector3::default(),
        rotation: Quaternion::IDENTITY,
        scale: Vector3::new(1.0, 1.0, 1.0),
        payload: Some(&[]),
    };
    let (zero, one) = ("00000000", "0000803f");
    let bytes = [
        "6488 f101 03 00 01",
        &zero.repeat(3),
        &zero.repeat(3),
        one,
        &one.repeat(3),
        "01",
    ];
    is(Message::Spawn(spawn), spawn.to_bytes(), &bytes.concat());
}

#[test]
fn a_scene_may_have_no_name() {
    let scene = SceneMessage {
        scene_name: Some("Room"),
        operation: SceneOperation::LoadAdditive,
        custom_handling: true,
    };
    let bytes = "e00d 0500526f6f6d 01 01";
    is(Message::Scene(scene), scene.to_bytes(), bytes);

    let scene = SceneMessage {
        scene_name: None,
        operation: SceneOperation::UnloadAdditive,
        custom_handling: false,
    };
    is(Message::Scene(scene), scene.to_bytes(), "e00d 0000 02 00");
}

#[test]
fn trailing_bytes_are_ignored() {
    assert_eq!(
        Message::decode(&[0xbc, 0xaa, 1, 2, 3]),
        Ok(Message::Ready(ReadyMessage))
    );
}

#[test]
fn unknown_message_keeps_id_and_payload() {
    let payload = &[1, 2][..];
    let message = Message::decode(&[0x34, 0x12, 1, 2]);
    assert_eq!(
        message,
        Ok(Message::Other {
            id: 0x1234,
            payload
        })
    );
}

#[test]
fn a_message_without_an_id_is_refused() {
    assert_eq!(refused(""), MirrorError::NoMessageId { length: 0 });
    assert_eq!(refused("bc"), MirrorError::NoMessageId { length: 1 });
}

#[test]
fn errors_name_message_and_position() {
    let kind = |error| match error {
        MirrorError::Message { message, error } => (message, error.kind()),
        other => panic!("another error: {other}"),
    };
    // A segment longer than the message.
    let (needed, left) = (4, 1);
    assert_eq!(
        kind(refused("3330 01 05 aa")),
        (
            "Mirror.EntityStateMessage",
            ReadErrorKind::UnexpectedEnd { needed, left }
        )
    );
    // A number of more than 32 bits.
    let (value, target) = (1 << 32, "u32");
    assert_eq!(
        kind(refused("61ad fc0000000001")),
        (
            "Mirror.ObjectDestroyMessage",
            ReadErrorKind::OutOfRange { value, target }
        )
    );
    assert_eq!(
        kind(refused("e00d 0200ff 00 00")),
        ("Mirror.SceneMessage", ReadErrorKind::InvalidUtf8)
    );
    let text = refused("e00d 0000 07 00").to_string();
    assert_eq!(
        text,
        "malformed Mirror.SceneMessage: SceneOperation has no variant 7, at byte 3"
    );
}

#[test]
fn oversized_text_is_unwritable() {
    let name = "x".repeat(65_535);
    let scene = |name| SceneMessage {
        scene_name: Some(name),
        operation: SceneOperation::Normal,
        custom_handling: false,
    };
    let error = scene(&name).to_bytes();
    assert!(matches!(error, Err(MirrorError::Unwritable { .. })));
    let longest = scene(&name[1..]).to_bytes();
    assert_eq!(longest.map(|bytes| bytes.len()), Ok(2 + 2 + 65_534 + 2));
}

#[test]
fn protocol_message_ids_are_unique() {
    let mut ids: Vec<_> = PROTOCOL.iter().map(|(id, _)| id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), PROTOCOL.len());
}

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
struct Chat {
    text: String,
    words: Vec<u8>,
}

impl MirrorMessage for Chat {
    const NAME: &'static str = "Game.Net.ChatMessage";
}

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
struct Stolen {}

impl MirrorMessage for Stolen {
    const NAME: &'static str = "Mirror.SpawnMessage";
}

fn budget() -> ReadBudget {
    ReadBudget {
        elements: 4,
        ..ReadBudget::UNLIMITED
    }
}

fn registered() -> UserMessages {
    let mut messages = UserMessages::default();
    messages.register::<Chat>();
    messages.register::<AuthRequestMessage>();
    messages.register::<AuthResponseMessage>();
    messages
}

/// Writes a user message and reads it by the registry.
fn send<M: MirrorMessage>(message: &M) -> Result<ReceivedMessage, MirrorError> {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    encode_user(message, &mut writer)?;
    match Message::decode(writer.as_bytes())? {
        Message::Other { id, payload } => registered().read(id, payload, &mut budget()),
        other => panic!("one of Mirror's: {other:?}"),
    }
}

#[test]
fn user_message_arrives_unchanged() {
    let chat = Chat {
        text: "hi".into(),
        words: vec![9, 8],
    };
    let received = send(&chat).expect("registered");
    assert_eq!(received.name(), "Game.Net.ChatMessage");
    assert_eq!(received.get(), Some(&chat));
    assert_eq!(received.get::<AuthRequestMessage>(), None);
}

#[test]
fn authenticator_uses_user_messages() {
    let request = AuthRequestMessage {
        username: "ada".into(),
        password: "secret".into(),
    };
    let received = send(&request).expect("registered");
    assert_eq!(received.get(), Some(&request));
    let response = AuthResponseMessage {
        code: AuthResponseMessage::ACCEPTED,
        message: "Success".into(),
    };
    let received = send(&response).expect("registered");
    assert_eq!(received.get(), Some(&response));
}

#[test]
fn unregistered_message_is_unknown() {
    let error = registered().read(Stolen::ID, &[], &mut budget());
    let id = Stolen::ID;
    assert_eq!(error, Err(MirrorError::UnknownMessage { id }));
}

#[test]
fn malformed_user_message_names_its_position() {
    let error = registered().read(Chat::ID, &[3, 0, b'h'], &mut budget());
    let text = error.expect_err("it is cut off").to_string();
    assert_eq!(
        text,
        "malformed Game.Net.ChatMessage: Chat.text: 2 bytes needed, 1 left, at byte 2"
    );
}

#[test]
#[should_panic(expected = "has the id 34916 of `Mirror.SpawnMessage`")]
fn user_message_may_not_take_a_protocol_id() {
    registered().register::<Stolen>();
}

#[test]
#[should_panic(expected = "message `Game.Net.ChatMessage` has the id 41812")]
fn duplicate_message_id_is_refused() {
    registered().register::<Chat>();
}

proptest! {
    /// Any input is read or refused.
    #[test]
    fn arbitrary_messages_never_panic(
        own in 0..PROTOCOL.len(),
        payload in proptest::collection::vec(any::<u8>(), 0..64),
    ) {
        let (id, _) = PROTOCOL[own];
        let bytes = [&id.to_le_bytes()[..], &payload].concat();
        if let Ok(message) = Message::decode(&bytes) {
            prop_assert_eq!(message.id(), id);
        }
    }

    #[test]
    fn state_messages_survive_encoding(
        net_id: u32,
        payload in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..3000)),
    ) {
        let state = EntityStateMessage { net_id: NetId(net_id), payload: payload.as_deref() };
        let bytes = state.to_bytes().expect("writable");
        prop_assert_eq!(Message::decode(&bytes), Ok(Message::EntityState(state)));
    }
}
