//! Structs and enums that travel.

use std::fmt::Debug;
use std::sync::Arc;

use syncvar::NetworkBehaviour;
use syncvar::SyncValue;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;
use syncvar::{
    schema::TypeSchema,
    values::{Color, Vector3},
    wire::{NetworkReader, NetworkWriter, ReadError},
};

use crate::derive::send;

/// Writes a value, checks that it comes back, and returns its bytes.
fn carried<T: SyncValue + PartialEq + Debug>(value: &T) -> Vec<u8> {
    let mut writer = NetworkWriter::new();
    writer.write(value);
    let mut reader = NetworkReader::new(writer.as_bytes());
    assert_eq!(&reader.read::<T>().expect("it was written"), value);
    reader.finish().expect("all of it is read");
    writer.as_bytes().to_vec()
}

#[test]
fn structs_of_every_shape_are_values_and_can_be_nested() {
    #[derive(SyncValue, Clone, PartialEq, Debug)]
    struct Unit;

    #[derive(SyncValue, Clone, PartialEq, Debug)]
    struct Empty {}

    #[derive(SyncValue, Clone, PartialEq, Debug)]
    struct Pair(u8, Unit, u8);

    #[derive(SyncValue, Clone, PartialEq, Debug)]
    struct Outer {
        pair: Pair,
        empty: Empty,
        pairs: Vec<Pair>,
    }

    let outer = Outer {
        pair: Pair(1, Unit, 2),
        empty: Empty {},
        pairs: vec![Pair(3, Unit, 4)],
    };
    assert_eq!(carried(&outer), [1, 2, 1, 0, 3, 4]);
    assert_eq!(carried(&Unit), [0; 0]);
}

#[test]
fn a_generic_value_is_one_for_every_argument_that_is_a_value() {
    #[derive(SyncValue, Clone, PartialEq, Debug)]
    struct Pair<A, B = A>(A, B)
    where
        A: PartialEq;

    #[derive(SyncValue, Clone, PartialEq, Debug)]
    struct Row<T, const N: usize> {
        cells: [T; N],
    }

    #[derive(SyncValue, Clone, PartialEq, Debug)]
    enum Choice<T> {
        Nothing,
        One(T),
    }

    assert_eq!(carried(&Pair(Pair(1_u8, true), 'x')), [1, 1, b'x']);
    assert_eq!(
        carried(&Row {
            cells: [1_u8, 2, 3]
        }),
        [1, 2, 3]
    );
    assert_eq!(carried(&Choice::One(vec![5_u32])), [1, 1, 0, 5]);
    assert_eq!(carried(&Choice::<u8>::Nothing), [0]);
}

#[test]
fn members_can_be_of_any_type_that_travels() {
    #[derive(SyncValue, Clone, PartialEq, Debug, Default)]
    struct Everything {
        array: [u16; 2],
        grid: [[u8; 2]; 2],
        tuple: (u8, bool),
        option: Option<Box<char>>,
        list: Vec<Vec<u8>>,
        text: String,
        place: Vector3,
        colour: Color,
        target: NetId,
        wide: i64,
    }

    let everything = Everything {
        array: [1, 2],
        option: Some(Box::new('x')),
        list: vec![vec![1], Vec::new()],
        text: "hi".into(),
        target: NetId(5),
        wide: -1,
        ..Everything::default()
    };
    carried(&everything);
}

#[test]
fn fieldless_enum_takes_four_bytes_with_any_repr() {
    macro_rules! check {
        ($($repr:ident: $first:literal as $first_bits:literal, $last:literal as $last_bits:literal;)*) => {$({
            #[derive(SyncValue, Clone, Copy, PartialEq, Debug)]
            #[repr($repr)]
            enum Edge {
                First = $first,
                Last = $last,
            }

            assert_eq!(carried(&Edge::First), u32::to_le_bytes($first_bits));
            assert_eq!(carried(&Edge::Last), u32::to_le_bytes($last_bits));
        })*};
    }

    check! {
        i8: -128 as 0xffff_ff80, 127 as 0x7f;
        u8: 0 as 0, 255 as 0xff;
        i16: -32_768 as 0xffff_8000, 32_767 as 0x7fff;
        u16: 0 as 0, 65_535 as 0xffff;
        i32: -2_147_483_648 as 0x8000_0000, 2_147_483_647 as 0x7fff_ffff;
        u32: 0 as 0, 0xffff_ffff as 0xffff_ffff;
        i64: -2_147_483_648 as 0x8000_0000, 0xffff_ffff as 0xffff_ffff;
        u64: 0 as 0, 0xffff_ffff as 0xffff_ffff;
        isize: -1 as 0xffff_ffff, 1 as 1;
        usize: 0 as 0, 1 as 1;
        C: -1 as 0xffff_ffff, 1 as 1;
    }
}

#[test]
fn an_enum_with_data_travels_as_its_position_and_its_members() {
    #[derive(SyncValue, Clone, PartialEq, Debug, Default)]
    #[repr(u8)]
    enum Effect {
        #[default]
        None,
        Empty {},
        Push(Vector3),
        Burn {
            damage: u32,
            spreads: bool,
        } = 9,
    }

    assert_eq!(carried(&Effect::None), [0]);
    assert_eq!(carried(&Effect::Empty {}), [1]);
    assert_eq!(
        carried(&Effect::Burn {
            damage: 7,
            spreads: true
        }),
        [3, 7, 1]
    );
    assert_eq!(
        carried(&vec![Effect::Push(Vector3::default())]).len(),
        2 + 1 + 12
    );
}

