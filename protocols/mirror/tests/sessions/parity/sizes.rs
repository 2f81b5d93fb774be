//! `NetworkServerTest` and `NetworkClientTests_TransportAndSend`: how long messages may be.

use syncvar::mirror::{Limits, MirrorClientEvent, MirrorError, MirrorServerEvent};
use syncvar::prelude::*;

use super::game::Chat;
use super::world::world;
use syncvar_testing::mirror::MirrorNetwork;

/// Batches are full at 64 bytes, and the transport carries 300.
const LIMITS: Limits = Limits {
    batch_threshold: 64,
    max_reliable: 300,
    max_unreliable: 300,
};

fn small_world() -> (MirrorNetwork, ConnectionId) {
    let mut world = world();
    world.limits = LIMITS;
    let client = world.connect();
    (world, client)
}

fn client_got(world: &mut MirrorNetwork, client: ConnectionId) -> Vec<(i32, usize)> {
    let events = world.client_events(client).into_iter();
    let messages = events.filter_map(|event| match event {
        MirrorClientEvent::Message(message) => message.get::<Chat>().cloned(),
        _ => None,
    });
    messages
        .map(|chat| (chat.number, chat.text.len()))
        .collect()
}

fn server_got(world: &mut MirrorNetwork) -> Vec<(i32, usize)> {
    let events = world.events().into_iter();
    let messages = events.filter_map(|event| match event {
        MirrorServerEvent::Message { message, .. } => message.get::<Chat>().cloned(),
        _ => None,
    });
    messages
        .map(|chat| (chat.number, chat.text.len()))
        .collect()
}

// Send_ClientToServerMessage_LargerThanBatchThreshold, Send_ClientToServerMessage_LargerThanBatchThreshold_SentInOrder,
// Send_ServerToClientMessage_LargerThanBatchThreshold, Send_ServerToClientMessage_LargerThanBatchThreshold_SentInOrder.
#[test]
fn message_longer_than_a_batch_keeps_its_order() {
    let (mut world, client) = small_world();
    let lengths = [10, 200, 10, 64, 10];
    let expected: Vec<_> = (0..)
        .zip(lengths)
        .map(|(number, length)| numbered(number, length))
        .collect();
    for chat in &expected {
        world.server.send(client, chat).unwrap();
        world.client(client).send(chat).unwrap();
    }
    world.frames(2);
    let expected: Vec<_> = { expected.iter() }
        .map(|chat| (chat.number, chat.text.len()))
        .collect();
    assert_eq!(client_got(&mut world, client), expected);
    assert_eq!(server_got(&mut world), expected);

    fn numbered(number: i32, length: usize) -> Chat {
        let mut chat = Chat::of_length(length);
        chat.number = number;
        chat
    }
}

// Send_ClientToServerMessage_MaxMessageSize, Send_ServerToClientMessage_MaxMessageSize,
// Send_ClientToServerMessage_LargerThanMaxMessageSize, Send_ServerToClientMessage_LargerThanMaxMessageSize,
// SendToAll_MessageLargerThanMaxSize_LogsErrorAndDrops.
#[test]
fn longest_message_arrives_and_a_longer_one_is_an_error() {
    /// The longest message: 8 bytes are the time of its batch, 2 say how long it is.
    const LONGEST: usize = 300 - 8 - 2;

    let (mut world, client) = small_world();
    let too_long = MirrorError::TooLong {
        length: LONGEST + 1,
        limit: LONGEST,
    };
    let longer = Chat::of_length(LONGEST + 1);
    assert_eq!(world.server.send(client, &longer), Err(too_long.clone()));
    assert_eq!(world.server.send_to_all(&longer), Err(too_long.clone()));
    assert_eq!(world.client(client).send(&longer), Err(too_long));
    let longest = Chat::of_length(LONGEST);
    world.server.send(client, &longest).unwrap();
    world.client(client).send(&longest).unwrap();
    world.frames(2);
    let expected = [(0, longest.text.len())];
    assert_eq!(client_got(&mut world, client), expected);
    assert_eq!(server_got(&mut world), expected);
    assert!(world.server.is_connected(client));
}
