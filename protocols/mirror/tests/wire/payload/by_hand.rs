//! Behaviours that are written by hand.

use syncvar::NetworkBehaviour;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;
use syncvar::{
    behaviour::{BehaviourInfo, FieldVisitor},
    schema::{BehaviourSchema, FieldSchema},
    wire::{Encoding, NetworkReader, NetworkWriter, ReadError},
};

use super::support::{Component, CustomSer};

#[test]
fn handwritten_behaviour_writes_all_fields_or_one_mask() {
    /// Two numbers, which go out when both are dirty.
    #[derive(Default)]
    struct Pair {
        numbers: [SyncVar<i32>; 2],
    }

    impl NetworkBehaviour for Pair {
        type Previous = ();
        const SCHEMA: BehaviourSchema = BehaviourSchema {
            name: "Pair",
            base: None,
            fields: &[
                FieldSchema::of::<SyncVar<i32>>("one"),
                FieldSchema::of::<SyncVar<i32>>("other"),
            ],
        };

        fn sync_var_dirty_bits(&self) -> u64 {
            let [one, other] = &self.numbers;
            u64::from(one.is_dirty()) | u64::from(other.is_dirty()) << 1
        }
        fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
            let [one, other] = &mut self.numbers;
            visitor.field(1, "Pair.one", one);
            visitor.field(2, "Pair.other", other);
        }
        fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
            assert!(!initial_state, "a snapshot is made of fields");
            let ready = self.sync_var_dirty_bits() == 0b11;
            let dirty_bits = if ready { writer.fields() & 0b11 } else { 0 };
            writer.write_dirty_bits(dirty_bits);
            self.write_fields(writer, dirty_bits);
            ready
        }
        fn on_deserialize(
            &mut self,
            reader: &mut NetworkReader<'_>,
            initial_state: bool,
        ) -> Result<(), ReadError> {
            assert!(!initial_state, "a snapshot is made of fields");
            let dirty_bits = reader.read_dirty_bits_of::<Self>()?;
            self.read_fields(reader, dirty_bits)
        }
    }

    let mut pair = Component::new(Pair::default());
    pair.get_mut::<Pair>().numbers[1].set(2);
    assert_eq!(pair.full(), "0004");
    assert_eq!(
        pair.written(false, false),
        ("000000000000000000".into(), false),
        "it stays dirty, and reads as no change"
    );
    pair.get_mut::<Pair>().numbers[0].set(1);
    let (change, written) = pair.written(false, false);
    assert_eq!((&*change, written), ("0000000000000000030204", true));
    let mut replica = Component::new(Pair::default());
    replica.apply(&change, false).unwrap();
    assert_eq!(replica.get::<Pair>().numbers, [1, 2]);
    replica.apply("0608", true).unwrap();
    assert_eq!(replica.get::<Pair>().numbers, [3, 4]);
    pair.slot().mark_sent(0, None);
    assert_eq!(pair.everything(), "0000000000000000ffffffffffffffffff0204");
}

#[test]
fn behaviour_can_append_bytes_to_the_layout_of_another() {
    let mut custom = Component::new(CustomSer::default());
    assert_eq!(custom.full(), "12efbe");
    assert_eq!(custom.change(), "000000000000000000efbe");
    custom.get_mut::<CustomSer>().0.v.set(120);
    assert_eq!(custom.full(), "f0efbe");
    assert_eq!(custom.change(), "000000000000000001f0efbe");
    assert_eq!(
        custom.everything(),
        "0000000000000000fffffffffffffffffff0efbe"
    );
    for (payload, initial) in [("000000000000000001f0efbe", false), ("f0efbe", true)] {
        let mut replica = Component::new(CustomSer::default());
        replica.apply(payload, initial).unwrap();
        let number = &replica.get::<CustomSer>().0;
        assert_eq!((*number.v, number.previous), (120, Some(9)), "{payload}");
    }
    let mut replica = Component::new(CustomSer::default());
    assert!(replica.read("f0beef", true).is_err());
}

/// What is around the sections is the same in the other dialects, where they are the usual bytes.
#[test]
fn layout_writes_the_usual_bytes_in_other_encodings() {
    let mut custom = CustomSer::default();
    custom.0.v.set(1);
    let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
    assert!(custom.on_serialize(&mut writer, false));
    assert_eq!(writer.as_bytes(), [1, 2, 0xef, 0xbe]);
    let mut replica = CustomSer::default();
    let mut reader = NetworkReader::with_encoding(writer.as_bytes(), Encoding::Compact);
    let hooks = replica.on_deserialize(&mut reader, false).unwrap();
    NetworkContext::detached(|ctx| replica.call_hooks(hooks, ctx));
    assert_eq!((*replica.0.v, replica.0.previous), (1, Some(9)));
}

#[test]
fn a_behaviour_can_decide_every_byte() {
    /// Mirror's `CustomSerNoBase`: writes whether the state is the initial one, and a text.
    struct CustomSerNoBase;

    impl NetworkBehaviour for CustomSerNoBase {
        type Previous = ();
        const SCHEMA: BehaviourSchema = BehaviourSchema {
            name: "CustomSerNoBase",
            base: None,
            fields: &[],
        };
        const INFO: BehaviourInfo = BehaviourInfo::DEFAULT.own_layout();

        fn sync_var_dirty_bits(&self) -> u64 {
            0
        }
        fn visit(&mut self, (): &mut (), _: &mut impl FieldVisitor) {}
        fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
            writer.write_bool(initial_state);
            writer.write(&"hi".to_owned());
            true
        }
        fn on_deserialize(
            &mut self,
            reader: &mut NetworkReader<'_>,
            initial_state: bool,
        ) -> Result<(), ReadError> {
            assert_eq!(reader.read_bool()?, initial_state);
            assert_eq!(reader.read::<String>()?, "hi");
            Ok(())
        }
    }

    let mut custom = Component::new(CustomSerNoBase);
    assert_eq!(custom.full(), "0103006869");
    assert_eq!(custom.change(), "0003006869");
    custom.apply("0103006869", true).unwrap();
    custom.apply("0003006869", false).unwrap();
}
