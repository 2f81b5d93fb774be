//! Every example of WIRE.md, byte for byte: the document is read, each left side is written by the
//! real code, and the right side is what must come out.

pub(crate) mod batches;
pub(crate) mod calls;
pub(crate) mod codecs;
pub(crate) mod collections;
pub(crate) mod data;
pub(crate) mod list_messages;
pub(crate) mod messages;
pub(crate) mod ours;
pub(crate) mod owners;
pub(crate) mod records;
pub(crate) mod time;
pub(crate) mod values;

use std::collections::BTreeMap;

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::wire::{Encoding, NetworkReader, NetworkWriter, ReadErrorKind};

#[derive(NetworkBehaviour, Default)]
struct Creature {
    #[sync_var]
    hp: SyncVar<i32>,
    #[sync_var]
    speed: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
struct Orc {
    #[network_behaviour(base)]
    base: Creature,
    #[sync_var]
    rage: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct One {
    #[sync_var]
    v: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Two {
    #[sync_var]
    w: SyncVar<String>,
    #[sync_var]
    k: SyncVar<u8>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Vault {
    #[sync_var]
    bytes: SyncVar<Vec<u8>>,
}

#[derive(NetworkBehaviour, Default)]
struct Lamp {
    #[sync_var]
    lit: SyncVar<bool>,
}

/// The bytes of anything that is written, in UNet's dialect.
fn bytes(write: impl FnOnce(&mut NetworkWriter)) -> String {
    bytes_in(Encoding::Unet, write)
}

fn bytes_in(dialect: Encoding, write: impl FnOnce(&mut NetworkWriter)) -> String {
    let mut writer = NetworkWriter::with_encoding(dialect);
    write(&mut writer);
    hex::encode(writer.as_bytes())
}

/// The messages in the packets that a server sends.
fn packets(server: &mut NetworkServer) -> Vec<String> {
    let mut packets = Vec::new();
    while let Some(transmit) = server.poll_transmit() {
        packets.push(hex::encode(transmit.chunks.concat()));
    }
    packets
}

/// The examples of the document: left side and right side.
fn documented() -> BTreeMap<String, String> {
    let document = include_str!("../../WIRE.md");
    let mut examples = BTreeMap::new();
    let (mut in_examples, mut apart) = (false, false);
    for line in document.lines() {
        if line.starts_with("## ") {
            apart = ["## 7. Packet headers", "## 8. TCP, WebSocket, QUIC and UDP"].contains(&line);
        }
        in_examples = line.starts_with("| example |") || in_examples && line.starts_with('|');
        if !in_examples || line.starts_with("| example |") || line.starts_with("| ---") {
            continue;
        }
        let (left, right) = line
            .trim_matches(['|', ' '])
            .rsplit_once(" | ")
            .expect("two columns");
        // Headers have no public type: `syncvar-net` and the transports compare them beside their code.
        if apart || ours::is_absent(left) {
            continue;
        }
        let bytes: String = right.chars().filter(char::is_ascii_hexdigit).collect();
        let twice = examples.insert(left.to_owned(), bytes);
        assert!(twice.is_none(), "two examples are called {left}");
    }
    examples
}

#[test]
fn document_examples_equal_the_written_bytes() {
    let documented = documented();
    let examples = [
        values::examples(),
        ours::examples(),
        messages::examples(),
        time::examples(),
        owners::examples(),
        batches::examples(),
        calls::examples(),
        collections::examples(),
        codecs::examples(),
        data::examples(),
        list_messages::examples(),
        records::examples(),
    ];
    let written: BTreeMap<_, _> = examples.into_iter().flatten().collect();
    assert!(
        documented.len() > 40,
        "the examples are found: {}",
        documented.len()
    );
    for (name, bytes) in &documented {
        let written = written.get(name.as_str());
        assert_eq!(written, Some(bytes), "{name}");
    }
    assert_eq!(
        documented.len(),
        written.len(),
        "every example that is written is in the document"
    );
}

#[test]
fn behaviour_with_a_base_reads_its_bytes_in_each_encoding() {
    for dialect in [Encoding::Unet, Encoding::Compact] {
        let mut orc = Orc::default();
        orc.base.hp.set(-5);
        orc.rage.set(90_000);
        let mut replica = Orc::default();
        for initial_state in [false, true] {
            let mut writer = NetworkWriter::with_encoding(dialect);
            assert!(orc.on_serialize(&mut writer, initial_state));
            let mut reader = NetworkReader::with_encoding(writer.as_bytes(), dialect);
            replica
                .on_deserialize(&mut reader, initial_state)
                .expect("it was written");
            reader.finish().expect("all of it is read");
            assert_eq!((*replica.base.hp, *replica.rage), (-5, 90_000));
        }
        let mut reader = NetworkReader::with_encoding(&[8], dialect);
        let error = replica.on_deserialize(&mut reader, false).unwrap_err();
        let unknown = ReadErrorKind::UnknownDirtyBits { unknown: 8 };
        assert_eq!((error.kind(), error.offset()), (unknown, 0));
    }
}
