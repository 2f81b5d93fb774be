//! `assign` and `take_changes`: a behaviour takes over another one of its type.

use syncvar::NetworkBehaviour;
use syncvar::SyncField;
use syncvar::SyncValue;
use syncvar::behaviour::BehaviourFields;
use syncvar::behaviour::FieldVisitor;
use syncvar::codec::Half;
use syncvar::prelude::*;
use syncvar::schema::{BehaviourSchema, FieldSchema, TypeSchema};
use syncvar::wire::{NetworkReader, NetworkWriter, ReadError};
use syncvar_testing::{assert_all_equal, drain};

#[derive(NetworkBehaviour, Default, Clone)]
#[network_behaviour(send_interval = 0)]
struct Body {
    #[sync_var]
    health: SyncVar<u32>,
    scars: u32,
}

#[derive(NetworkBehaviour, Default, Clone)]
#[network_behaviour(send_interval = 0)]
struct Player {
    #[network_behaviour(base)]
    body: Body,
    #[sync_var(hook = on_name)]
    name: SyncVar<String>,
    #[sync_var(with = Half)]
    speed: SyncVar<f32>,
    #[sync_var]
    items: SyncList<String>,
    #[sync_var]
    ammo: SyncDictionary<u32, u32>,
    #[sync_var(batch_hook = on_tags)]
    tags: SyncHashSet<u32>,
    #[sync_var]
    scores: SyncSortedSet<u32>,
    input: u32,
    names: Vec<String>,
    tag_changes: usize,
}

impl Player {
    fn on_name(&mut self, previous: String) {
        self.names.push(previous);
    }

    fn on_tags(&mut self, changes: &[SetChange<u32>]) {
        self.tag_changes += changes.len();
    }

    fn sample() -> Self {
        Self {
            body: Body {
                health: 100.into(),
                scars: 0,
            },
            name: "Ann".into(),
            speed: 1.5.into(),
            items: ["bow", "axe", "map"].map(String::from).into(),
            ammo: [(1, 10), (2, 20)].into_iter().collect(),
            tags: [1, 2].into(),
            scores: [5, 9].into(),
            ..Self::default()
        }
    }

    /// Synchronised content, in a form that compares.
    fn content(&self) -> String {
        let ammo: std::collections::BTreeMap<_, _> = self.ammo.iter().collect();
        let tags: std::collections::BTreeSet<_> = self.tags.iter().collect();
        format!(
            "{} {} {} {:?} {ammo:?} {tags:?} {:?}",
            self.body.health, self.name, self.speed, self.items, self.scores
        )
    }
}

fn clean(mut player: Player) -> Player {
    player.clear_all_dirty_bits();
    player
}

/// Id of the player of a network.
const PLAYER: NetId = NetId(1);

/// Returns a pair with a player.
fn network() -> MemoryNetwork {
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Player>("player"));
    assert_eq!(net.server.spawn(Player::sample()), PLAYER);
    net.settle();
    net
}

fn copied(net: &MemoryNetwork) -> Player {
    net.server.get::<Player>(PLAYER).unwrap().clone()
}

/// Assigns a player. Returns the names of the fields that the client received.
fn assign(net: &mut MemoryNetwork, player: Player) -> Vec<&'static str> {
    drain(net, 0);
    { net.server.get_mut::<Player>(PLAYER).unwrap() }.assign(player);
    net.settle();
    assert_all_equal(net);
    let mut names = Vec::new();
    for event in drain(net, 0) {
        if let ClientEvent::Changed {
            object: PLAYER,
            fields,
            ..
        } = event
        {
            names.extend(fields.names());
        }
    }
    names
}

#[test]
fn assignment_of_a_clone_sends_only_different_fields() {
    let mut net = network();
    let copy = copied(&net);
    assert!(assign(&mut net, copy).is_empty());
    let mut copy = copied(&net);
    copy.body.health -= 10;
    assert_eq!(assign(&mut net, copy), ["health"]);
    let mut copy = copied(&net);
    copy.name.push('a');
    copy.items.push("rope".into());
    assert_eq!(assign(&mut net, copy), ["name", "items"]);
    let client = net.client(0).get::<Player>(PLAYER).unwrap();
    assert_eq!(client.names, ["Ann"]);
}

#[test]
fn assignment_of_a_new_value_and_of_a_moved_one_sends_the_difference() {
    let mut net = network();
    let names = assign(
        &mut net,
        Player {
            name: "Bob".into(),
            ..Player::sample()
        },
    );
    assert_eq!(names, ["name"]);
    let other = net.server.spawn(Player {
        body: Body {
            health: 7.into(),
            scars: 0,
        },
        ..Player::sample()
    });
    net.settle();
    let moved = std::mem::take(&mut *net.server.get_mut::<Player>(other).unwrap());
    assert_eq!(assign(&mut net, moved), ["health", "name"]);
}

