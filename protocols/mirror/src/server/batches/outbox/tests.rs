use std::time::Duration;

use bytes::{Bytes, BytesMut};
use proptest::collection::vec;
use proptest::prelude::*;
use syncvar_runtime::Channel::{self, Reliable, Unreliable};

use super::*;
use crate::batch::Batcher as Reference;
use crate::server::batches::frame::put_message;

const NOW: Duration = Duration::from_millis(1500);

fn limits(batch_threshold: usize) -> Limits {
    Limits {
        batch_threshold,
        max_reliable: 5000,
        max_unreliable: 5000,
    }
}

/// Returns a message of this length, with distinct bytes.
fn message(number: usize, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    for (byte, place) in bytes.iter_mut().zip(number..) {
        *byte = place.to_le_bytes()[0];
    }
    bytes
}

fn polled(outbox: &mut ConnectionOutbox) -> Vec<(Channel, Vec<u8>)> {
    let packets = std::iter::from_fn(|| outbox.pop());
    let polled = packets.map(|packet| (packet.channel, packet.chunks().concat()));
    polled.collect()
}

fn on_reliable(outbox: &mut ConnectionOutbox) -> Vec<Vec<u8>> {
    let polled = polled(outbox).into_iter();
    polled
        .map(|(channel, bytes)| {
            assert_eq!(channel, Reliable);
            bytes
        })
        .collect()
}

fn batches(reference: &mut Reference) -> Vec<Vec<u8>> {
    let batches = std::iter::from_fn(|| reference.next_batch());
    batches.map(|batch| batch.to_vec()).collect()
}

fn frame_of(messages: &[Vec<u8>]) -> AudienceFrame {
    let mut frame = AudienceFrame::default();
    for message in messages {
        frame.push([&framed_alone(message), &[]]);
    }
    frame.freeze();
    frame
}

fn framed_alone(message: &[u8]) -> Bytes {
    let mut bytes = BytesMut::new();
    put_message(&mut bytes, &[message]);
    bytes.freeze()
}

#[test]
fn first_used_channel_is_always_sent_first() {
    let mut outbox = ConnectionOutbox::new(limits(100));
    for time in [1, 2] {
        let time = Duration::from_secs(time);
        if time.as_secs() == 1 {
            assert!(outbox.send(Unreliable, time, &[b"later"]));
        }
        assert!(outbox.send(Reliable, time, &[b"sooner"]));
        for channel in outbox.channels(Some(Reliable)) {
            outbox.flush(channel);
        }
    }
    let channels: Vec<_> = polled(&mut outbox).into_iter().map(|(it, _)| it).collect();
    assert_eq!(channels, [Unreliable, Reliable, Reliable]);
}

#[test]
fn message_beyond_the_transport_limit_is_not_queued() {
    let mut outbox = ConnectionOutbox::new(limits(100));
    let longest = outbox.longest(Reliable);
    assert!(outbox.send(Reliable, NOW, &[&message(0, longest)]));
    assert!(!outbox.send(Reliable, NOW, &[&message(0, longest + 1)]));
    outbox.flush(Reliable);
    assert_eq!(on_reliable(&mut outbox)[0].len(), 5000);
}

#[test]
fn queued_bytes_are_counted_until_polled() {
    let mut outbox = ConnectionOutbox::new(limits(30));
    let mut frame = frame_of(&[message(1, 20), message(2, 20), message(3, 5)]);
    outbox.send(Reliable, Duration::ZERO, &[b"before"]);
    assert_eq!(outbox.waiting(), 15);
    let batches = frame.cut(header(NOW), outbox.cut([false; 2]), [&[]; 2]);
    outbox.flush_with_batches(Reliable, &batches);
    assert_eq!(outbox.waiting(), 15 + 29 + 29 + 14);
    let lengths: Vec<_> = on_reliable(&mut outbox).iter().map(Vec::len).collect();
    assert_eq!(lengths, [15, 29, 29, 14]);
    assert_eq!(outbox.waiting(), 0);
    assert!(outbox.is_empty());
}

