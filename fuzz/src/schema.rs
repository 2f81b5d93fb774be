//! Descriptions of prefabs, as a server sends them to a client whose registry differs.

use syncvar::wire::{NetworkReader, NetworkWriter};
use syncvar::{Endpoint, PacketLimits};
use syncvar_runtime::unstable::prefab::text::{PrefabText, first_difference, hash};

use crate::limits::bounded;
use crate::protocol::{Compact, Protocol};
use crate::script::Script;

/// Positions of the messages `Schema`, `Connect` and `Disconnect`, which precede a session.
const KINDS: [u8; 4] = [11, 22, 23, 11];

/// Runs an input: as a description by itself, and as messages to a client that has not joined.
///
/// # Panics
///
/// When a description that was read cannot be written and read again.
pub fn run(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    if script.byte() < 128 {
        bounded(bytes.len(), || describe(&bytes[1.min(bytes.len())..]));
        return;
    }
    let mut client = Compact::client();
    Endpoint::handle_connect(&mut client, PacketLimits::STREAM);
    for step in script {
        let kind = KINDS[usize::from(step.op) % KINDS.len()];
        let packet = Compact::message(kind, step.bytes);
        bounded(packet.len(), || {
            let _ = client.handle_packet(0, &packet);
        });
        while let Some(event) = client.poll_event() {
            assert!(!format!("{event:?}").is_empty());
        }
    }
}

fn describe(bytes: &[u8]) {
    let mut reader = NetworkReader::new(bytes);
    let mut texts = Vec::new();
    while reader.remaining() > 0 {
        let Ok(text) = PrefabText::decode(&mut reader) else {
            break;
        };
        texts.push(text);
    }
    let mut writer = NetworkWriter::new();
    for text in &texts {
        text.encode(&mut writer);
    }
    let written = writer.as_bytes();
    let mut reader = NetworkReader::new(written);
    let again: Vec<_> = texts
        .iter()
        .map(|_| PrefabText::decode(&mut reader))
        .collect();
    assert_eq!(again, texts.iter().cloned().map(Ok).collect::<Vec<_>>());
    let all: Vec<_> = texts.iter().collect();
    assert_eq!(hash(&all), hash(&all));
    if let Some((first, others)) = all.split_first() {
        let difference = first_difference(&texts, others);
        assert!(difference.is_none_or(|difference| !difference.to_string().is_empty()));
        let difference = first_difference(std::slice::from_ref(*first), &[first]);
        assert!(difference.is_none(), "{difference:?}");
    }
}
