//! Behaviours that come and go on a spawned object.

use syncvar::behaviour::{BehaviourList, BehaviourSet, Optional};
use syncvar::prelude::*;
use syncvar::{Budget, Framing, NetworkLifecycle};
use syncvar_testing::{client, drain};

#[derive(NetworkBehaviour, Default, Clone, Debug, PartialEq)]
#[network_behaviour(send_interval = 0)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default, Clone, Debug, PartialEq)]
#[network_behaviour(send_interval = 0, lifecycle)]
struct Burning {
    #[sync_var(hook = on_until)]
    until: SyncVar<u32>,
    #[sync_var]
    marks: SyncList<u32>,
    #[sync_var(read = owner)]
    pain: SyncVar<u32>,
    #[sync_var(write = owner)]
    aim: SyncVar<u32>,
}

impl Burning {
    fn on_until(&mut self, previous: u32) {
        log(format!("until {previous} -> {}", self.until));
    }

    fn of(until: u32) -> Self {
        Self {
            until: until.into(),
            marks: [until, 7].into(),
            pain: (2 * until).into(),
            ..Self::default()
        }
    }
}

impl NetworkLifecycle for Burning {
    fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        if !ctx.is_server() {
            log(format!("on {} at {}", self.until, ctx.net_id()));
        }
        Ok(())
    }

    fn on_network_despawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        if !ctx.is_server() {
            log(format!("off {} at {}", self.until, ctx.net_id()));
        }
        Ok(())
    }
}

#[network_calls]
impl Burning {
    #[command(requires_ownership = false)]
    fn extinguish(&mut self) {
        self.until.set(0);
    }

    #[client_rpc]
    fn hiss(&mut self) {
        log("hiss".into());
    }
}

type Burns = Optional<Burning>;

thread_local! {
    static LOG: std::cell::RefCell<Vec<String>> = const { std::cell::RefCell::new(Vec::new()) };
}

fn log(line: String) {
    LOG.with_borrow_mut(|log| log.push(line));
}

fn logged() -> Vec<String> {
    LOG.with_borrow_mut(std::mem::take)
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<(Player, Burns)>("player")
}

/// Ids of the two players of a network.
const IDS: [NetId; 2] = [NetId(1), NetId(2)];

/// Returns a network with a client of this framing and two players.
fn network(framing: Framing) -> MemoryNetwork {
    network_of(framing, prefabs, || (Player::default(), Burns::default()))
}

/// Returns the players as lists.
fn listed() -> BehaviourList {
    BehaviourList::new()
        .with(Player::default())
        .with_optional::<Burning>(None)
}

fn network_of<S: BehaviourSet>(
    framing: Framing,
    prefabs: fn() -> Prefabs,
    player: fn() -> S,
) -> MemoryNetwork {
    let mut net = MemoryNetwork::new(prefabs);
    net.connect_client(client(prefabs(), framing));
    let ids = [(); 2].map(|()| net.server.spawn(player()));
    assert_eq!(ids, IDS);
    net.settle();
    logged();
    net
}

fn burns(net: &mut MemoryNetwork, player: usize) -> impl std::ops::DerefMut<Target = Burns> + '_ {
    net.server.get_mut::<Burns>(IDS[player]).unwrap()
}

/// Waits, and asserts that every client has what it may read.
fn check(net: &mut MemoryNetwork) {
    net.settle();
    for client in 0..net.client_count() {
        for id in IDS {
            let server = net.server.get::<Burns>(id).unwrap();
            let seen = net.client(client).get::<Burns>(id).unwrap();
            let mut expected = server.clone();
            let owner = net.server.owner(id);
            if owner != Some(net.connection(client))
                && let (Some(expected), Some(seen)) = (expected.as_mut(), seen.as_ref())
            {
                expected.pain = seen.pain.clone();
            }
            assert_eq!(*seen, expected, "client {client}, {id}");
        }
    }
}