#[test]
fn batches_are_shared_by_equal_settings() {
    let mut frame = frame_of(&[message(1, 20), message(2, 20)]);
    let [telepathy, kcp] = [100, 30].map(|threshold| Cut {
        threshold,
        around: [false; 2],
    });
    let first = frame.cut(header(NOW), telepathy, [&[]; 2]);
    assert!(Arc::ptr_eq(
        &first,
        &frame.cut(header(NOW), telepathy, [&[]; 2])
    ));
    assert_eq!(first.len(), 1);
    assert_eq!(frame.cut(header(NOW), kcp, [&[]; 2]).len(), 2);
    let timed = Cut {
        around: [true, false],
        ..telepathy
    };
    let timed = frame.cut(header(NOW), timed, [&framed_alone(b"time"), &[]]);
    assert!(!Arc::ptr_eq(&first, &timed) && timed.len() == 1);
}

#[test]
fn time_joins_a_batch_of_the_same_moment_only() {
    for (queued, expected) in [(Duration::ZERO, vec![11, 12]), (NOW, vec![15])] {
        let mut outbox = ConnectionOutbox::new(limits(100));
        outbox.send(Unreliable, queued, &[b"aa"]);
        let batch = [&header(NOW)[..], &[3, 1, 2, 3]].concat();
        outbox.flush_with_batch(Unreliable, NOW, &Bytes::from(batch));
        let lengths: Vec<_> = polled(&mut outbox).iter().map(|(_, it)| it.len()).collect();
        assert_eq!(lengths, expected);
    }
}

/// Lengths of messages: mostly short, some near the batch size, some longer.
fn lengths(count: usize) -> impl Strategy<Value = Vec<usize>> {
    let length = prop_oneof![4 => 0..20usize, 1 => 20..130usize, 1 => 230..250usize];
    vec(length, 0..count)
}