#[test]
fn skipped_member_keeps_its_client_value_and_is_no_change() {
    #[derive(SyncValue, Clone, Default)]
    struct Buff {
        id: u8,
        #[sync_value(skip)]
        icon: Option<String>,
    }

    #[derive(NetworkBehaviour, Default)]
    struct Player {
        #[sync_var]
        buff: SyncVar<Buff>,
    }

    let (mut player, mut replica) = (Player::default(), Player::default());
    replica.buff.icon = Some("shield".into());
    player.buff.set(Buff {
        id: 0,
        icon: Some("sword".into()),
    });
    assert_eq!(player.sync_var_dirty_bits(), 0);
    player.buff.set(Buff { id: 3, icon: None });
    assert_eq!(send(&mut player, &mut replica), "0103");
    assert_eq!(
        (replica.buff.id, replica.buff.icon.as_deref()),
        (3, Some("shield"))
    );
}

#[test]
fn handwritten_value_works_like_a_derived_one() {
    /// What is drawn: the server has it as a trait object, the wire as a number.
    trait Shape: Send + Sync {
        fn corners(&self) -> u8;
    }

    struct Polygon(u8);

    impl Shape for Polygon {
        fn corners(&self) -> u8 {
            self.0
        }
    }

    #[derive(Clone)]
    struct AnyShape(Arc<dyn Shape>);

    impl SyncValue for AnyShape {
        const SCHEMA: TypeSchema = TypeSchema::Named("AnyShape");

        fn write(&self, writer: &mut NetworkWriter) {
            writer.write(&self.0.corners());
        }
        fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
            Ok(Self(Arc::new(Polygon(reader.read()?))))
        }
        fn same(&self, other: &Self) -> bool {
            self.0.corners() == other.0.corners()
        }
    }

    #[derive(NetworkBehaviour)]
    struct Drawing {
        #[sync_var]
        shapes: SyncVar<Vec<AnyShape>>,
    }

    let drawing = |corners| Drawing {
        shapes: vec![AnyShape(Arc::new(Polygon(corners)))].into(),
    };
    let (mut triangle, mut replica) = (drawing(3), drawing(4));
    triangle.set_dirty_bit(1);
    assert_eq!(send(&mut triangle, &mut replica), "01010003");
    assert_eq!(replica.shapes[0].0.corners(), 3);
}

#[test]
fn a_type_of_the_program_may_have_a_name_of_std() {
    #[derive(SyncValue, Clone, Default, PartialEq, Debug)]
    struct Cell {
        kind: u8,
    }
    mod board {
        #[derive(syncvar::SyncValue, Clone, Default)]
        pub(super) struct Rc<T> {
            pub(super) row: T,
        }
        #[derive(syncvar::SyncValue, Clone, Default)]
        pub(super) struct Instant(pub(super) u32);
    }
    #[derive(NetworkBehaviour, Default)]
    struct Board {
        #[sync_var]
        first: SyncVar<Cell>,
        #[sync_var]
        cells: SyncList<Cell>,
        #[sync_var]
        place: SyncVar<board::Rc<u8>>,
        #[sync_var]
        since: SyncVar<board::Instant>,
    }
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Board>("board"));
    let id = net.server.spawn(Board {
        first: Cell { kind: 1 }.into(),
        cells: [Cell { kind: 2 }].into(),
        place: board::Rc { row: 3 }.into(),
        since: board::Instant(4).into(),
    });
    net.settle();
    let board = net.client(0).get::<Board>(id).unwrap();
    let numbers = (
        board.first.kind,
        board.cells[0].kind,
        board.place.row,
        board.since.0,
    );
    assert_eq!(numbers, (1, 2, 3, 4));
}

#[test]
fn a_value_is_set_from_a_reference() {
    let own = (String::from("Ann"), vec![1_u8, 2]);
    let mut value = SyncVar::new((String::from("Berta"), vec![3, 4, 5]));
    value.clear_dirty();
    let memory = value.0.as_ptr();
    let mut name = SyncVar::new(String::from("Berta"));
    name.clear_dirty();
    let name_memory = name.as_ptr();
    assert!(name.set_from(&own.0) && name.is_dirty() && *name == "Ann");
    assert_eq!(name.as_ptr(), name_memory);
    name.clear_dirty();
    assert!(!name.set_from(&own.0) && !name.is_dirty());
    assert!(value.set_from(&own) && *value == own && !std::ptr::eq(memory, own.0.as_ptr()));
    // Empty texts and bytes are equal to themselves only.
    let mut empty = SyncVar::new((String::new(), bytes::Bytes::new()));
    assert!(!empty.set((String::new(), bytes::Bytes::new())));
    assert!(empty.set(("a".into(), bytes::Bytes::new())));
    assert!(empty.set((String::new(), bytes::Bytes::new())));
    assert!(empty.set((String::new(), bytes::Bytes::from_static(b"a"))));
}