#[test]
fn plain_fields_are_moved_by_assign_and_kept_by_take_changes() {
    let mut player = clean(Player::sample());
    let mut other = Player::sample();
    other.input = 3;
    other.body.scars = 4;
    player.take_changes(&mut other, u64::MAX);
    assert_eq!((player.input, player.body.scars), (0, 0));
    player.assign(other);
    assert_eq!((player.input, player.body.scars), (3, 4));
    assert_eq!(player.sync_var_dirty_bits(), 0);
}

#[test]
fn taken_changes_name_fields_and_previous_values() {
    let mut player = clean(Player::sample());
    let mut other = Player::sample();
    *other.body.health += 1;
    other.name.push('!');
    other.tags.insert(3);
    let taken = player.take_changes(&mut other, u64::MAX);
    assert_eq!(taken.changed, 0b10_0011);
    assert_eq!(player.sync_var_dirty_bits(), taken.changed);
    assert_eq!(other.sync_var_dirty_bits(), 0);
    assert_eq!(player.content(), other.content());
    NetworkContext::detached(|ctx| player.call_hooks(taken.previous, ctx));
    assert_eq!((player.names, player.tag_changes), (vec!["Ann".into()], 1));
}

#[test]
fn only_the_named_fields_are_taken() {
    let mut player = clean(Player::sample());
    let mut other = Player::default();
    let taken = player.take_changes(&mut other, 0b11);
    assert_eq!(taken.changed, 0b11);
    assert_eq!((*player.body.health, player.name.as_str()), (0, ""));
    assert_eq!(player.items.len(), 3);
}

#[test]
fn value_with_the_same_encoded_bytes_is_taken_and_not_sent() {
    let mut net = network();
    let mut copy = copied(&net);
    copy.speed = 1.500_01.into();
    assert!(
        { net.server.get_mut::<Player>(PLAYER).unwrap() }
            .take_changes(&mut copy.clone(), u64::MAX)
            .changed
            .eq(&0)
    );
    let server = net.server.get::<Player>(PLAYER).unwrap();
    assert_eq!(server.speed.to_bits(), 1.500_01_f32.to_bits());
    assert!(
        net.server
            .get::<Player>(PLAYER)
            .unwrap()
            .sync_var_dirty_bits()
            == 0
    );
    copy.speed = 2.0.into();
    assert_eq!(assign(&mut net, copy), ["speed"]);
}

#[test]
fn forced_field_is_taken_as_a_change() {
    let mut player = clean(Player::sample());
    let mut other = clean(Player::sample());
    other.body.health.set_dirty();
    assert_eq!(player.take_changes(&mut other, u64::MAX).changed, 1);
    assert_eq!(player.sync_var_dirty_bits(), 1);
}

#[test]
fn collections_send_their_difference() {
    let mut net = network();
    let steps: [fn(&mut Player); 8] = [
        |player| player.items.insert(1, "tent".into()),
        |player| player.items.retain(|item| item != "axe"),
        |player| player.items.clear(),
        |player| player.items = ["a", "b"].map(String::from).into(),
        |player| player.ammo.clear(),
        |player| player.ammo = [(2, 21), (3, 1)].into_iter().collect(),
        |player| player.tags = [2, 7].into(),
        |player| player.scores = [9, 11].into(),
    ];
    for (step, change) in steps.into_iter().enumerate() {
        let mut copy = copied(&net);
        change(&mut copy);
        assert_eq!(assign(&mut net, copy).len(), 1, "step {step}");
    }
}

#[test]
fn one_element_of_a_long_list_is_one_short_delta() {
    let mut list: SyncList<u32> = (0..10_000).collect();
    list.clear_dirty();
    let mut other = list.clone();
    other.set(5_000, 7);
    assert!(list.take_changes(&mut other));
    let mut writer = NetworkWriter::new();
    list.write_delta(&mut writer);
    assert!(writer.len() < 12, "{} bytes", writer.len());
}

#[test]
fn generic_behaviour_is_assigned() {
    #[derive(NetworkBehaviour, Default)]
    struct Wrapper<T: SyncValue + Default> {
        #[sync_var]
        value: SyncVar<T>,
    }

    let mut wrapper = Wrapper {
        value: vec![1, 2].into(),
    };
    wrapper.clear_all_dirty_bits();
    wrapper.assign(Wrapper {
        value: vec![1, 2].into(),
    });
    assert_eq!(wrapper.sync_var_dirty_bits(), 0);
    wrapper.assign(Wrapper::default());
    assert_eq!((wrapper.sync_var_dirty_bits(), wrapper.value.len()), (1, 0));
}