/// Optional messages before and after a frame.
fn around() -> impl Strategy<Value = [Option<Vec<u8>>; 2]> {
    let some = || proptest::option::of((0..20usize).prop_map(|length| message(7, length)));
    (some(), some()).prop_map(|(before, after)| [before, after])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Messages queued at several times: equal to the batches of Mirror's batcher.
    #[test]
    fn single_messages_are_batched_like_mirror(
        queued in vec((0..300usize, 0..3u64), 0..40),
        threshold in 20..300usize,
    ) {
        let mut outbox = ConnectionOutbox::new(limits(threshold));
        let mut reference = Reference::new(threshold);
        for (number, (length, time)) in queued.into_iter().enumerate() {
            let time = Duration::from_secs(time);
            let message = message(number, length);
            prop_assert!(outbox.send(Reliable, time, &[&message[..length / 2], &message[length / 2..]]));
            reference.add(&message, time.as_secs_f64());
        }
        outbox.flush(Reliable);
        prop_assert_eq!(on_reliable(&mut outbox), batches(&mut reference));
    }

    /// Shared frames, with optional messages around them.
    #[test]
    fn shared_frames_are_batched_like_mirror(
        lengths in lengths(60),
        around in around(),
        threshold in 10..300usize,
    ) {
        let messages: Vec<_> = lengths.iter().enumerate().map(|(n, it)| message(n, *it)).collect();
        let mut frame = frame_of(&messages);
        let mut reference = Reference::new(threshold);
        let [first, last] = &around;
        for message in first.iter().chain(&messages).chain(last) {
            reference.add(message, NOW.as_secs_f64());
        }
        let around = around.map(|it| it.as_deref().map(framed_alone).unwrap_or_default());
        let how = Cut { threshold, around: around.each_ref().map(|it| !it.is_empty()) };
        let cut = frame.cut(header(NOW), how, around.each_ref().map(|it| &it[..]));
        let cut: Vec<_> = cut.iter().map(|batch| batch.to_vec()).collect();
        prop_assert_eq!(cut, batches(&mut reference));
    }

    /// Queued messages of the same or an earlier time, then two frames with replaced, removed and
    /// inserted messages, and optional messages around them.
    #[test]
    fn gathered_frames_are_batched_like_mirror(
        own in lengths(5),
        same_moment in any::<bool>(),
        around in around(),
        shared in vec(vec((prop_oneof![4 => 0..20usize, 1 => 20..250usize], 0..8usize), 0..30), 0..3),
        threshold in 10..300usize,
    ) {
        let mut outbox = ConnectionOutbox::new(limits(threshold));
        let mut reference = Reference::new(threshold);
        let before = if same_moment { NOW } else { Duration::ZERO };
        for (number, length) in own.iter().enumerate() {
            let message = message(number, *length);
            outbox.send(Reliable, before, &[&message]);
            reference.add(&message, before.as_secs_f64());
        }
        let now = NOW.as_secs_f64();
        let [first, last] = &around;
        if let Some(message) = first {
            reference.add(message, now);
        }
        let mut parts = Vec::new();
        for messages in &shared {
            let (mut all, mut exceptions) = (Vec::new(), Vec::new());
            for (number, (length, kind)) in messages.iter().enumerate() {
                let theirs = message(number, *length);
                let own = message(number + 100, length / 2 + 1);
                let at = all.len();
                let exception = |replaces, own| Exception { replaces, own };
                match kind {
                    // Replaced.
                    0 => {
                        all.push(theirs);
                        exceptions.push(exception(at..at + 1, framed_alone(&own)));
                        reference.add(&own, now);
                    }
                    // Removed.
                    1 => {
                        all.push(theirs);
                        exceptions.push(exception(at..at + 1, Bytes::new()));
                    }
                    // Inserted for this connection.
                    2 => {
                        exceptions.push(exception(at..at, framed_alone(&own)));
                        reference.add(&own, now);
                    }
                    _ => {
                        reference.add(&theirs, now);
                        all.push(theirs);
                    }
                }
            }
            parts.push((frame_of(&all), exceptions));
        }
        let frames = parts.iter().map(|(frame, exceptions)| (frame, &exceptions[..]));
        if let Some(message) = last {
            reference.add(message, now);
        }
        let around = around.each_ref().map(|it| it.as_deref().map(framed_alone).unwrap_or_default());
        outbox.flush_with_frames(Reliable, NOW, frames, around);
        let waiting = outbox.waiting();
        let polled = on_reliable(&mut outbox);
        prop_assert_eq!(waiting, polled.iter().map(Vec::len).sum::<usize>());
        prop_assert_eq!(outbox.waiting(), 0);
        prop_assert_eq!(polled, batches(&mut reference));
    }
}

proptest! {
    #[test]
    fn frames_of_calls_are_as_single_calls(
        threshold in 12_usize..200,
        before in vec(1_usize..60, 0..4),
        calls in vec(1_usize..300, 0..20),
        later in any::<bool>(),
    ) {
        let outboxes = [ConnectionOutbox::new(limits(threshold)), ConnectionOutbox::new(limits(threshold))];
        let [mut single, mut shared] = outboxes;
        for (number, length) in before.iter().enumerate() {
            for outbox in [&mut single, &mut shared] {
                prop_assert!(outbox.send(Unreliable, NOW, &[&message(number, *length)]));
            }
        }
        let time = if later { NOW + Duration::from_millis(1) } else { NOW };
        let calls: Vec<_> = calls.iter().enumerate().map(|(number, length)| message(number, *length)).collect();
        for call in &calls {
            prop_assert!(single.send(Unreliable, time, &[call]));
        }
        shared.send_frame(Unreliable, time, &frame_of(&calls));
        let batches = [&mut single, &mut shared].map(|outbox| outbox.own[1].take());
        prop_assert_eq!(&batches[0], &batches[1]);
    }
}
