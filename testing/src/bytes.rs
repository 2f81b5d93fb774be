//! Bytes of behaviours and messages.

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::wire::{NetworkReader, NetworkWriter};

/// Returns the bytes that a behaviour writes, in hexadecimal digits, and the result of its function.
pub fn written(behaviour: &mut impl NetworkBehaviour, initial_state: bool) -> (String, bool) {
    let mut writer = NetworkWriter::new();
    let returned = behaviour.on_serialize(&mut writer, initial_state);
    (hex::encode(writer.as_bytes()), returned)
}

/// Reads hexadecimal digits into a behaviour and calls its hooks. Returns the number of bytes read.
///
/// # Panics
///
/// When the bytes are malformed.
pub fn apply<B: NetworkBehaviour>(behaviour: &mut B, bytes: &str, initial_state: bool) -> usize {
    let bytes = hex::decode(bytes).expect("hexadecimal");
    let mut reader = NetworkReader::new(&bytes);
    let previous = behaviour
        .on_deserialize(&mut reader, initial_state)
        .expect("well-formed");
    if !initial_state {
        NetworkContext::detached(|ctx| behaviour.call_hooks(previous, ctx));
    }
    reader.position()
}

/// Returns a UNet message with its header.
///
/// # Panics
///
/// When the payload is longer than 65 535 bytes.
#[must_use]
pub fn frame(message_type: i16, payload: &[u8]) -> Vec<u8> {
    let size = u16::try_from(payload.len()).expect("a short payload");
    [&size.to_le_bytes(), &message_type.to_le_bytes(), payload].concat()
}
