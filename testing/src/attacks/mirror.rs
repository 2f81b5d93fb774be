//! Both ends of Mirror's protocol under attack.

mod client;
mod server;

use syncvar::mirror::{Limits, MirrorClient, MirrorClientConfig};
use syncvar::prelude::*;
use syncvar::wire::Encoding;

use super::Named;
use super::bytes::Payload;
use super::objects::mirror_trove_prefabs;

pub use client::MirrorClientVictim;
pub use server::MirrorServerVictim;

/// Ids of the messages, as on the wire.
const READY: [u8; 2] = [0xbc, 0xaa];
const ADD_PLAYER: [u8; 2] = [0x06, 0xc1];
const NOT_READY: [u8; 2] = [0x72, 0xa9];
const SPAWN_STARTED: [u8; 2] = [0xd8, 0x30];
const SPAWN_FINISHED: [u8; 2] = [0xb4, 0xa9];
const SPAWN: [u8; 2] = [0x64, 0x88];
const CHANGE_OWNER: [u8; 2] = [0xab, 0x10];
const DESTROY: [u8; 2] = [0x61, 0xad];
const STATE: [u8; 2] = [0x33, 0x30];
const BASELINE: [u8; 2] = [0x63, 0x47];
const PING: [u8; 2] = [0x4f, 0x44];

/// Operations on a list.
const ADD: u8 = 0;
const SET: u8 = 1;
const INSERT: u8 = 2;
const REMOVE_AT: u8 = 3;
const CLEAR: u8 = 4;

/// Longest batch on KCP's reliable channel, about.
const BATCH: usize = 290_000;

/// Returns the attacks on the ends of Mirror's protocol.
pub(super) fn attacks() -> Vec<Named> {
    [server::attacks(), client::attacks()].concat()
}

/// Returns a connected client that asks for no player.
fn client() -> MirrorClient {
    let config = MirrorClientConfig {
        auto_add_player: false,
        ..MirrorClientConfig::default()
    };
    let mut client = MirrorClient::with_config(mirror_trove_prefabs(), config);
    client.handle_connect(Limits::KCP);
    client
}

fn payload() -> Payload {
    Payload::new(Encoding::Mirror)
}

/// Returns a batch of messages, each with its length.
fn batch(messages: &[u8]) -> Vec<u8> {
    [&[0; 8], messages].concat()
}

/// Returns a message without fields, with its length.
fn message(id: [u8; 2]) -> Vec<u8> {
    message_of(id, payload())
}

fn message_of(id: [u8; 2], fields: Payload) -> Vec<u8> {
    let fields = fields.bytes();
    let head = payload().number(fields.len() + 2).raw(&id);
    head.raw(&fields).bytes()
}

/// Returns a message with the change of the first component of an object.
fn state(id: [u8; 2], object: NetId, delta: &[u8]) -> Vec<u8> {
    let [safety, ..] = delta.len().to_le_bytes();
    let fields = if id == BASELINE {
        payload().raw(&[1])
    } else {
        payload()
    };
    let fields = fields.value(&object).number(delta.len() + 3);
    message_of(id, fields.raw(&[1, safety]).raw(delta))
}

/// Returns the change of a collection alone.
fn collection(bit: u32, count: usize, operation: impl Fn(Payload, usize) -> Payload) -> Vec<u8> {
    let mask = (1_u64 << bit).to_le_bytes();
    let operations = u32::try_from(count).unwrap_or(u32::MAX);
    let delta = payload().raw(&mask).raw(&operations.to_le_bytes());
    delta.times(count, operation).raw(&[0]).bytes()
}

fn position(position: u32) -> [u8; 4] {
    position.to_le_bytes()
}

fn insert(write: Payload, _: usize) -> Payload {
    write.raw(&[INSERT]).raw(&position(0)).raw(&[7])
}

fn remove(write: Payload, _: usize) -> Payload {
    write.raw(&[REMOVE_AT]).raw(&position(0))
}
