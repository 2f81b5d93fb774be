//! `BatcherTests` and `UnbatcherTests`.

use syncvar::mirror::batch::{BatchError, Batcher, Unbatcher};
use syncvar::mirror::message::{AddPlayerMessage, ReadyMessage};
use syncvar::mirror::{Limits, MirrorError, MirrorServerEvent};

use super::world::world;
use syncvar_testing::mirror::bytes;

// MakeNextBatch_NoMessage, MakeNextBatch_OneMessage, AddMessage.
#[test]
fn a_batch_is_a_time_and_each_message_behind_its_length() {
    let mut batcher = Batcher::new(32);
    assert_eq!(batcher.next_batch(), None);
    batcher.add(&[1], 1.0);
    batcher.add(&[2, 3], 1.0);
    let batch = batcher.next_batch().unwrap();
    assert_eq!(hex::encode(batch), "000000000000f03f0101020203");
    assert_eq!(batcher.next_batch(), None);
}

// MakeNextBatch_MultipleMessages_AlmostFullBatch, MakeNextBatch_MultipleMessages_ExactlyFullBatch,
// MakeNextBatch_MultipleMessages_MoreThanOneBatch, MakeNextBatch_LargerThanThreshold,
// MakeNextBatch_LargerThanThreshold_BetweenSmallerMessages, MakeNextBatch_MultipleMessages_Small_Giant_Small.
#[test]
fn messages_are_gathered_until_a_batch_is_full() {
    // 8 bytes are the time, and 1 of each message its length.
    assert_eq!(cut(&[11, 10]), [vec![11, 10]], "almost full");
    assert_eq!(cut(&[11, 11]), [vec![11, 11]], "full");
    assert_eq!(cut(&[11, 12]), [vec![11], vec![12]]);
    assert_eq!(cut(&[11, 11, 0]), [vec![11, 11], vec![0]]);
    assert_eq!(cut(&[40]), [vec![40]], "too long for any");
    assert_eq!(cut(&[1, 40, 2]), [vec![1], vec![40], vec![2]]);

    /// The lengths of the messages in each batch, for messages of these lengths in batches of 32 bytes.
    fn cut(lengths: &[usize]) -> Vec<Vec<usize>> {
        let mut batcher = Batcher::new(32);
        for (content, length) in (0..).zip(lengths) {
            batcher.add(&vec![content; *length], 1.5);
        }
        let mut next = 0;
        let cut = std::iter::from_fn(|| batcher.next_batch());
        let cut = cut.map(|batch| {
            let messages = Unbatcher::new(&batch).unwrap();
            assert_eq!(messages.time().to_bits(), 1.5_f64.to_bits());
            let messages = messages.map(|message| {
                let message = message.unwrap();
                assert!(message.iter().all(|byte| *byte == next), "in their order");
                next += 1;
                message.len()
            });
            messages.collect()
        });
        cut.collect()
    }
}

// AddMessage_TimestampMismatch, GetNextMessage_MultipleBatches, RetireBatchAndTryNewBatch.
#[test]
fn messages_of_two_moments_are_two_batches_each_with_its_time() {
    let mut batcher = Batcher::new(32);
    batcher.add(&[1], 1.0);
    batcher.add(&[2], 2.0);
    let both: Vec<_> = std::iter::from_fn(|| batcher.next_batch()).collect();
    let read: Vec<_> = { both.iter() }
        .map(|batch| {
            let mut messages = Unbatcher::new(batch).unwrap();
            let time = messages.time();
            (time.to_bits(), messages.next().unwrap().unwrap().to_vec())
        })
        .collect();
    let (one, two) = (1.0_f64.to_bits(), 2.0_f64.to_bits());
    assert_eq!(read, [(one, vec![1]), (two, vec![2])]);
}

// GetNextMessage_NoBatches, GetNextMessage_OneBatch, GetNextMessage_True_False_False_InvalidOperationException.
#[test]
fn finished_batch_yields_no_more_messages() {
    let batch = hex::decode("000000000000f03f0107").unwrap();
    let mut messages = Unbatcher::new(&batch).unwrap();
    assert_eq!(messages.next(), Some(Ok(&[7][..])));
    assert_eq!((messages.next(), messages.next()), (None, None));
    assert!(Unbatcher::new(&[]).is_err(), "no batch at all");
}

// GetNextMessage_MalformedBatch_SizeLargerThanRemaining, GetNextMessage_SizePrefixOverflow_Throws.
#[test]
fn length_beyond_the_end_is_an_error_and_stops_reading() {
    for lengths in ["03", "fbffffffff", "ffffffffffffffffff"] {
        let batch = hex::decode(format!("000000000000f03f0107{lengths}aabb")).unwrap();
        let mut messages = Unbatcher::new(&batch).unwrap();
        assert_eq!(messages.next(), Some(Ok(&[7][..])));
        let error: Option<Result<_, BatchError>> = messages.next();
        assert!(matches!(error, Some(Err(_))), "{lengths}");
        assert_eq!(messages.next(), None, "{lengths}");
    }
}

// GetNextMessage_MalformedBatch_NoQueueGrowth, Clear, ClearReturnsToPool.
#[test]
fn malformed_batch_ends_its_connection_and_the_next_is_fresh() {
    let mut world = world();
    for _ in 0..3 {
        let client = world.server.handle_connect(Limits::TELEPATHY);
        let channel = syncvar::Channel::Reliable;
        let cut_off = hex::decode("000000000000f03f05aa").unwrap();
        let error = world.server.handle_packet(client, channel, &cut_off);
        assert!(matches!(error, Err(MirrorError::Batch(_))));
        let again = world.server.handle_packet(client, channel, &cut_off);
        assert_eq!(again, Err(MirrorError::NoSuchConnection));
    }
    let client = world.connect();
    world.say(client, &[&bytes(&ReadyMessage)]).unwrap();
    assert!(world.server.is_ready(client));
}

// MessageSerializationMismatch.
#[test]
fn unread_rest_of_a_message_does_not_shift_the_next() {
    let mut world = world();
    let connection = world.connect();
    world.events();
    let long = [bytes(&ReadyMessage), vec![0xbc, 0xaa, 9]].concat();
    world
        .say(connection, &[&long, &bytes(&AddPlayerMessage)])
        .unwrap();
    assert_eq!(
        world.events(),
        [
            MirrorServerEvent::Ready { connection },
            MirrorServerEvent::AddPlayerRequested { connection }
        ]
    );
}