/// A field by hand, with the default of `take_changes`.
#[derive(Default)]
struct Score {
    value: u32,
    sent: u32,
    touched: bool,
}

impl SyncField for Score {
    const SCHEMA: TypeSchema = TypeSchema::Named("Score");

    fn is_dirty(&self) -> bool {
        self.touched || self.value != self.sent
    }
    fn set_dirty(&mut self) {
        self.touched = true;
    }
    fn clear_dirty(&mut self) {
        self.touched = false;
        self.sent = self.value;
    }
    fn write_full(&self, writer: &mut NetworkWriter) {
        writer.write(&self.value);
    }
    fn write_delta(&self, writer: &mut NetworkWriter) {
        writer.write(&(self.value - self.sent));
    }
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.value = reader.read()?;
        Ok(())
    }
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.value = self.value.wrapping_add(reader.read()?);
        Ok(())
    }
}

#[derive(Default)]
struct Tally {
    score: Score,
    rounds: u32,
}

impl NetworkBehaviour for Tally {
    type Previous = ();
    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "Tally",
        base: None,
        fields: &[FieldSchema::of::<Score>("score")],
    };
    fn sync_var_dirty_bits(&self) -> u64 {
        u64::from(self.score.is_dirty())
    }
    fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
        visitor.field(1, "Tally.score", &mut self.score);
    }
}

#[test]
fn behaviour_and_field_by_hand_are_assigned() {
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Tally>("tally"));
    let score = |value| Tally {
        score: Score {
            value,
            ..Score::default()
        },
        rounds: value,
    };
    let id = net.server.spawn(score(5));
    net.settle();
    net.server.get_mut::<Tally>(id).unwrap().assign(score(5));
    assert_eq!(
        net.server.get::<Tally>(id).unwrap().sync_var_dirty_bits(),
        0
    );
    net.server.get_mut::<Tally>(id).unwrap().assign(score(8));
    net.settle();
    assert_eq!(net.client(0).get::<Tally>(id).unwrap().score.value, 8);
    assert_eq!(net.server.get::<Tally>(id).unwrap().rounds, 8);
}

#[derive(NetworkBehaviour, Default)]
struct Named {
    #[sync_var]
    value: SyncVar<u32>,
    assigned: u32,
}

impl Named {
    fn assign(&mut self, value: u32) {
        self.assigned = value;
    }
}

#[test]
fn method_of_the_struct_takes_precedence() {
    let mut named = Named::default();
    named.assign(3);
    assert_eq!((*named.value, named.assigned), (0, 3));
}

mod watched {
    use syncvar::prelude::*;

    #[derive(NetworkBehaviour, Default, Clone)]
    #[network_behaviour(previous)]
    pub(crate) struct Ship<T: Default + PartialEq> {
        #[sync_var]
        pub(crate) hull: SyncVar<i32>,
        #[sync_var(with = syncvar::codec::Half)]
        pub(crate) speed: SyncVar<f32>,
        #[sync_var]
        pub(crate) cargo: SyncList<T>,
        #[sync_var(hook = on_name)]
        pub(crate) name: SyncVar<String>,
        former_names: Vec<String>,
    }

    impl<T: Default + PartialEq> Ship<T> {
        fn on_name(&mut self, previous: String) {
            self.former_names.push(previous);
        }
    }
}

#[test]
fn previous_values_of_all_fields_are_kept_on_request() {
    let mut ship = watched::Ship::<u32>::default();
    let mut other = ship.clone();
    other.hull.set(7);
    other.speed.set(1.5);
    other.cargo.push(3);
    let taken = ship.take_changes(&mut other, u64::MAX);
    assert_eq!(taken.previous.hull, Some(0));
    assert_eq!(taken.previous.speed, Some(0.0));
    assert_eq!(
        taken.previous.cargo,
        Some(vec![ListChange::Add { index: 0, value: 3 }])
    );
    assert_eq!(taken.previous.name, None);

    // For a program that writes the values by itself.
    let mut previous = ship.remember_for_hooks(u64::MAX).unwrap();
    ship.hull.set(8);
    ship.speed.set(1.5);
    type Ship = watched::Ship<u32>;
    assert_eq!(ship.changed_since(&mut previous), Ship::HULL.bit());
    assert_eq!((previous.hull, previous.speed), (Some(7), None));

    // A received delta.
    let mut replica = Ship::default();
    let mut writer = NetworkWriter::new();
    ship.on_serialize(&mut writer, false);
    let mut reader = NetworkReader::new(writer.as_bytes());
    let previous = replica.on_deserialize(&mut reader, false).unwrap();
    assert_eq!((previous.hull, previous.speed), (Some(0), Some(0.0)));
}
