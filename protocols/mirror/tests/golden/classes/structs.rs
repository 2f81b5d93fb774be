//! Classes of structs, classes and collections that are values.

use serde_json::Value;
use syncvar::SyncValue;
use syncvar::prelude::*;
use syncvar::{
    schema::TypeSchema,
    values::Vector3,
    wire::{NetworkReader, NetworkWriter, ReadError},
};

use crate::golden::subject::subjects;
use crate::golden::value::number::EByte;
use crate::golden::value::{Recorded, Text, structs};

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct Item {
    pub(crate) id: i32,
    pub(crate) name: Text,
    pub(crate) weight: f32,
}

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct Nested {
    item: Item,
    pos: Vector3,
    kind: EByte,
    opt: Option<i32>,
}

/// Mirror's has private and `[NonSerialized]` members between these.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct Hidden {
    visible: i32,
    last: i32,
}

/// A class: a field of it is an `Option`.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct ItemClass {
    id: i32,
    name: Text,
}

/// A derived class: its own fields travel before those of its base.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct ItemClassChild {
    extra: f32,
    id: i32,
    name: Text,
}

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct EmptyStruct {}

/// Has a writer of its own: one `int` of four bytes, in silver.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Money {
    gold: i32,
    silver: i32,
}

impl SyncValue for Money {
    const SCHEMA: TypeSchema = TypeSchema::Named("Money");

    fn write(&self, writer: &mut NetworkWriter) {
        let silver = self.gold.wrapping_mul(100).wrapping_add(self.silver);
        writer.write_bytes(&silver.to_le_bytes());
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let bytes = reader.read_bytes(4)?.try_into().expect("four bytes");
        let silver = i32::from_le_bytes(bytes);
        Ok(Self {
            gold: silver / 100,
            silver: silver % 100,
        })
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

structs! {
    Item "Item" { id "id", name "name", weight "weight" }
    Nested "Nested" { item "item", pos "pos", kind "kind", opt "opt" }
    Hidden "Hidden" { visible "visible", last "last" }
    ItemClass "ItemClass" { id "id", name "name" }
    ItemClassChild "ItemClassChild" { extra "extra", id "id", name "name" }
    EmptyStruct "EmptyStruct" {}
    Money "Money" { gold "gold", silver "silver" }
}

/// `empty` has no bit in Mirror, where an assignment to it is never a change.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct StructVars {
    #[sync_var]
    item: SyncVar<Item>,
    #[sync_var]
    nested: SyncVar<Nested>,
    #[sync_var]
    hidden: SyncVar<Hidden>,
    #[sync_var]
    klass: SyncVar<Option<ItemClass>>,
    #[sync_var]
    child: SyncVar<Option<ItemClassChild>>,
    #[sync_var]
    empty: SyncVar<EmptyStruct>,
}

/// An `ArraySegment` of anything but bytes, which has a count even if there is no array behind it: null
/// and empty are the same on the wire.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Segment {
    elements: Vec<i32>,
    is_null: bool,
}

impl Default for Segment {
    fn default() -> Self {
        Self {
            elements: Vec::new(),
            is_null: true,
        }
    }
}

impl SyncValue for Segment {
    const SCHEMA: TypeSchema = <Vec<i32> as SyncValue>::SCHEMA;

    fn write(&self, writer: &mut NetworkWriter) {
        writer.write(&self.elements);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            elements: reader.read()?,
            is_null: false,
        })
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

impl Recorded for Segment {
    fn kind() -> String {
        "ArraySegment<int>".into()
    }

    fn from_json(json: &Value) -> Self {
        Self {
            elements: Option::from_json(json).unwrap_or_default(),
            is_null: json.is_null(),
        }
    }

    fn to_json(&self) -> Value {
        self.elements.to_json()
    }

    fn is_reference(&self) -> bool {
        !self.is_null
    }
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct CollVars {
    #[sync_var]
    ints: SyncVar<Option<Vec<i32>>>,
    #[sync_var]
    bytes: SyncVar<Option<Vec<u8>>>,
    #[sync_var]
    strings: SyncVar<Option<Vec<Text>>>,
    #[sync_var]
    list_int: SyncVar<Option<Vec<i32>>>,
    #[sync_var]
    list_string: SyncVar<Option<Vec<Text>>>,
    #[sync_var]
    list_item: SyncVar<Option<Vec<Item>>>,
    #[sync_var]
    set_int: SyncVar<Option<Vec<i32>>>,
    #[sync_var]
    seg_byte: SyncVar<Option<Vec<u8>>>,
    #[sync_var]
    seg_int: SyncVar<Segment>,
    #[sync_var]
    vecs: SyncVar<Option<Vec<Vector3>>>,
    #[sync_var]
    list_list: SyncVar<Option<Vec<Option<Vec<i32>>>>>,
    #[sync_var]
    ulongs: SyncVar<Option<Vec<u64>>>,
    #[sync_var]
    bools: SyncVar<Option<Vec<bool>>>,
    #[sync_var]
    enums: SyncVar<Option<Vec<EByte>>>,
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct MoneyVars {
    #[sync_var]
    money: SyncVar<Money>,
    #[sync_var]
    moneys: SyncList<Money>,
}

subjects! {
    StructVars [item nested hidden klass child empty];
    CollVars [
        ints bytes strings list_int list_string list_item set_int seg_byte seg_int vecs list_list
        ulongs bools enums
    ];
    MoneyVars [money moneys];
}
