//! Random moves between objects and values of the program.

use proptest::collection::vec;
use proptest::prelude::*;
use syncvar::Framing;
use syncvar::behaviour::Assign;
use syncvar::testing::MemoryNetwork;

use super::returning::{EXCHANGES, write};
use super::{Bag, IDS, bag, network};

/// Objects and values aside.
const BAGS: usize = 6;

#[derive(Clone, Debug)]
enum Step {
    /// Exchanges a part of two bags, at least one of them aside.
    Exchange(usize, usize, usize),
    /// Exchanges a part of two objects.
    ExchangeObjects(usize, usize, usize),
    /// Writes to the fields of a bag.
    Write(usize, u8),
    /// Takes over the changes of a value aside.
    TakeChanges(usize, usize),
    /// Puts a new value aside.
    Renew(usize, u32),
    /// Sends, and compares the ends.
    Check,
}

fn step() -> impl Strategy<Value = Step> {
    let exchange = || (0..EXCHANGES.len(), 0..3_usize);
    prop_oneof![
        6 => (exchange(), 3..BAGS).prop_map(|((part, a), b)| Step::Exchange(part, a, b)),
        2 => (exchange(), 0..3_usize).prop_map(|((part, a), b)| Step::ExchangeObjects(part, a, b)),
        2 => (0..BAGS, 0..9_u8).prop_map(|(a, number)| Step::Write(a, number)),
        1 => (0..3_usize, 3..BAGS).prop_map(|(a, b)| Step::TakeChanges(a, b)),
        1 => (3..BAGS, 1..5_u32).prop_map(|(a, number)| Step::Renew(a, number)),
        5 => Just(Step::Check),
    ]
}

fn run(net: &mut MemoryNetwork, aside: &mut [Bag; BAGS - 3], step: &Step) {
    let ids = IDS;
    let server = &mut net.server;
    match *step {
        Step::Exchange(part, a, b) => EXCHANGES[part](&mut bag(server, ids[a]), &mut aside[b - 3]),
        Step::ExchangeObjects(part, a, b) => {
            if let Ok(mut bags) = server.get_many_mut::<Bag, 2>([ids[a], ids[b]]) {
                let [a, b] = bags.each_mut();
                EXCHANGES[part](a, b);
            }
        }
        Step::Write(a, number) => match a.checked_sub(3) {
            Some(a) => write(&mut aside[a], number),
            None => write(&mut bag(server, ids[a]), number),
        },
        Step::TakeChanges(a, b) => {
            bag(server, ids[a]).take_changes(&mut aside[b - 3], u64::MAX);
        }
        Step::Renew(a, number) => aside[a - 3] = Bag::of(number),
        Step::Check => super::step(net, |_, _| {}),
    }
}

proptest! {
    #[test]
    fn clients_follow_fields_that_leave_and_return(
        steps in vec(step(), 1..80),
        compact in any::<bool>(),
    ) {
        let mut net = network(if compact { Framing::Compact } else { Framing::Unet });
        let mut aside = [7, 8, 9].map(Bag::of);
        for step in &steps {
            run(&mut net, &mut aside, step);
        }
        super::step(&mut net, |_, _| {});
    }
}