/// Removes the events of the first client. Returns the names of the changed fields, by event.
fn changed(net: &mut MemoryNetwork) -> Vec<Vec<&'static str>> {
    let fields = drain(net, 0).into_iter().filter_map(|event| match event {
        ClientEvent::Changed { fields, .. } => Some(fields.names().collect()),
        _ => None,
    });
    fields.collect()
}

fn each(test: impl Fn(MemoryNetwork)) {
    for framing in [Framing::Compact, Framing::Unet] {
        test(network(framing));
        // The objects are tuples or lists, and so are those of the clients.
        let prefabs = || Prefabs::new().register_with("player", listed);
        test(network_of(framing, prefabs, listed));
    }
}

#[test]
fn added_changed_and_removed_behaviour_arrives() {
    each(|mut net| {
        changed(&mut net);
        burns(&mut net, 0).set(Some(Burning::of(5)));
        check(&mut net);
        assert_eq!(
            changed(&mut net),
            [vec!["until", "marks", "aim", "present"]]
        );
        burns(&mut net, 0).as_mut().unwrap().marks.push(3);
        check(&mut net);
        assert_eq!(changed(&mut net), [vec!["marks"]]);
        burns(&mut net, 0).set(Some(Burning {
            marks: [5, 7, 3].into(),
            ..Burning::of(6)
        }));
        check(&mut net);
        assert_eq!(changed(&mut net), [vec!["until"]]);
        assert_eq!(*burns(&mut net, 0).take().unwrap().until, 6);
        check(&mut net);
        assert_eq!(changed(&mut net), [vec!["present"]]);
        assert!(burns(&mut net, 0).take().is_none());
        check(&mut net);
        assert!(changed(&mut net).is_empty());
    });
}

#[test]
fn hooks_and_lifecycle_see_the_arrival_and_the_departure() {
    each(|mut net| {
        burns(&mut net, 0).set(Some(Burning::of(5)));
        check(&mut net);
        let id = IDS[0];
        assert_eq!(logged(), [format!("on 5 at {id}"), "until 0 -> 5".into()]);
        burns(&mut net, 0).take();
        check(&mut net);
        assert_eq!(logged(), [format!("off 5 at {id}")]);
        // Within one update: a change of the fields.
        burns(&mut net, 0).set(Some(Burning::of(1)));
        check(&mut net);
        logged();
        burns(&mut net, 0).take();
        burns(&mut net, 0).set(Some(Burning::of(2)));
        check(&mut net);
        assert_eq!(logged(), ["until 1 -> 2"]);
    });
}

#[test]
fn late_joiner_receives_what_is_there() {
    each(|mut net| {
        burns(&mut net, 1).set(Some(Burning::of(9)));
        check(&mut net);
        logged();
        net.connect();
        check(&mut net);
        assert_eq!(logged(), [format!("on 9 at {}", IDS[1])]);
        burns(&mut net, 1).take();
        burns(&mut net, 0).set(Some(Burning::of(4)));
        net.connect();
        check(&mut net);
    });
}

#[test]
fn owner_reads_and_writes_the_fields_of_an_added_behaviour() {
    each(|mut net| {
        let (id, owner) = (IDS[0], net.connection(0));
        net.connect();
        let _ = net.server.set_owner(id, Some(owner));
        check(&mut net);
        burns(&mut net, 0).set(Some(Burning::of(5)));
        check(&mut net);
        let pain = |net: &MemoryNetwork, client| {
            let burns = net.client(client).get::<Burns>(id).unwrap();
            *burns.as_ref().unwrap().pain
        };
        assert_eq!((pain(&net, 0), pain(&net, 1)), (10, 0));
        let client = net.client_mut(0);
        let mut of_owner = client.get_mut::<Burns>(id).unwrap();
        of_owner.as_mut().unwrap().aim.set(3);
        drop(of_owner);
        check(&mut net);
        let aim = |net: &MemoryNetwork| {
            net.server
                .get::<Burns>(id)
                .unwrap()
                .as_ref()
                .map(|b| *b.aim)
        };
        assert_eq!(aim(&net), Some(3));
        // A write that crosses the removal.
        let mut of_owner = net.client_mut(0).get_mut::<Burns>(id).unwrap();
        of_owner.as_mut().unwrap().aim.set(4);
        drop(of_owner);
        burns(&mut net, 0).take();
        check(&mut net);
        assert_eq!(aim(&net), None);
        assert_eq!(net.server.stats().refused_commands.total(), 0);
        assert!(net.is_connected(0));
    });
}

