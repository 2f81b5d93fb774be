//! Rows M5, M17 and M21: each of UNet's operations, and malformed ones.

use super::{ListError, ListHash, ListOperation, SyncListMessage};
use syncvar_runtime::{
    Encoding, ListChange, NetId, NetworkReader, NetworkWriter, ReadErrorKind, SyncList,
    WriteErrorKind,
};

type Message = SyncListMessage<String>;

fn message(operation: ListOperation<String>) -> Message {
    SyncListMessage {
        net_id: NetId(300),
        list_hash: ListHash::of("Player", "names"),
        operation,
    }
}

fn all_operations() -> [ListOperation<String>; 7] {
    let (index, value) = (241, "Zoë".to_string());
    let other = value.clone();
    [
        ListOperation::Add { index, value },
        ListOperation::Clear,
        ListOperation::Insert {
            index: 0,
            value: String::new(),
        },
        ListOperation::Remove { value: "x".into() },
        ListOperation::RemoveAt { index: 70_000 },
        ListOperation::Set {
            index: 3,
            value: other,
        },
        ListOperation::Dirty {
            index: 1,
            value: "y".into(),
        },
    ]
}

fn written(message: &Message) -> Vec<u8> {
    let mut writer = NetworkWriter::new();
    message.write(&mut writer);
    assert_eq!(writer.error(), None);
    writer.as_bytes().to_vec()
}

#[test]
fn every_operation_reads_as_it_was_written() {
    for (number, operation) in (0..).zip(all_operations()) {
        assert_eq!(operation.number(), number);
        let message = message(operation);
        let bytes = written(&message);
        let mut reader = NetworkReader::new(&bytes);
        let address = (message.net_id, message.list_hash);
        assert_eq!(ListHash::peek(&reader), Ok(address));
        assert_eq!(Message::read(&mut reader), Ok(message));
    }
}

#[test]
fn every_truncation_and_every_surplus_byte_is_an_error() {
    for operation in all_operations() {
        let bytes = written(&message(operation));
        for length in 0..bytes.len() {
            let error = Message::read(&mut NetworkReader::new(&bytes[..length])).unwrap_err();
            let kind = error.kind();
            assert!(
                matches!(kind, ReadErrorKind::UnexpectedEnd { .. }),
                "{kind:?}"
            );
        }
        let longer = [bytes, vec![0]].concat();
        let error = Message::read(&mut NetworkReader::new(&longer)).unwrap_err();
        assert_eq!(error.kind(), ReadErrorKind::TrailingBytes { left: 1 });
    }
}

#[test]
fn unknown_operation_is_an_error_at_its_byte() {
    for number in 7..=u8::MAX {
        let bytes = [1, 2, number, 0, 0, 0];
        let error = Message::read(&mut NetworkReader::new(&bytes)).unwrap_err();
        let (what, value) = ("operation on a list", number.into());
        assert_eq!(error.kind(), ReadErrorKind::InvalidValue { what, value });
        assert_eq!(error.offset(), 2);
    }
}

#[test]
fn random_bytes_never_panic() {
    let mut state = 1_u32;
    for round in 0..20_000_usize {
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [.., byte] = state.to_le_bytes();
            byte % 16
        })
        .take(round % 12)
        .collect();
        let mut list = SyncList::from([1, 2, 3]);
        if let Ok(message) = SyncListMessage::<i32>::read(&mut NetworkReader::new(&bytes)) {
            let former = list.clone();
            let changed = message.operation.apply(&mut list);
            assert_eq!(matches!(changed, Ok(Some(_))), list != former);
        }
    }
}

#[test]
fn unencodable_message_is_an_error_of_the_writer() {
    let error = |encoding, operation| {
        let mut writer = NetworkWriter::with_encoding(encoding);
        message(operation).write(&mut writer);
        writer.error().unwrap().kind()
    };
    let value = "x".repeat(40_000);
    let too_long = error(Encoding::Unet, ListOperation::Remove { value });
    assert!(matches!(too_long, WriteErrorKind::StringTooLong { .. }));
    let far = error(Encoding::Unet, ListOperation::RemoveAt { index: 1 << 32 });
    let kind = WriteErrorKind::Custom("a position of more than 32 bits");
    assert_eq!(far, kind);
    let other_dialect = "a message of UNet's in another encoding";
    let compact = error(Encoding::Compact, ListOperation::Clear);
    assert_eq!(compact, WriteErrorKind::Custom(other_dialect));
    let reader = NetworkReader::with_encoding(&[1, 2, 1, 0, 0, 0], Encoding::Compact);
    let error = Message::read(&mut reader.clone()).unwrap_err();
    assert_eq!(error.kind(), ReadErrorKind::Custom(other_dialect));
    assert!(ListHash::peek(&reader).is_err());
}

