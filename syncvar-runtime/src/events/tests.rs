use super::{EventReader, Events};

fn read(events: &Events<i32>, reader: &mut EventReader) -> Vec<i32> {
    events.read(reader).copied().collect()
}

#[test]
fn minor_events_fill_half_of_the_queue() {
    let mut events = Events::with_limit(4);
    events.push(1);
    (0..100).for_each(|_| {
        events.push_minor(0);
    });
    (2..=3).for_each(|event| events.push(event));
    assert_eq!(events.missed(), 99);
    assert_eq!(
        std::iter::from_fn(|| events.pop()).collect::<Vec<_>>(),
        [1, 0, 2, 3]
    );
}

#[test]
fn polled_and_dropped_events_keep_their_numbers() {
    let mut events = Events::with_limit(2);
    (0..5).for_each(|event| events.push(event));
    assert_eq!((events.first_unread(), events.total()), (3, 5));
    assert_eq!(events.pop(), Some(3));
    assert!(!events.push_minor(9));
    assert_eq!((events.first_unread(), events.total()), (4, 5));
    (5..=5).for_each(|event| events.push(event));
    assert_eq!((events.first_unread(), events.total()), (4, 6));
}

#[test]
fn full_queue_drops_the_oldest_events() {
    let mut events = Events::with_limit(3);
    for event in 1..=5 {
        events.push(event);
    }
    assert_eq!(events.missed(), 2);
    assert_eq!(
        std::iter::from_fn(|| events.pop()).collect::<Vec<_>>(),
        [3, 4, 5]
    );
}

#[test]
fn event_stays_until_every_reader_has_read_it() {
    let mut events = Events::with_limit(8);
    events.push(1);
    let (mut a, mut b) = (events.reader(), events.reader());
    events.push(2);
    assert_eq!(read(&events, &mut a), [1, 2]);
    events.release();
    assert_eq!((events.first_unread(), events.queue.len()), (0, 2));
    assert_eq!(events.read(&mut b).next(), Some(&1), "the rest is unread");
    events.release();
    assert_eq!(events.queue, [2]);
    assert_eq!(
        (read(&events, &mut a), read(&events, &mut b)),
        (vec![], vec![2])
    );
    events.release();
    assert!(events.queue.is_empty());
}

#[test]
fn pop_is_a_reader_from_its_first_call_on() {
    let mut events = Events::with_limit(8);
    let mut reader = events.reader();
    events.push(1);
    assert_eq!(read(&events, &mut reader), [1]);
    events.release();
    assert_eq!(events.pop(), None, "nothing waited for it");
    (2..=3).for_each(|event| events.push(event));
    assert_eq!(read(&events, &mut reader), [2, 3]);
    events.release();
    assert_eq!(
        [events.pop(), events.pop(), events.pop()],
        [Some(2), Some(3), None]
    );
}

#[test]
fn reader_after_pops_takes_nothing_from_them() {
    let mut events = Events::with_limit(8);
    (1..=3).for_each(|event| events.push(event));
    assert_eq!(events.pop(), Some(1));
    let mut reader = events.reader();
    assert_eq!(read(&events, &mut reader), [2, 3]);
    events.release();
    assert_eq!(events.pop(), Some(2));
    drop(reader);
    events.release();
    assert_eq!((events.pop(), events.pop()), (Some(3), None));
}

#[test]
fn slow_reader_misses_the_oldest_of_a_full_queue() {
    let mut events = Events::with_limit(2);
    let (mut fast, mut slow) = (events.reader(), events.reader());
    for event in 1..=5 {
        events.push(event);
        assert_eq!(read(&events, &mut fast), [event]);
    }
    assert_eq!((events.missed(), fast.missed()), (3, 0));
    assert_eq!(read(&events, &mut slow), [4, 5]);
    assert_eq!(slow.missed(), 3);
}

#[test]
fn dropped_reader_holds_nothing_back() {
    let mut events = Events::with_limit(8);
    let (mut a, b) = (events.reader(), events.reader());
    events.push(1);
    assert_eq!(read(&events, &mut a), [1]);
    drop(b);
    events.release();
    assert!(events.queue.is_empty());
}

#[test]
#[should_panic(expected = "call its `event_reader`")]
#[cfg(debug_assertions)]
fn reader_of_another_end_is_refused() {
    let mut reader = Events::<i32>::with_limit(1).reader();
    Events::<i32>::with_limit(1).read(&mut reader);
}
