//! `NetworkMessagesTest` and its kin: messages and their ids.

use syncvar::mirror::message::{
    Message, NetworkMessage, SceneMessage, SceneOperation, SpawnMessage,
};
use syncvar::mirror::{MirrorError, MirrorMessage, MirrorPrefabs, hash16};
use syncvar::prelude::*;

use super::world::world_of;
use syncvar_testing::mirror::bytes;

/// What several messages begin with: a class that others derive from, in C#.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
struct Parent {
    parent: i32,
}

/// The fields of the derived class come first, as in Mirror.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
struct Child {
    child: String,
    base: Parent,
}

impl MirrorMessage for Child {
    const NAME: &'static str = "Game.Child";
}

/// Has nothing in it.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
struct Nothing {}

impl MirrorMessage for Nothing {
    const NAME: &'static str = "Game.Outer+Nothing";
}

impl Nothing {
    /// Methods do not travel.
    fn is_nothing(&self) -> bool {
        *self == Self {}
    }
}

// GetId, MessageIdIsCorrectLength, TestUnpackMessageNonGeneric, UnpackWrongMessage, TestUnpackIdMismatch.
#[test]
fn a_message_begins_with_the_hash_of_its_name() {
    assert_eq!(SpawnMessage::ID, hash16("Mirror.SpawnMessage"));
    let scene = SceneMessage {
        scene_name: Some("Room"),
        operation: SceneOperation::Normal,
        custom_handling: false,
    };
    let written = bytes(&scene);
    assert_eq!(written[..2], SceneMessage::ID.to_le_bytes());
    assert_ne!(Child::ID, Nothing::ID);
    let decoded = Message::decode(&written).unwrap();
    assert_eq!(decoded.id(), SceneMessage::ID);
    assert_eq!(decoded, Message::Scene(scene));
}

// UnpackInvalidMessage.
#[test]
fn truncated_message_is_an_error() {
    for length in [0, 1] {
        let error = Message::decode(&[1, 2][..length]);
        assert_eq!(error, Err(MirrorError::NoMessageId { length }));
    }
    let spawn = SpawnMessage::ID.to_le_bytes();
    assert!(Message::decode(&spawn).is_err(), "and no fields");
}

// TestPacking, SendsVauesInParentAndChildClass, SendsVauesWhenUsingAbstractClass, SerializeAreAddedWhenEmptyInStruct,
// StructWithMethods, StructWithEmptyMethods.
#[test]
fn messages_of_the_game_arrive_with_all_that_is_in_them() {
    let mut world = world_of(prefabs);
    let client = world.connect();
    let child = Child {
        child: "c".into(),
        base: Parent { parent: 7 },
    };
    world.server.send(client, &child).unwrap();
    world.server.send(client, &Nothing {}).unwrap();
    world.frame();
    let heard = world.client_events(client);
    let mut messages = heard.iter().filter_map(|event| match event {
        syncvar::mirror::MirrorClientEvent::Message(message) => Some(message),
        _ => None,
    });
    assert_eq!(messages.next().unwrap().get(), Some(&child));
    let nothing = messages.next().unwrap().get::<Nothing>();
    assert!(nothing.is_some_and(Nothing::is_nothing));
    assert_eq!(messages.next(), None);

    fn prefabs() -> MirrorPrefabs {
        MirrorPrefabs::new()
            .message::<Child>()
            .message::<Nothing>()
            .register::<super::game::Door>(syncvar::mirror::MirrorPrefab::scene("door"))
    }
}
