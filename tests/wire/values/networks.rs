//! The values of a game, from a server to its clients.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroU32;
use std::time::Duration;

use syncvar::prelude::*;

#[derive(SyncValue, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Ammunition {
    #[default]
    Arrows,
    Bolts {
        poisoned: bool,
    },
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Archer {
    #[sync_var(hook = on_name_changed)]
    name: SyncVar<FixedString32>,
    #[sync_var(hook = on_ammunition_changed)]
    ammunition: SyncVar<HashMap<Ammunition, NonZeroU32>>,
    #[sync_var]
    perks: SyncVar<BTreeSet<FixedString<12>>>,
    #[sync_var]
    cooldown: SyncVar<Duration>,
    #[sync_var]
    account: SyncVar<u128>,
    #[sync_var]
    portrait: SyncVar<bytes::Bytes>,
    log: Vec<String>,
}

impl Archer {
    fn on_name_changed(&mut self, previous: FixedString32) {
        self.log.push(format!("{previous} -> {}", self.name));
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "a hook is given the previous value"
    )]
    fn on_ammunition_changed(&mut self, previous: HashMap<Ammunition, NonZeroU32>) {
        let (before, now) = (previous.len(), self.ammunition.len());
        self.log.push(format!("{before} -> {now} kinds"));
    }
}

fn network() -> MemoryNetwork {
    let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Archer>("archer"));
    net.connect();
    net.connect();
    net.settle();
    net
}

/// T10, T21, M1: what the server sets is what every client has, and its hooks are told.
#[test]
fn the_values_of_a_game_reach_every_client() {
    let mut net = network();
    let arrows = HashMap::from([(Ammunition::Arrows, NonZeroU32::MIN)]);
    let id = net.server.spawn(Archer {
        name: FixedString32::truncated("Ann").into(),
        ammunition: arrows.into(),
        ..Archer::default()
    });
    net.settle();
    for archer in net.replicas::<Archer>(id).map(Option::unwrap) {
        assert!(archer.name == "Ann" && archer.ammunition.len() == 1);
        assert!(archer.log.is_empty(), "the first state is no change");
    }

    let mut archer = net.server.get_mut::<Archer>(id).unwrap();
    archer.name.try_push_str("a").unwrap();
    let bolts = Ammunition::Bolts { poisoned: true };
    archer.ammunition.insert(bolts.clone(), NonZeroU32::MAX);
    archer.perks.insert("swift".try_into().unwrap());
    archer.cooldown.set(Duration::from_millis(1500));
    archer.account.set(u128::MAX);
    archer.portrait.set(bytes::Bytes::from_static(b"png"));
    drop(archer);
    net.settle();
    for archer in net.replicas::<Archer>(id).map(Option::unwrap) {
        assert_eq!(archer.log, ["Ann -> Anna", "1 -> 2 kinds"]);
        assert_eq!(archer.ammunition[&bolts], NonZeroU32::MAX);
        assert!(archer.perks.contains("swift"));
        assert_eq!(*archer.cooldown, Duration::from_millis(1500));
        assert_eq!(
            (*archer.account, &archer.portrait[..]),
            (u128::MAX, &b"png"[..])
        );
    }
}

/// T21: changes in place are seen, what was sent is clean, and random changes end equal.
#[test]
fn changes_in_place_are_noticed_and_removals_arrive() {
    let mut net = network();
    let id = net.server.spawn(Archer::default());
    net.settle();
    let mut seed = 7_u32;
    for _ in 0..50 {
        let mut archer = net.server.get_mut::<Archer>(id).unwrap();
        for _ in 0..3 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let perk = FixedString::truncated(&(seed >> 28).to_string());
            if seed >> 20 & 1 == 0 {
                archer.perks.insert(perk);
            } else {
                archer.perks.remove(&perk);
            }
        }
        assert!(archer.perks.is_dirty());
        drop(archer);
        net.settle();
        assert!(!net.server.get::<Archer>(id).unwrap().perks.is_dirty());
        let expected = net.server.get::<Archer>(id).unwrap().perks.get().clone();
        for archer in net.replicas::<Archer>(id).map(Option::unwrap) {
            assert_eq!(archer.perks, expected);
        }
    }
}

#[cfg(feature = "serde")]
mod postcard {
    use std::collections::VecDeque;
    use std::net::IpAddr;

    use syncvar::prelude::*;
    use syncvar::values::Postcard;

    #[derive(NetworkBehaviour)]
    #[network_behaviour(send_interval = 0)]
    struct Portal {
        #[sync_var(hook = on_target_changed)]
        target: SyncVar<Postcard<IpAddr>>,
        /// Neither of the two types travels by itself.
        #[sync_var]
        queue: SyncVar<Postcard<VecDeque<usize>>>,
        log: Vec<String>,
    }

    impl Default for Portal {
        fn default() -> Self {
            Self {
                target: Postcard(IpAddr::from([127, 0, 0, 1])).into(),
                queue: SyncVar::default(),
                log: Vec::new(),
            }
        }
    }

    impl Portal {
        fn on_target_changed(&mut self, previous: Postcard<IpAddr>) {
            self.log.push(format!("{previous} -> {}", self.target));
        }
    }

    /// T18, N19: a type that nobody here has made.
    #[test]
    fn a_type_of_another_crate_reaches_the_client_with_its_hook() {
        let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Portal>("portal"));
        let id = net.server.spawn(Portal::default());
        net.settle();
        let mut portal = net.server.get_mut::<Portal>(id).unwrap();
        portal.target.set(Postcard([10, 0, 0, 7].into()));
        portal.queue.push_back(7);
        drop(portal);
        net.settle();
        let portal = net.replicas::<Portal>(id).next().flatten().unwrap();
        assert_eq!(portal.log, ["127.0.0.1 -> 10.0.0.7"]);
        assert_eq!(portal.queue.0, [7]);
    }
}
