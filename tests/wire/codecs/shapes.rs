//! Where a codec can stand: bases, generics, tuple structs, types that are no values, codecs of one's
//! own.

use std::marker::PhantomData;

use syncvar::NetworkBehaviour;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;
use syncvar::{
    codec::{Bits, Floats, Half, Quantized, SyncCodec, ZigZag},
    schema::TypeSchema,
    wire::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind, WriteErrorKind},
};

use syncvar_testing::{apply, written};

/// Lends a behaviour as the server does.
fn change<B: NetworkBehaviour>(behaviour: &mut B, change: impl FnOnce(&mut B)) -> u64 {
    behaviour.clear_all_dirty_bits();
    let before = behaviour.before_change();
    change(behaviour);
    behaviour.notice_replacements();
    if let Some(before) = before {
        behaviour.withdraw_changes(before);
    }
    behaviour.sync_var_dirty_bits()
}

#[test]
fn tuple_struct_fields_may_have_codecs_for_foreign_types() {
    /// A type without `SyncValue`.
    #[derive(Clone, Debug, Default, PartialEq)]
    struct Spring {
        stiffness: f32,
        damping: f32,
    }

    impl Floats for Spring {
        const SCHEMA: TypeSchema = TypeSchema::Named("Spring");

        fn components(&self) -> impl Iterator<Item = f32> {
            [self.stiffness, self.damping].into_iter()
        }
        fn from_components(
            mut next: impl FnMut() -> Result<f32, ReadError>,
        ) -> Result<Self, ReadError> {
            Ok(Self {
                stiffness: next()?,
                damping: next()?,
            })
        }
    }

    #[derive(NetworkBehaviour, Default)]
    struct Suspension(
        #[sync_var(with = Half, hook = on_front)] SyncVar<Spring>,
        #[sync_var(with = ZigZag)] SyncVar<i32>,
        Vec<Spring>,
    );

    impl Suspension {
        fn on_front(&mut self, previous: Spring) {
            self.2.push(previous);
        }
    }

    let (mut suspension, mut replica) = (Suspension::default(), Suspension::default());
    let dirty = change(&mut suspension, |suspension| {
        suspension.0.stiffness = 2.0;
        suspension.1 -= 1;
    });
    assert_eq!(dirty, 0b11);
    let (bytes, _) = written(&mut suspension, false);
    assert_eq!(bytes, "030040000001");
    apply(&mut replica, &bytes, false);
    assert_eq!((replica.0.stiffness, *replica.1), (2.0, -1));
    assert_eq!(replica.2, [Spring::default()]);
    let dirty = change(&mut suspension, |suspension| {
        suspension.0.stiffness = 2.0001;
    });
    assert_eq!(dirty, 0);
}

/// The base has a codec or has none; the class has one, a hook or neither; it is private or public.
#[test]
fn bases_and_classes_have_separate_codecs() {
    #[derive(NetworkBehaviour, Default)]
    struct Mob {
        #[sync_var(with = Half, hook = on_hp)]
        hp: SyncVar<f32>,
        told: u32,
    }

    impl Mob {
        fn on_hp(&mut self, _previous: f32) {
            self.told += 1;
        }
    }

    #[derive(NetworkBehaviour, Default)]
    struct Orc {
        #[network_behaviour(base)]
        base: Mob,
        #[sync_var(with = Half)]
        rage: SyncVar<f32>,
    }

    #[derive(NetworkBehaviour, Default)]
    struct Warlord {
        #[network_behaviour(base)]
        orc: Orc,
    }

    #[derive(NetworkBehaviour, Default)]
    struct Shaman {
        #[network_behaviour(base)]
        orc: Orc,
        #[sync_var(hook = on_mana)]
        mana: SyncVar<u8>,
        told: u32,
    }

    impl Shaman {
        fn on_mana(&mut self, _previous: u8) {
            self.told += 1;
        }
    }

    let mut orc = Orc::default();
    assert_eq!(change(&mut orc, |orc| *orc.base.hp = 1e-9), 0);
    assert_eq!(change(&mut orc, |orc| *orc.rage = 1e-9), 0);
    assert_eq!(change(&mut orc, |orc| *orc.rage = 1.0), 0b10);
    let mut warlord = Warlord::default();
    assert_eq!(
        change(&mut warlord, |warlord| *warlord.orc.base.hp = 1e-9),
        0
    );
    assert_eq!(
        change(&mut warlord, |warlord| *warlord.orc.base.hp = 1.0),
        0b01
    );
    let (mut shaman, mut replica) = (Shaman::default(), Shaman::default());
    assert_eq!(change(&mut shaman, |shaman| *shaman.orc.rage = 1e-9), 0);
    let all = |shaman: &mut Shaman| {
        *shaman.orc.base.hp = 1.0;
        *shaman.orc.rage = 1.0;
        shaman.mana.set(1);
    };
    assert_eq!(change(&mut shaman, all), 0b111);
    apply(&mut replica, &written(&mut shaman, false).0, false);
    assert_eq!((replica.orc.base.told, replica.told), (1, 1));
    assert_eq!(*replica.orc.rage, 1.0);
}

