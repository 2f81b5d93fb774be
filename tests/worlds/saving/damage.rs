//! Saves that are damaged, or made to harm.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::records::RecordError;
use syncvar::saving::{Save, SaveError};
use syncvar::testing::{Conditions, Random};
use syncvar_testing::cases;

use super::{config, network, prefabs, unit};

/// Each cut and each changed byte is refused with an error.
#[test]
fn damaged_saves_are_refused() {
    let mut server = NetworkServer::new(prefabs());
    server.spawn(unit(1));
    let bytes = server.save().unwrap().to_bytes();
    for length in 0..bytes.len() {
        assert!(
            Save::from_bytes(&bytes[..length]).is_err(),
            "{length} bytes"
        );
    }
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            assert!(
                Save::from_bytes(&damaged).is_err(),
                "bit {bit} of byte {at}"
            );
        }
    }
    assert_eq!(Save::from_bytes(b"\x89PNG").unwrap_err(), SaveError::NoSave);
}

/// Up to three changed bits at any places, and a cut.
#[test]
fn random_flips_of_a_save_are_refused() {
    let (mut net, _) = network(Conditions::default());
    let bytes = net.server.save().unwrap().to_bytes();
    let length = u32::try_from(bytes.len()).unwrap();
    let mut random = Random::new(1);
    for number in 0..cases(4_096).cases {
        let mut damaged = bytes.clone();
        if random.chance(200) {
            damaged.truncate(random.below(length) as usize);
        }
        for _ in 0..=random.below(3) {
            let at = random.below(length) as usize;
            if let Some(byte) = damaged.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        let read = Save::from_bytes(&damaged);
        assert_eq!(read.is_ok(), damaged == bytes, "number {number}");
    }
}

/// A save whose checksum is right, and whose contents are not: an error or a state, never a panic.
#[test]
fn hostile_saves_are_refused_or_loaded_without_a_panic() {
    let (mut net, _) = network(Conditions::default());
    net.server.set_player_key(net.connection(0), "ann").unwrap();
    let save = net.server.save().unwrap();
    let bytes = save.to_bytes();
    let start = bytes.len() - save.keyframe().as_bytes().len();
    let mut loaded = 0;
    for at in start + 4..bytes.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut hostile = bytes.clone();
            hostile[at] ^= change;
            let checksum = crc32c::crc32c(&hostile[start + 4..]);
            hostile[start..start + 4].copy_from_slice(&checksum.to_le_bytes());
            let Ok(save) = Save::from_bytes(&hostile) else {
                continue;
            };
            let mut server = NetworkServer::with_config(prefabs(), config());
            if server.load(&save).is_ok() {
                loaded += 1;
                server.update(Duration::from_secs(1));
            } else {
                assert_eq!(server.object_count(), 0);
            }
        }
    }
    assert!(loaded > 0);
}

#[test]
fn damaged_record_has_the_reason() {
    let mut server = NetworkServer::new(prefabs());
    server.spawn(unit(1));
    let mut bytes = server.save().unwrap().to_bytes();
    *bytes.last_mut().unwrap() ^= 1;
    let error = Save::from_bytes(&bytes).unwrap_err();
    assert!(
        matches!(error, SaveError::Record(RecordError::Checksum { .. })),
        "{error}"
    );
}