#[test]
fn owner_cannot_add_or_remove_the_behaviour() {
    each(|mut net| {
        let (id, owner) = (IDS[0], net.connection(0));
        let _ = net.server.set_owner(id, Some(owner));
        check(&mut net);
        let client = net.client_mut(0);
        client
            .get_mut::<Burns>(id)
            .unwrap()
            .set(Some(Burning::of(1)));
        net.settle();
        assert!(net.server.get::<Burns>(id).unwrap().is_none());
        check(&mut net);
    });
}

#[test]
fn limited_connection_follows() {
    each(|mut net| {
        let connection = net.connection(0);
        let _ = net.server.set_budget(connection, Some(Budget::new(20)));
        for round in 0..40 {
            let id = (round % 2) as usize;
            match round % 5 {
                0 | 2 => burns(&mut net, id).set(Some(Burning::of(round))),
                4 => drop(burns(&mut net, id).take()),
                _ => {
                    if let Some(burning) = burns(&mut net, id).as_mut() {
                        burning.marks.push(round);
                    }
                }
            }
            net.step();
        }
        check(&mut net);
    });
}

#[test]
fn calls_to_an_absent_behaviour_are_dropped() {
    each(|mut net| {
        let id = IDS[0];
        net.server.calls::<Burning>(id).hiss().unwrap();
        net.client_mut(0).calls::<Burning>(id).extinguish().unwrap();
        check(&mut net);
        assert!(logged().is_empty());
        assert_eq!(net.server.stats().refused_commands.total(), 0);
        burns(&mut net, 0).set(Some(Burning::of(3)));
        check(&mut net);
        logged();
        net.server.calls::<Burning>(id).hiss().unwrap();
        net.client_mut(0).calls::<Burning>(id).extinguish().unwrap();
        check(&mut net);
        assert_eq!(logged(), ["hiss", "until 3 -> 0"]);
    });
}

#[test]
fn swapped_and_assigned_optionals_arrive() {
    each(|mut net| {
        burns(&mut net, 0).set(Some(Burning::of(5)));
        check(&mut net);
        let ids = IDS;
        let mut both = net.server.get_many_mut::<Burns, 2>(ids).unwrap();
        let [one, two] = both.each_mut();
        std::mem::swap(one, two);
        drop(both);
        check(&mut net);
        assert!(burns(&mut net, 0).is_none() && burns(&mut net, 1).is_some());
        // Taken over from values of the program.
        let mut own = [Burns::from(Some(Burning::of(6))), Burns::default()];
        let mut batch: Vec<_> = ids.into_iter().zip(&mut own).collect();
        net.server.assign_all(None, &mut batch, |_, _| {});
        check(&mut net);
        assert_eq!(burns(&mut net, 0).as_ref(), Some(&Burning::of(6)));
        assert!(burns(&mut net, 1).is_none());
        burns(&mut net, 1).assign(Burns::from(Some(Burning::of(8))));
        burns(&mut net, 0).assign(Burns::default());
        check(&mut net);
        assert_eq!(burns(&mut net, 1).as_ref(), Some(&Burning::of(8)));
    });
}

