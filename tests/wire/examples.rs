//! Examples of WIRE.md, byte for byte: a test writes the left side of each, and compares the bytes with the right side.

mod batches;
mod calls;
mod codecs;
mod collections;
mod data;
mod list_messages;
mod messages;
mod ours;
mod owners;
mod records;
mod time;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::process::{ExitCode, Termination};

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

/// Returns the bytes of a write in UNet's encoding.
fn bytes(write: impl FnOnce(&mut NetworkWriter)) -> String {
    bytes_in(Encoding::Unet, write)
}

fn bytes_in(dialect: Encoding, write: impl FnOnce(&mut NetworkWriter)) -> String {
    let mut writer = NetworkWriter::with_encoding(dialect);
    write(&mut writer);
    hex::encode(writer.as_bytes())
}

/// Returns the messages in the next packets of a server.
fn packets(server: &mut NetworkServer) -> Vec<String> {
    let mut packets = Vec::new();
    while let Some(transmit) = server.poll_transmit() {
        packets.push(hex::encode(transmit.chunks.concat()));
    }
    packets
}

/// Returns the examples of the document: bytes by left side.
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

/// Examples of the document, written by the code: the result of a test, so that the test of the whole document finds
/// them.
pub(crate) struct Examples(Vec<(&'static str, String)>);

impl Examples {
    /// Compares the bytes of examples, by left side, with the document.
    fn check(examples: Vec<(&'static str, String)>) -> Self {
        let documented = documented();
        for (name, bytes) in &examples {
            assert_eq!(documented.get(*name), Some(bytes), "{name}");
        }
        Self(examples)
    }
}

impl Termination for Examples {
    fn report(self) -> ExitCode {
        ExitCode::SUCCESS
    }
}

#[test]
fn every_example_of_the_document_is_written_by_a_test() {
    let tests: &[fn() -> Examples] = &[
        values::values_are_written_as_documented,
        values::compact_values_are_written_as_documented,
        values::behaviours_are_written_as_documented,
        ours::values_without_a_form_in_unet_are_written_as_documented,
        ours::values_of_other_crates_are_written_as_documented,
        codecs::values_by_codecs_are_written_as_documented,
        collections::lists_are_written_as_documented,
        collections::dictionaries_are_written_as_documented,
        collections::sets_are_written_as_documented,
        data::data_behind_the_fields_are_written_as_documented,
        list_messages::changes_of_lists_are_written_as_documented,
        list_messages::list_messages_of_unet_are_written_as_documented,
        records::records_are_written_as_documented,
        records::differences_are_written_as_documented,
        messages::sessions_and_messages_are_written_as_documented,
        messages::a_new_session_is_written_as_documented,
        messages::objects_in_unet_are_written_as_documented,
        messages::parents_are_written_as_documented,
        messages::the_states_of_a_client_are_written_as_documented,
        messages::handshakes_are_written_as_documented,
        messages::a_view_is_written_as_documented,
        batches::batches_of_updates_are_written_as_documented,
        batches::batches_of_spawns_are_written_as_documented,
        batches::answers_to_a_join_are_written_as_documented,
        calls::calls_are_written_as_documented,
        time::pings_are_written_as_documented,
        time::inputs_are_written_as_documented,
        time::an_object_without_a_snapshot_is_written_as_documented,
        owners::fields_of_groups_are_written_as_documented,
        owners::fields_of_owners_are_written_as_documented,
    ];
    let examples = tests.iter().flat_map(|test| test().0);
    let written: BTreeSet<_> = examples.map(|(name, _)| name.to_owned()).collect();
    let documented: BTreeSet<_> = documented().into_keys().collect();
    assert_eq!(documented, written);
    assert!(documented.len() > 40, "the examples are found");
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
