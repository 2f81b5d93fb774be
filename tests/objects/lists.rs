//! Objects whose behaviours are chosen at run time: lists of optional behaviours.

use syncvar::Framing;
use syncvar::behaviour::{BehaviourList, Optional};
use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar_testing::{client, drain};

/// An optional part with fields of every kind.
#[derive(NetworkBehaviour, Default, Clone, PartialEq, Debug)]
#[network_behaviour(send_interval = 0)]
struct Part<const N: usize> {
    #[sync_var]
    number: SyncVar<u32>,
    #[sync_var(read = owner)]
    secret: SyncVar<u32>,
    #[sync_var(threshold = far)]
    heat: SyncVar<u32>,
    #[sync_var]
    marks: SyncList<u8>,
}

impl<const N: usize> Part<N> {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the form of a threshold")]
    fn far(last_sent: &u32, now: &u32) -> bool {
        last_sent.abs_diff(*now) > 3
    }

    fn of(number: u32) -> Self {
        Self {
            number: number.into(),
            secret: number.into(),
            heat: (10 * number).into(),
            marks: [1, 2].into(),
        }
    }
}

fn any_parts() -> BehaviourList {
    BehaviourList::new()
        .with_optional::<Part<0>>(None)
        .with_optional::<Part<1>>(None)
        .with_optional::<Part<2>>(None)
        .with_optional::<Part<3>>(None)
}

fn change<const N: usize>(server: &mut NetworkServer, id: NetId, random: &mut Random) {
    let number = random.below(100);
    match random.below(5) {
        0 => server
            .get_mut::<Optional<Part<N>>>(id)
            .unwrap()
            .set(Some(Part::of(number))),
        1 => drop(server.get_mut::<Optional<Part<N>>>(id).unwrap().take()),
        2 => server.edit_all::<Part<N>>(&[id], |_, part| part.unwrap().marks.push(7)),
        // A look at it changes nothing.
        3 => drop(server.get_mut::<Optional<Part<N>>>(id).unwrap()),
        _ => {
            if let Ok(mut part) = server.get_mut::<Part<N>>(id) {
                part.number += 1;
                *part.heat += number;
            }
        }
    }
}

#[test]
fn lists_of_optional_parts_converge() {
    for (framing, seed) in [
        (Framing::Compact, 1),
        (Framing::Unet, 2),
        (Framing::Compact, 3),
    ] {
        let prefabs = || Prefabs::new().register_with("any", any_parts);
        let mut net = MemoryNetwork::new(prefabs);
        net.connect_client(client(prefabs(), framing));
        let mut random = Random::new(seed);
        let mut ids: Vec<NetId> = (0..4).map(|_| net.server.spawn(any_parts())).collect();
        for step in 0..400 {
            let id = ids[usize::try_from(random.below(4)).unwrap()];
            match random.below(4) {
                0 => change::<0>(&mut net.server, id, &mut random),
                1 => change::<1>(&mut net.server, id, &mut random),
                2 => change::<2>(&mut net.server, id, &mut random),
                _ => change::<3>(&mut net.server, id, &mut random),
            }
            if random.below(40) == 0 {
                let owner = (random.below(2) == 0).then(|| net.connection(0));
                let _ = net.server.set_owner(id, owner);
            }
            if random.below(60) == 0 {
                let place = ids.iter().position(|other| *other == id).unwrap();
                net.server.despawn(id).unwrap();
                ids[place] = net.server.spawn(any_parts());
            }
            if step == 200 {
                net.connect();
            }
            if random.below(3) == 0 {
                net.step();
            }
        }
        net.settle();
        let differences = net.replica_differences();
        assert!(differences.is_empty(), "{differences:?}");
    }
}

#[test]
fn a_look_at_an_absent_part_sends_nothing() {
    let prefabs = || Prefabs::new().register_with("any", any_parts);
    let mut net = MemoryNetwork::pair(prefabs);
    let id = net.server.spawn(any_parts());
    net.settle();
    drain(&mut net, 0);
    drop(net.server.get_mut::<Optional<Part<1>>>(id).unwrap());
    drop(net.server.object_mut(id).unwrap());
    net.settle();
    let changed = |event: &ClientEvent| matches!(event, ClientEvent::Changed { .. });
    assert!(!drain(&mut net, 0).iter().any(changed));
}
