//! Acknowledgements: alone after a time, with other packets, or at once.

use super::{Datagram, Link, Stream};

#[test]
fn client_without_datagrams_sends_no_acknowledgement() {
    let mut link = Link::new();
    link.spawn(2);
    assert_eq!(link.wait(100), Vec::<Vec<u8>>::new());
}

#[test]
fn acknowledgement_is_sent_alone_after_its_interval() {
    let mut link = Link::new();
    link.spawn(2);
    link.datagram(Datagram::of(1, 11), &[]).unwrap();
    assert_eq!(
        link.wait(0).len(),
        1,
        "the packets of the stream have waited"
    );
    for sequence in [3, 4, 7, 6] {
        let header = Datagram::of(sequence, 10 + u32::from(sequence));
        link.datagram(header, &[]).unwrap();
    }
    assert_eq!(link.wait(20), Vec::<Vec<u8>>::new());
    let [low, high] = link.sent.to_le_bytes();
    assert_eq!(link.wait(20), [[0x10, 7, 0, low, high, 1, 0x12]]);
    assert_eq!(link.wait(100), Vec::<Vec<u8>>::new(), "no news");
    let sent = link.sent;
    link.stream(Stream::of(20), &[]).unwrap();
    assert_eq!(link.ack(), Some((7, sent + 1, vec![1, 0x12])));
}

#[test]
fn next_packet_takes_the_acknowledgement_along() {
    let mut link = Link::new();
    link.datagram(Datagram::of(1, 3), &[]).unwrap();
    link.client.ready();
    let packets = link.wait(0);
    let [packet] = &packets[..] else {
        panic!("{packets:?}");
    };
    // A stream packet with an acknowledgement behind the step of ticks.
    assert_eq!(packet[0] & 0x12, 0x12);
    assert_eq!(packet[2..4], [1, 0]);
    assert_eq!(link.ack(), None);
}

#[test]
fn probe_is_acknowledged_once_the_stream_has_caught_up() {
    let mut link = Link::new();
    let probe = Datagram {
        after: Some(link.sent + 1),
        ..Datagram::of(1, 3)
    };
    link.datagram(probe, &[]).unwrap();
    link.wait(50);
    let sent = link.sent;
    link.stream(Stream::of(3), &[]).unwrap();
    assert_eq!(link.ack(), Some((1, sent + 1, vec![0])));
}

#[test]
fn acknowledgement_alone_is_not_acknowledged() {
    let mut link = Link::new();
    let bytes = [0x10, 0, 0, 0, 0, 0x10];
    link.client.handle_datagram(1, &bytes).unwrap();
    assert_eq!(link.ack(), None);
}

#[test]
fn sequences_are_reported_before_they_leave_the_mask() {
    let mut link = Link::new();
    link.wait(0);
    for sequence in 1..=100 {
        let header = Datagram::of(sequence, 10 + u32::from(sequence));
        link.datagram(header, &[]).unwrap();
    }
    let acks = link.wait(0);
    let newest: Vec<_> = acks.iter().map(|ack| ack[1]).collect();
    assert_eq!(newest, [32, 64, 96]);
    assert_eq!(link.ack().map(|(newest, ..)| newest), Some(100));
}
