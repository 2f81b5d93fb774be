use bytes::Bytes;

use syncvar_runtime::NetId;

use super::*;

const AUDIENCE: AudienceId = AudienceId(3);

/// Adds a frame with chunks of these numbers of objects, 10 bytes each, and returns the next chunk number.
fn add(frames: &mut WriteRecords, tick: u32, first: u64, objects: &[u32]) -> u64 {
    let mut log = WriteLog::default();
    let (mut end, mut chunks) = (0, Vec::new());
    for count in objects {
        for _ in 0..*count {
            end += 10;
            let start = u32::try_from(log.masks.len()).unwrap();
            log.masks.extend([0, u64::from(tick)]);
            log.records.push(WriteRecord {
                net_id: NetId(u32::try_from(log.records.len()).unwrap() + 1),
                channel: 1,
                audience: AUDIENCE,
                masks: start..start + 2,
                changes: Some([0..0, end - 5..end]),
                owner: None,
                members: None,
                part: false,
            });
        }
        chunks.push(Bytes::from(vec![0; *count as usize * 10]));
    }
    assert!(frames.begin(tick, true));
    frames.log = log;
    frames.index();
    let queued = QueuedChunks {
        channel: 1,
        tick,
        chunks: first..first + chunks.len() as u64,
    };
    assert!(frames.add(AUDIENCE, &queued, &chunks));
    first + chunks.len() as u64
}

#[test]
fn chunk_has_the_entries_in_its_bytes() {
    let mut frames = WriteRecords::default();
    let next = add(&mut frames, 5, 10, &[2, 1]);
    add(&mut frames, 6, next + 4, &[3]);
    let ids = |number| {
        frames
            .entries(number)
            .iter()
            .map(|it| it.net_id.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        [ids(10), ids(11), ids(16)],
        [vec![1, 2], vec![3], vec![1, 2, 3]]
    );
    assert_eq!(
        frames.entries(10)[0],
        FieldSet {
            net_id: NetId(1),
            channel: 1,
            behaviour: 1,
            fields: 5
        }
    );
    for unknown in [0, 9, 12, 15, 17] {
        assert_eq!(frames.entries(unknown), [], "{unknown}");
    }
}

#[test]
fn trimmed_frames_are_forgotten() {
    let mut frames = WriteRecords::default();
    let mut next = 1;
    for tick in 1..=40 {
        next = add(&mut frames, tick, next, &[4]);
        frames.trim(tick.saturating_sub(3));
    }
    assert_eq!(frames.tick(), 40);
    assert_eq!(frames.entries(36), []);
    assert_eq!(frames.entries(37).len(), 4);
    let since = frames.since(38).map(|frame| frame.tick);
    assert_eq!(since.collect::<Vec<_>>(), [38, 39]);
    assert_eq!(frames.since(41).count(), 0);
}