// checklist: M21
#[test]
fn operation_returns_its_change() {
    let mut list = SyncList::from([1, 2]);
    let (index, previous, value) = (0, 1, 3);
    let mut done = |operation: ListOperation<i32>| operation.apply(&mut list).unwrap();
    let set = ListChange::Set {
        index,
        previous,
        value,
    };
    assert_eq!(done(ListOperation::Set { index, value }), Some(set));
    assert_eq!(done(ListOperation::Set { index, value }), None);
    assert_eq!(done(ListOperation::Dirty { index, value }), None);
    let added = Some(ListChange::Add { index: 2, value: 4 });
    assert_eq!(
        done(ListOperation::Insert { index: 2, value: 4 }),
        added,
        "behind all others"
    );
    let added = Some(ListChange::Add { index: 3, value: 5 });
    let beyond = ListOperation::Add { index: 9, value: 5 };
    assert_eq!(done(beyond), added, "where there is room, as in UNet");
    let inserted = Some(ListChange::Insert { index, value: 6 });
    assert_eq!(done(ListOperation::Insert { index, value: 6 }), inserted);
    let removed = |index, previous| Some(ListChange::RemoveAt { index, previous });
    assert_eq!(done(ListOperation::Remove { value: 4 }), removed(3, 4));
    assert_eq!(done(ListOperation::RemoveAt { index: 0 }), removed(0, 6));
    let previous = vec![3, 2, 5];
    assert_eq!(
        done(ListOperation::Clear),
        Some(ListChange::Clear { previous })
    );
    assert_eq!(done(ListOperation::Clear), None);
}

#[test]
fn invalid_operation_is_refused_without_effect() {
    let mut list = SyncList::from([1, 2]);
    list.clear_dirty();
    let beyond = |index| Err(ListError::IndexOutOfRange { index, length: 2 });
    let value = 0;
    let mut refused = |operation: ListOperation<i32>| operation.apply(&mut list).map(drop);
    let index = 3;
    assert_eq!(refused(ListOperation::Insert { index, value }), beyond(3));
    let index = 2;
    assert_eq!(refused(ListOperation::RemoveAt { index }), beyond(2));
    assert_eq!(refused(ListOperation::Set { index, value }), beyond(2));
    let index = usize::MAX;
    assert_eq!(
        refused(ListOperation::Dirty { index, value }),
        beyond(index)
    );
    let nothing = refused(ListOperation::Remove { value: 7 });
    assert_eq!(nothing, Err(ListError::NotFound));
    assert_eq!(list, [1, 2]);
    assert!(!list.is_dirty());
}

#[test]
fn float_removal_follows_c_sharp_equality() {
    let mut list = SyncList::from([f32::NAN, -0.0, 1.0]);
    for value in [0.0, f32::NAN] {
        ListOperation::Remove { value }.apply(&mut list).unwrap();
    }
    assert_eq!(list, [1.0]);
}

#[test]
fn change_converts_to_its_operation() {
    let (index, previous, value) = (1, 5, 6);
    let clear = ListChange::Clear { previous: vec![5] };
    let operations = [
        (
            ListChange::Add { index, value },
            ListOperation::Add { index, value },
        ),
        (
            ListChange::Insert { index, value },
            ListOperation::Insert { index, value },
        ),
        (
            ListChange::Set {
                index,
                previous,
                value,
            },
            ListOperation::Set { index, value },
        ),
        (
            ListChange::RemoveAt { index, previous },
            ListOperation::RemoveAt { index },
        ),
        (clear, ListOperation::Clear),
    ];
    for (change, operation) in operations {
        assert_eq!(ListOperation::from(change), operation);
    }
}
