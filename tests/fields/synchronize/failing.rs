//! What goes wrong in one behaviour stays there.

use syncvar::prelude::*;
use syncvar::{Framing, error::SynchronizeFailure, wire::ReadErrorKind};
use syncvar_testing::ClientMessages as _;

use super::settings::{
    DIALECTS, Fault, Faulty, Plain, Settings, events, network, noted, set_fault, settings,
};

/// Spawns an object with a behaviour that fails between two that do not, before a client and for one
/// that joins. Returns what the server and the two clients were told about it.
fn run(dialect: Framing, fault: Fault) -> (Vec<SynchronizeError>, Vec<SynchronizeFailure>) {
    let mut net = network(dialect, 1);
    set_fault(fault);
    let id = net.server.spawn((
        Plain { value: 1.into() },
        Faulty {
            value: 2.into(),
            number: 300,
        },
        settings(7, "red"),
    ));
    let other = net.server.spawn(settings(8, "blue"));
    net.settle();
    net.connect();
    net.settle();
    let mut failures = Vec::new();
    for client in 0..2 {
        let told = events(&mut net, client);
        assert!(
            told.contains(&ClientEvent::Spawned { object: id }),
            "{fault:?}: {told:?}"
        );
        assert!(
            !told
                .iter()
                .any(|event| matches!(event, ClientEvent::Poisoned { .. }))
        );
        failures.extend(told.into_iter().filter_map(|event| match event {
            ClientEvent::SynchronizeFailed(failure) => Some(*failure),
            _ => None,
        }));
        let client = net.client(client);
        assert_eq!(*client.get::<Plain>(id).unwrap().value, 1);
        assert_eq!(
            *client.get::<Faulty>(id).unwrap().value,
            2,
            "its fields are right"
        );
        assert_eq!(client.get::<Settings>(id).unwrap().text, "red");
        assert_eq!(client.get::<Settings>(other).unwrap().number, 108);
    }
    // And it goes on.
    net.server.get_mut::<Faulty>(id).unwrap().value.set(9);
    net.settle();
    for replica in net.replicas::<Faulty>(id) {
        assert_eq!(*replica.unwrap().value, 9);
    }
    let told = std::iter::from_fn(|| net.server.poll_event());
    let errors = told.filter_map(|event| match event {
        ServerEvent::SynchronizeFailed {
            object,
            behaviour,
            error,
        } => {
            assert_eq!((object, behaviour), (id, "Faulty"));
            Some(error)
        }
        _ => None,
    });
    (errors.collect(), failures)
}

fn length_of(number: u16, dialect: Framing) -> usize {
    let mut writer = syncvar::wire::NetworkWriter::with_encoding(dialect.encoding());
    writer.write(&number);
    writer.len()
}

// checklist: T53
#[test]
fn faultless_data_raises_no_event() {
    for dialect in DIALECTS {
        assert_eq!(run(dialect, Fault::None), (vec![], vec![]));
    }
}

// checklist: T53 B9
#[test]
fn behaviour_without_written_data_is_not_read() {
    for dialect in DIALECTS {
        assert_eq!(run(dialect, Fault::WritesNothing), (vec![], vec![]));
        let told = noted();
        assert!(told.contains(&"faulty writes".into()) && !told.contains(&"faulty reads".into()));
    }
}

// checklist: T53 B21
#[test]
fn unread_bytes_are_reported_with_their_count() {
    for dialect in DIALECTS {
        let (errors, failures) = run(dialect, Fault::WritesTooMuch);
        assert_eq!(errors, []);
        assert_eq!(failures.len(), 2, "for each client");
        let read = length_of(300, dialect);
        for failure in failures {
            assert_eq!(failure.behaviour, "Faulty");
            assert_eq!((failure.read, failure.expected), (read, read + 5));
            assert_eq!(failure.error, SynchronizeError::LeftOver { left: 5 });
            assert_eq!(failure.error.to_string(), "5 bytes are left over");
        }
    }
}