#[test]
fn class_may_have_a_codec_over_a_stateless_base() {
    #[derive(NetworkBehaviour, Default)]
    struct PlainMob {
        #[sync_var]
        hp: SyncVar<f32>,
    }

    #[derive(NetworkBehaviour, Default)]
    struct Orc {
        #[network_behaviour(base)]
        base: PlainMob,
        #[sync_var(with = Half)]
        rage: SyncVar<f32>,
    }

    let mut orc = Orc::default();
    assert!(orc.base.before_change().is_none());
    assert_eq!(change(&mut orc, |orc| *orc.rage = 1e-9), 0);
    assert_eq!(change(&mut orc, |orc| *orc.base.hp = 1e-9), 0b01);
    let mut replica = Orc::default();
    apply(&mut replica, &written(&mut orc, false).0, false);
    assert_eq!(*replica.base.hp, 1e-9);
}

#[test]
fn values_and_codecs_can_be_type_parameters() {
    #[derive(NetworkBehaviour, Default)]
    struct Sensor<T, C>
    where
        T: Default,
    {
        #[sync_var(with = C, hook = on_value)]
        value: SyncVar<T>,
        #[sync_var(with = Quantized<0, 1, 100>)]
        quality: SyncVar<f32>,
        told: u32,
        codec: PhantomData<fn() -> C>,
    }

    impl<T: Default, C> Sensor<T, C> {
        fn on_value(&mut self, _previous: T) {
            self.told += 1;
        }
    }

    let mut sensor = Sensor::<i8, Bits<4>>::default();
    let mut replica = Sensor::<i8, Bits<4>>::default();
    assert_eq!(change(&mut sensor, |sensor| *sensor.value = -3), 0b01);
    let (bytes, _) = written(&mut sensor, false);
    assert_eq!(bytes, "010d");
    apply(&mut replica, &bytes, false);
    assert_eq!((*replica.value, replica.told), (-3, 1));
    let mut rough = Sensor::<f64, Half>::default();
    assert_eq!(change(&mut rough, |sensor| *sensor.value = 1e-9), 0);
    let fields = <Sensor<f64, Half> as NetworkBehaviour>::SCHEMA.fields;
    let schemas: Vec<_> = fields
        .iter()
        .map(|field| field.schema.to_string())
        .collect();
    assert_eq!(schemas, ["f64 as Half", "f32 as Quantized<0, 1, 100>"]);
}

/// T31, N19: functions of the user's own. Without them the type is no value, and does not compile:
/// `ui/not_a_value`.
#[test]
fn a_codec_of_ones_own_makes_a_type_travel_that_has_no_way_to() {
    /// A name of a table that both sides have, as its position in one byte.
    struct Material;

    const MATERIALS: [&str; 3] = ["stone", "wood", "gold"];

    impl SyncCodec<&'static str> for Material {
        const SCHEMA: TypeSchema = TypeSchema::Encoded {
            codec: "Material",
            parameters: &[3],
            value: &TypeSchema::Named("str"),
        };

        fn write(value: &&'static str, writer: &mut NetworkWriter) {
            match (0..).zip(MATERIALS).find(|(_, name)| name == value) {
                Some((index, _)) => writer.write_u8(index),
                None => writer.fail(WriteErrorKind::Custom("this material is not in the table")),
            }
        }
        fn read(reader: &mut NetworkReader<'_>) -> Result<&'static str, ReadError> {
            let name = MATERIALS.get(usize::from(reader.read_u8()?)).copied();
            name.ok_or_else(|| reader.error(ReadErrorKind::Custom("this material is unknown")))
        }
        fn same(value: &&'static str, other: &&'static str) -> bool {
            value == other
        }
    }

    #[derive(NetworkBehaviour)]
    #[network_behaviour(send_interval = 0)]
    struct Block {
        #[sync_var(with = Material, hook = on_material)]
        material: SyncVar<&'static str>,
        was: &'static str,
    }

    impl Block {
        fn on_material(&mut self, previous: &'static str) {
            self.was = previous;
        }
    }

    impl Default for Block {
        fn default() -> Self {
            Self {
                material: SyncVar::new("stone"),
                was: "",
            }
        }
    }

    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Block>("block"));
    let id = net.server.spawn(Block::default());
    net.settle();
    *net.server.get_mut::<Block>(id).unwrap().material = "gold";
    net.settle();
    let block = net.client(0).get::<Block>(id).unwrap();
    assert_eq!((*block.material, block.was), ("gold", "stone"));
}
