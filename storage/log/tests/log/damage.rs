//! Cut and damaged files: read up to the damage, or refused, never a wrong world.

use std::io::Cursor;
use std::time::Duration;

use syncvar::log::{LogError, LogReader, Player};
use syncvar::prelude::*;
use syncvar::testing::Random;

use crate::world::{Recorded, prefabs, state};

/// Plays a file up to its first error, by seeks and steps. Each state is that of the recording at its time. Returns the time
/// of the last state.
fn play(recorded: &Recorded, file: &[u8]) -> Result<Duration, LogError> {
    seek(recorded, file)?;
    let mut player = Player::new(LogReader::new(Cursor::new(file))?);
    let mut client = NetworkClient::new(prefabs());
    while player.step_forward(&mut client)? {
        let position = player.position();
        assert_eq!(state(&client), *recorded.at(position), "at {position:?}");
    }
    Ok(player.position())
}

/// Seeks to four moments of a file, as [`play`].
fn seek(recorded: &Recorded, file: &[u8]) -> Result<Duration, LogError> {
    let mut player = Player::new(LogReader::new(Cursor::new(file))?);
    let mut client = NetworkClient::new(prefabs());
    let (start, end) = (player.start(), player.end());
    let mut result = Ok(());
    for time in [start, (start + end) / 2, end, (start + end) / 3] {
        result = result.and(player.seek(&mut client, time));
        if result.is_ok() {
            let position = player.position();
            assert_eq!(state(&client), *recorded.at(position), "at {position:?}");
        }
    }
    result.map(|()| end)
}

#[test]
fn each_cut_of_a_file_leaves_its_whole_chunks() {
    let recorded = Recorded::new(1, 24, 8);
    let whole = play(&recorded, &recorded.file).unwrap();
    let mut ends = Vec::new();
    for cut in 0..recorded.file.len() {
        match seek(&recorded, &recorded.file[..cut]) {
            Ok(end) => ends.push(end),
            Err(error) => {
                assert!(matches!(error, LogError::Foreign(_)), "cut {cut}: {error}");
                assert!(ends.is_empty(), "cut {cut}: {error}");
            }
        }
    }
    assert!(ends.is_sorted());
    ends.dedup();
    assert_eq!(ends.len(), 3);
    assert_eq!(ends.last(), Some(&whole));
}

#[test]
fn each_changed_byte_of_a_file_is_harmless_or_refused() {
    let recorded = Recorded::new(2, 8, 3);
    for position in 0..recorded.file.len() {
        let mut file = recorded.file.clone();
        file[position] ^= 1 << (position % 8);
        let _ = play(&recorded, &file);
    }
}

/// Whole and cut files, with up to three changed bits.
#[test]
fn random_flips_are_harmless_or_refused() {
    let recorded = Recorded::new(7, 8, 3);
    let flips = std::env::var("SYNCVAR_LOG_FLIPS").ok();
    let flips = flips.and_then(|flips| flips.parse().ok());
    let mut random = Random::new(7);
    let length = u32::try_from(recorded.file.len()).unwrap();
    for _ in 0..flips.unwrap_or(500) {
        let mut file = recorded.file.clone();
        if random.chance(300) {
            file.truncate(random.below(length) as usize);
        }
        for _ in 0..=random.below(3) {
            let position = random.below(length) as usize;
            if let Some(byte) = file.get_mut(position) {
                *byte ^= 1 << random.below(8);
            }
        }
        let _ = play(&recorded, &file);
    }
}

/// A cut file has no summary, whose checksum covers the index.
#[test]
fn each_changed_byte_of_a_cut_file_is_harmless_or_refused() {
    let recorded = Recorded::new(3, 8, 3);
    let cut = recorded.file.len() - 40;
    for position in 0..cut {
        let mut file = recorded.file[..cut].to_vec();
        file[position] ^= 0xff >> (position % 8);
        let _ = play(&recorded, &file);
    }
}

#[test]
fn random_damage_of_a_larger_file_is_harmless_or_refused() {
    let recorded = Recorded::new(4, 900, 90);
    let mut random = Random::new(4);
    let length = u32::try_from(recorded.file.len()).unwrap();
    for _ in 0..150 {
        let mut file = recorded.file.clone();
        if random.chance(500) {
            file.truncate(random.below(length) as usize);
        }
        for _ in 0..random.below(3) {
            let position = random.below(length) as usize;
            if let Some(byte) = file.get_mut(position) {
                *byte ^= 1 << random.below(8);
            }
        }
        let _ = seek(&recorded, &file);
    }
}

/// Found by a million random flips: a chunk of markers whose index claims a keyframe, behind a damaged summary and before a
/// damaged chunk.
#[test]
fn chunk_of_markers_that_claims_a_keyframe_is_refused() {
    const INDEX: u8 = 7;
    const CHUNK: u8 = 6;
    let recorded = Recorded::new(7, 8, 3);
    let (mut places, mut at) = (Vec::new(), 8);
    while at + 9 < recorded.file.len() {
        let length = u64::from_le_bytes(recorded.file[at + 1..at + 9].try_into().unwrap());
        let end = at + 9 + usize::try_from(length).unwrap();
        places.push((recorded.file[at], at, end));
        at = end;
    }
    let last = places.iter().rfind(|(code, ..)| *code == CHUNK).unwrap();
    let indexes = places.iter().filter(|it| it.0 == INDEX && it.1 < last.1);
    let mut refused = 0;
    for (_, index, _) in indexes {
        let mut file = recorded.file[..last.2].to_vec();
        file[last.2 - 3] ^= 0x80;
        // The channel of keyframes.
        file[index + 9] = 1;
        refused += u32::from(play(&recorded, &file).is_err());
    }
    assert!(refused > 0);
}

#[test]
fn a_chunk_above_the_limit_is_refused() {
    let recorded = Recorded::new(5, 60, 60);
    let error = LogReader::with_limit(recorded.cursor(), 100).unwrap_err();
    assert!(matches!(error, LogError::TooLong { .. }), "{error}");
}

#[test]
fn a_damaged_chunk_is_left_behind_by_a_seek() {
    let recorded = Recorded::new(6, 120, 30);
    let mut player = Player::new(LogReader::new(recorded.cursor()).unwrap());
    let keyframes: Vec<_> = player.keyframes().collect();
    let mut file = recorded.file.clone();
    // A byte in the middle of the compressed records.
    let middle = file.len() / 3;
    file[middle] ^= 0xff;
    player = Player::new(LogReader::new(Cursor::new(file)).unwrap());
    let mut client = NetworkClient::new(prefabs());
    let failed = keyframes.iter().filter(|keyframe| {
        let sought = player.seek(&mut client, **keyframe);
        if sought.is_ok() {
            assert_eq!(state(&client), *recorded.at(**keyframe));
        }
        sought.is_err()
    });
    assert_eq!(failed.count(), 1);
}