// checklist: T53 B20 B21
#[test]
fn overlong_read_stays_out_of_the_neighbours_data() {
    for dialect in DIALECTS {
        let (errors, failures) = run(dialect, Fault::ReadsTooMuch);
        assert_eq!((errors.len(), failures.len()), (0, 2));
        for failure in failures {
            let SynchronizeError::Read(error) = failure.error else {
                panic!("{}", failure.error);
            };
            assert!(matches!(
                error.kind(),
                ReadErrorKind::UnexpectedEnd { left: 0, .. }
            ));
            assert_eq!(
                (failure.read, failure.expected),
                (failure.expected, length_of(300, dialect))
            );
        }
    }
}

// checklist: T53 B21
#[test]
fn unread_data_is_reported() {
    for dialect in DIALECTS {
        let (_, failures) = run(dialect, Fault::ReadsNothing);
        let left = length_of(300, dialect);
        for failure in &failures {
            assert_eq!((failure.read, failure.expected), (0, left));
            assert_eq!(failure.error, SynchronizeError::LeftOver { left });
        }
        assert_eq!(failures.len(), 2);
    }
}

// checklist: T53 B18 B19
#[test]
fn failed_write_is_rolled_back() {
    for dialect in DIALECTS {
        for fault in [Fault::FailsWriting, Fault::PanicsWriting, Fault::NoForm] {
            let (errors, failures) = run(dialect, fault);
            assert_eq!(
                (errors.len(), failures.len()),
                (2, 0),
                "for the spawn and for the join"
            );
            let said = match fault {
                Fault::FailsWriting => "not today",
                Fault::PanicsWriting => "a panic: cannot write on",
                _ => "Faulty: a string of 40000 bytes is longer than the limit of 32767",
            };
            assert!(errors[0].to_string().starts_with(said), "{}", errors[0]);
            assert!(!noted().contains(&"faulty reads".into()));
        }
    }
}

// checklist: T53 B20
#[test]
fn one_that_fails_reading_is_passed_over() {
    for dialect in DIALECTS {
        for (fault, said, read) in [
            (Fault::FailsReading, "not today", 0),
            (
                Fault::PanicsReading,
                "a panic: cannot read on",
                length_of(300, dialect),
            ),
        ] {
            let (errors, failures) = run(dialect, fault);
            assert_eq!((errors.len(), failures.len()), (0, 2));
            for failure in failures {
                assert_eq!(
                    (failure.error.to_string(), failure.read),
                    (said.into(), read)
                );
            }
        }
    }
}

// checklist: B19
#[test]
fn one_that_takes_back_more_than_its_own_cannot() {
    for dialect in DIALECTS {
        assert_eq!(run(dialect, Fault::Truncates), (vec![], vec![]));
    }
}

#[test]
fn data_beyond_its_length_field_is_omitted_in_unets_bytes() {
    let (errors, failures) = run(Framing::Unet, Fault::TooLong);
    assert_eq!((errors.len(), failures.len()), (2, 0));
    let said = errors[0].to_string();
    assert!(said.contains("longer than the limit of 65535"), "{said}");
    let (errors, failures) = run(Framing::Compact, Fault::TooLong);
    assert_eq!(errors, []);
    assert_eq!(
        failures[0].error,
        SynchronizeError::LeftOver { left: 70_000 }
    );
}

#[test]
fn data_of_unknown_length_poisons_only_its_object() {
    let mut net = network(Framing::Unet, 1);
    let other = net.server.spawn(settings(1, "kept"));
    let id = net.server.spawn(settings(7, "red"));
    net.settle();
    let asset = net.client(0).prefabs().asset_id("settings").unwrap();
    // ObjectSpawn #2: the field, and data of 9 bytes of which one is there.
    let mut writer = syncvar::wire::NetworkWriter::new();
    let start = writer.start_message(3);
    writer.write_packed_u32(id.0);
    writer.write(&asset);
    writer.write(&Vector3::default());
    writer.write_bytes_and_size(&[5, 9, 0, 1]);
    writer.finish_message(start);
    events(&mut net, 0);
    net.client_mut(0)
        .handle_messages(0, writer.as_bytes())
        .unwrap();
    let told = events(&mut net, 0);
    assert!(
        matches!(told[..], [ClientEvent::Poisoned { object, .. }] if object == id),
        "{told:?}"
    );
    net.settle();
    assert_eq!(events(&mut net, 0), [ClientEvent::Restored { object: id }]);
    assert_eq!(net.client(0).get::<Settings>(other).unwrap().text, "kept");
}