#[test]
fn host_reports_the_arrival() {
    let mut net = network(Framing::Compact);
    net.server.connect_local();
    check(&mut net);
    while net.server.poll_local_event().is_some() {}
    burns(&mut net, 0).set(Some(Burning::of(5)));
    check(&mut net);
    let events = std::iter::from_fn(|| net.server.poll_local_event());
    let names: Vec<Vec<_>> = events
        .filter_map(|event| match event {
            ClientEvent::Changed { fields, .. } => Some(fields.names().collect()),
            _ => None,
        })
        .collect();
    assert!(
        names.iter().any(|names| names.contains(&"present")),
        "{names:?}"
    );
}

#[test]
fn schema_names_the_optional_behaviour() {
    let plain = Prefabs::new().register::<(Player, Burning)>("player");
    assert_ne!(plain.schema_hash(), prefabs().schema_hash());
    let mut server = NetworkServer::new(prefabs());
    let id = server.spawn((Player::default(), Burns::default()));
    let identity = server.identity(id).unwrap();
    let names: Vec<_> = (0..2)
        .filter_map(|index| identity.behaviour_name(index))
        .collect();
    assert_eq!(names, ["Player", "Optional<Burning>"]);
}

#[test]
#[cfg(feature = "mirror")]
#[should_panic(expected = "`Optional<Burning>` of prefab `player` comes and goes")]
fn mirror_refuses_an_optional_behaviour() {
    use syncvar::mirror::{MirrorPrefab, MirrorPrefabs};

    let prefab = MirrorPrefab::new("player", 7.into());
    drop(MirrorPrefabs::new().register::<(Player, Burns)>(prefab));
}

#[test]
fn new_behaviour_is_complete_despite_intervals_and_thresholds() {
    #[derive(NetworkBehaviour, Default, Clone, Debug, PartialEq)]
    #[network_behaviour(send_interval = 0)]
    struct Shield {
        #[sync_var(initial_only)]
        colour: SyncVar<u32>,
        #[sync_var(min_interval = 60)]
        strength: SyncVar<u32>,
        #[sync_var(threshold = far)]
        angle: SyncVar<f32>,
    }

    impl Shield {
        #[expect(
            clippy::trivially_copy_pass_by_ref,
            reason = "a threshold compares values"
        )]
        fn far(last_sent: &f32, now: &f32) -> bool {
            (last_sent - now).abs() > 10.0
        }

        fn of(number: u8) -> Self {
            Self {
                colour: u32::from(number).into(),
                strength: u32::from(number).into(),
                angle: f32::from(number).into(),
            }
        }
    }

    type Shielded = Optional<Shield>;
    let prefabs = || Prefabs::new().register::<Shielded>("knight");
    for framing in [Framing::Compact, Framing::Unet] {
        let mut net = MemoryNetwork::new(prefabs);
        net.connect_client(client(prefabs(), framing));
        let id = net.server.spawn(Shielded::default());
        net.settle();
        let mut send = |change: &dyn Fn(&mut Shielded)| {
            change(&mut net.server.get_mut::<Shielded>(id).unwrap());
            // Less than the interval, which `settle` would wait for.
            (0..20).for_each(|_| net.step());
            (**net.client(0).get::<Shielded>(id).unwrap()).clone()
        };
        assert_eq!(send(&|it| it.set(Some(Shield::of(1)))), Some(Shield::of(1)));
        // Each field waits: for ever, for a minute, for a larger change.
        let change = |it: &mut Shielded| *it.as_mut().unwrap() = Shield::of(2);
        assert_eq!(send(&change), Some(Shield::of(1)));
        assert_eq!(send(&|it| it.set(None)), None);
        assert_eq!(send(&|it| it.set(Some(Shield::of(3)))), Some(Shield::of(3)));
        let again = |it: &mut Shielded| {
            it.take();
            it.set(Some(Shield::of(4)));
        };
        assert_eq!(send(&again), Some(Shield::of(4)));
        assert_eq!(
            send(&|it| *it.as_mut().unwrap().angle += 1.0),
            Some(Shield::of(4))
        );
        let turned = send(&|it| *it.as_mut().unwrap().angle += 20.0).unwrap();
        assert_eq!(turned.angle, 25.0);
    }
}
