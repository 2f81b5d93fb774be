//! What a behaviour writes and reads, and what makes it dirty (U1 to U33, and M22, which repeats
//! them).

use std::time::Duration;

use syncvar::NetworkBehaviour;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;
use syncvar::wire::NetworkReader;
use syncvar_testing::{Door, Player, apply, written};

/// The example class of Unity's documentation.
#[derive(NetworkBehaviour)]
struct Data {
    #[sync_var]
    int1: SyncVar<i32>,
    #[sync_var]
    int2: SyncVar<i32>,
    #[sync_var]
    my_string: SyncVar<String>,
}

impl Default for Data {
    fn default() -> Self {
        Self {
            int1: 66.into(),
            int2: 23487.into(),
            my_string: "Example string".into(),
        }
    }
}

#[derive(NetworkBehaviour, Default)]
struct Creature {
    #[sync_var(hook = on_hp)]
    hp: SyncVar<i32>,
    #[sync_var]
    speed: SyncVar<i32>,
    log: Vec<String>,
}

impl Creature {
    fn on_hp(&mut self, previous: i32) {
        self.log.push(format!("hp {previous} -> {}", self.hp));
    }
}

#[derive(NetworkBehaviour, Default)]
struct Orc {
    #[network_behaviour(base)]
    creature: Creature,
    #[sync_var(hook = on_rage)]
    rage: SyncVar<i32>,
    log: Vec<String>,
}

impl Orc {
    fn on_rage(&mut self, previous: i32) {
        self.log.push(format!(
            "rage {previous} -> {} at hp {}",
            self.rage, self.creature.hp
        ));
    }
}

#[derive(NetworkBehaviour, Default)]
struct Chief {
    #[network_behaviour(base)]
    orc: Orc,
    #[sync_var]
    banner: SyncVar<String>,
}

/// U1, U6, U28: the mission's own example, full state.
#[test]
fn initial_state_is_all_values_in_order_without_a_mask() {
    let bytes = "42f952cf0e004578616d706c6520737472696e67";
    assert_eq!(written(&mut Data::default(), true), (bytes.into(), true));
    let mut replica = Data {
        int1: 0.into(),
        int2: 0.into(),
        my_string: "".into(),
    };
    assert_eq!(apply(&mut replica, bytes, true), 20);
    assert_eq!(
        (*replica.int1, *replica.int2, replica.my_string.as_str()),
        (66, 23487, "Example string")
    );
}

// checklist: U13 U20 U21
#[test]
fn a_change_is_the_mask_and_the_changed_values_in_bit_order() {
    let mut data = Data::default();
    data.int1.set(77);
    assert_eq!(data.sync_var_dirty_bits(), 1);
    assert_eq!(written(&mut data, false), ("014d".into(), true));
    data.my_string.set("hi".into());
    assert_eq!(data.sync_var_dirty_bits(), 1 | 4);
    assert_eq!(written(&mut data, false), ("054d02006869".into(), true));
}

// checklist: U19 U25
#[test]
fn clean_behaviour_writes_a_zero_mask() {
    let mut data = Data::default();
    assert_eq!(written(&mut data, false), ("00".into(), false));
    assert_eq!(apply(&mut data, "00ff", false), 1);
}

// checklist: U14 M16
#[test]
fn write_of_another_value_sets_the_bit() {
    let mut player = Player::default();
    player.score += 5;
    assert_eq!(player.sync_var_dirty_bits(), 4);
    player.name.push('x');
    assert_eq!(player.sync_var_dirty_bits(), 4 | 2);
    player.last_input = 7;
    assert_eq!(
        player.sync_var_dirty_bits(),
        4 | 2,
        "what is not annotated never travels"
    );
}

// checklist: T25
#[test]
fn equal_write_is_no_change_and_writing_back_is_one() {
    let mut player = Player::new(100, "Ann");
    player.health.set(100);
    player.name.set("Ann".into());
    player.score += 0;
    assert_eq!(player.sync_var_dirty_bits(), 0);
    player.health -= 1;
    player.health += 1;
    assert_eq!(player.sync_var_dirty_bits(), 1);
}

// checklist: U15
#[test]
fn bit_can_be_set_by_hand_and_unknown_bits_are_ignored() {
    let mut data = Data::default();
    data.set_dirty_bit(2 | 1 << 40);
    assert_eq!(data.sync_var_dirty_bits(), 2);
    assert_eq!(written(&mut data, false), ("02f952cf".into(), true));
    data.clear_all_dirty_bits();
    assert_eq!(data.sync_var_dirty_bits(), 0);
}

