//! Bad links, and peers with random datagrams.

use std::collections::{BTreeMap, VecDeque};

use proptest::prelude::*;

use super::super::arq::Arq;
use super::super::datagrams::KcpDatagrams;
use super::*;

/// Fate of a datagram.
#[derive(Clone, Debug)]
struct Fate {
    copies: usize,
    delay: u64,
}

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = (
        prop_oneof![2 => Just(0_usize), 5 => Just(1), 1 => Just(2)],
        0_u64..80,
    )
        .prop_map(|(copies, delay)| Fate { copies, delay });
    prop::collection::vec(fate, 1..60)
}

/// Datagrams in transit by their time of arrival, to the client or to the server.
#[derive(Default)]
struct Link {
    due: BTreeMap<(u64, usize), (bool, Bytes)>,
    sent: usize,
}

impl Link {
    fn send(&mut self, now: u64, to_server: bool, from: &mut KcpConnection, fates: &[Fate]) {
        for datagram in said_by(from) {
            // The fates repeat with a shift of one: a periodic resend does not meet the same fate for
            // ever.
            let fate = &fates[(self.sent + self.sent / fates.len()) % fates.len()];
            for _ in 0..fate.copies {
                self.sent += 1;
                let due = (now + 1 + fate.delay, self.sent);
                self.due.insert(due, (to_server, datagram.clone()));
            }
            self.sent += 1;
        }
    }

    fn pop(&mut self, now: u64) -> Option<(bool, Bytes)> {
        let entry = self.due.first_entry()?;
        (entry.key().0 <= now).then(|| entry.remove())
    }
}

#[test]
fn the_numbers_may_start_over_in_the_middle() {
    let first = u32::MAX - 300;
    let mut ends = [Arq::new(first), Arq::new(first)];
    let message = |number: usize| Bytes::from(number.to_le_bytes().repeat(200));
    let mut arrived = [0, 0];
    let mut sent = 0_usize;
    for now in (0..60_000).step_by(10) {
        if sent < 600 {
            for end in &mut ends {
                assert!(end.send(&message(sent)));
            }
            sent += 1;
        }
        for from in [0, 1] {
            let mut out = VecDeque::new();
            let mut datagrams = KcpDatagrams::new(1, &mut out);
            ends[from].flush(now, &mut datagrams).unwrap();
            drop(datagrams);
            // Reversed, and every third is lost.
            let step = usize::try_from(now / 10).unwrap();
            for (index, datagram) in out.iter().enumerate().rev() {
                if (index + step) % 3 != 0 {
                    ends[1 - from]
                        .input(now, &datagram[HEAD..], usize::MAX)
                        .unwrap();
                }
            }
        }
        for (end, arrived) in ends.iter_mut().zip(&mut arrived) {
            while let Some(got) = end.receive() {
                assert_eq!(got, message(*arrived));
                *arrived += 1;
            }
        }
        if arrived == [600, 600] && ends.iter().all(Arq::is_sent) {
            return;
        }
    }
    panic!("{arrived:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn reliable_messages_arrive_once_and_in_order_over_any_link(
        fates in fates(),
        to_server in prop::collection::vec(1_usize..6000, 0..20),
        to_client in prop::collection::vec(1_usize..6000, 0..20),
    ) {
        // Some datagrams must arrive.
        prop_assume!(fates.iter().any(|fate| fate.copies > 0));
        let (mut client, mut server) = pair();
        client.set_timeout(Duration::from_hours(1));
        server.set_timeout(Duration::from_hours(1));
        let message = |(index, &length): (usize, &usize)| {
            Bytes::from(vec![u8::try_from(index).unwrap(); length])
        };
        let to_server: Vec<Bytes> = to_server.iter().enumerate().map(message).collect();
        let to_client: Vec<Bytes> = to_client.iter().enumerate().map(message).collect();
        for message in &to_server {
            client.send(Channel::Reliable, from_ref(message)).unwrap();
        }
        for message in &to_client {
            server.send(Channel::Reliable, from_ref(message)).unwrap();
        }
        let mut link = Link::default();
        let (mut at_server, mut at_client) = (Vec::new(), Vec::new());
        for now in (0..600_000).step_by(10) {
            client.update(ms(now));
            server.update(ms(now));
            link.send(now, true, &mut client, &fates);
            link.send(now, false, &mut server, &fates);
            while let Some((to_server, datagram)) = link.pop(now) {
                let to = if to_server { &mut server } else { &mut client };
                to.handle_datagram(ms(now), &datagram);
            }
            at_server.extend(messages(&mut server, Channel::Reliable));
            at_client.extend(messages(&mut client, Channel::Reliable));
            let all = at_server.len() >= to_server.len() && at_client.len() >= to_client.len();
            // A pattern that always hits the same datagram can kill a link. A live link loses no message.
            if all || client.closed().is_some() || server.closed().is_some() {
                break;
            }
        }
        for (arrived, sent) in [(&at_server, &to_server), (&at_client, &to_client)] {
            prop_assert_eq!(&arrived[..], &sent[..arrived.len()]);
        }
        let dead = [client.closed(), server.closed()];
        if dead != [None, None] {
            prop_assert!(dead.contains(&Some(KcpError::DeadLink)), "{:?}", dead);
        } else if fates.iter().filter(|fate| fate.copies == 0).count() * 3 <= fates.len() {
            // Beyond a loss of a third, a segment can wait longer than this: resend timeouts grow without
            // a limit, as in Mirror.
            prop_assert_eq!((at_server.len(), at_client.len()), (to_server.len(), to_client.len()));
        }
    }

    #[test]
    fn no_bytes_panic_or_exceed_the_window(
        bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..120), 0..20),
        segments in prop::collection::vec(
            (any::<u8>(), any::<u8>(), any::<u16>(), any::<u32>(), 0_u32..8200, any::<u32>()),
            0..60,
        ),
    ) {
        let (_, mut server) = pair();
        let cookie = COOKIE.get().to_le_bytes();
        for (command, fragment, window, timestamp, number, una) in segments {
            let mut datagram = [&[RELIABLE][..], &cookie, &[0; 4]].concat();
            datagram.extend([81 + command % 4, fragment % 3]);
            datagram.extend(window.to_le_bytes());
            for value in [timestamp, number, una, 1] {
                datagram.extend(value.to_le_bytes());
            }
            datagram.push(DATA);
            server.handle_datagram(ms(u64::from(timestamp)), &datagram);
            server.update(ms(0));
            while server.poll_message().is_some() {}
        }
        for body in bodies {
            for channel in [RELIABLE, 2] {
                server.handle_datagram(ms(0), &[&[channel][..], &cookie, &body].concat());
            }
            server.update(ms(0));
        }
        while server.poll_message().is_some() {}
    }
}