// checklist: U26
#[test]
fn reading_applies_the_set_bits_only_and_does_not_dirty() {
    let mut data = Data::default();
    assert_eq!(apply(&mut data, "054d02006869", false), 6);
    assert_eq!(
        (*data.int1, *data.int2, data.my_string.as_str()),
        (77, 23487, "hi")
    );
    assert_eq!(data.sync_var_dirty_bits(), 0);
}

// checklist: U29
#[test]
fn integers_are_packed_and_strings_carry_their_length() {
    let mut data = Data {
        int1: (-1).into(),
        int2: 240.into(),
        my_string: "é".into(),
    };
    assert_eq!(
        written(&mut data, true).0,
        "fbffffffff".to_owned() + "f0" + "0200c3a9"
    );
}

// checklist: U30
#[test]
fn initializers_are_the_values_until_data_arrives() {
    let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Data>("data"));
    let client = net.connect();
    let id = net.server.spawn(Data {
        int1: 1.into(),
        ..Data::default()
    });
    net.settle();
    let replica = net.client(client).get::<Data>(id).unwrap();
    assert_eq!((*replica.int1, *replica.int2), (1, 23487));
    assert_eq!(
        *net.client(client)
            .prefabs()
            .asset_id("data")
            .iter()
            .next()
            .unwrap(),
        syncvar::values::NetworkHash128::of("data")
    );
}

/// U31: bits of the base first, one block of mask and values for each level.
#[test]
fn a_base_comes_first_with_a_block_for_each_level() {
    let mut orc = Orc::default();
    assert_eq!(written(&mut orc, false), ("0000".into(), false));
    orc.creature.hp.set(5);
    orc.rage.set(9);
    assert_eq!(orc.sync_var_dirty_bits(), 0b101);
    assert_eq!(written(&mut orc, false), ("05050509".into(), true));
    assert_eq!(written(&mut orc, true), ("050009".into(), true));

    let mut replica = Orc::default();
    assert_eq!(apply(&mut replica, "05050509", false), 4);
    assert_eq!(replica.creature.log, ["hp 0 -> 5"]);
    assert_eq!(replica.log, ["rage 0 -> 9 at hp 5"]);
}

#[test]
fn bits_do_not_collide_at_three_levels() {
    let mut chief = Chief::default();
    chief.set_dirty_bit(u64::MAX);
    assert_eq!(chief.sync_var_dirty_bits(), 0b1111);
    chief.clear_all_dirty_bits();
    chief.banner.set("red".into());
    assert_eq!(chief.sync_var_dirty_bits(), 0b1000);
    assert_eq!(
        written(&mut chief, false),
        ("0808080300726564".into(), true)
    );
    chief.orc.creature.speed.set(2);
    let mut replica = Chief::default();
    let (bytes, _) = written(&mut chief, false);
    assert_eq!(apply(&mut replica, &bytes, false), bytes.len() / 2);
    assert_eq!(
        (*replica.orc.creature.speed, replica.banner.as_str()),
        (2, "red")
    );
}

#[test]
fn base_refuses_bits_beyond_its_class() {
    let bytes = [0x10, 0x10];
    let mut reader = NetworkReader::new(&bytes);
    let error = Orc::default()
        .on_deserialize(&mut reader, false)
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        "Creature: dirty bits 0x10 belong to no field, at byte 0"
    );
}

// checklist: M15
#[test]
fn the_limit_is_64_fields() {
    assert_eq!(syncvar::schema::MAX_SYNC_VARS, 64);
    assert_eq!(Chief::SCHEMA.field_count(), 4);
    let names: Vec<_> = Chief::SCHEMA.field_names(0b1011).collect();
    assert_eq!(names, ["hp", "speed", "banner"]);
}

#[test]
fn settings_of_the_struct_are_constants_of_the_behaviour() {
    assert_eq!(syncvar_testing::Compass::INFO.channel, 1);
    assert_eq!(
        syncvar_testing::Compass::INFO.send_interval,
        Duration::from_millis(500)
    );
    assert_eq!(Data::INFO.channel, 0);
    assert_eq!(Data::INFO.send_interval, Duration::from_millis(100));
}

#[test]
fn an_error_names_behaviour_field_and_byte() {
    let mut reader = NetworkReader::new(b"\x02\x07\0abc");
    let error = Player::default()
        .on_deserialize(&mut reader, false)
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        "Player.name: 7 bytes needed, 3 left, at byte 3"
    );
    let mut reader = NetworkReader::new(&[1, 2]);
    let error = Door::default()
        .on_deserialize(&mut reader, false)
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        "Door.open: a boolean of 2, which is neither 0 nor 1, at byte 1"
    );
}
