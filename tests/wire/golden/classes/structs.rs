//! Classes whose fields hold structs.

use syncvar::{NetworkBehaviour, SyncValue, SyncVar, values::Vector3};

use super::{Cell, Cells, cells};
use crate::golden::recorded::{EnumNumber, Recorded};
use crate::golden::rule::Rule;
use syncvar_testing::golden::{Json, Node};

#[derive(SyncValue, Clone, Default, PartialEq)]
pub(crate) struct Buf {
    id: i32,
    name: String,
    timer: f32,
}

impl Buf {
    pub(crate) fn parts(&self) -> (i32, &str, f32) {
        (self.id, &self.name, self.timer)
    }
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct StructVar {
    #[sync_var]
    buf: SyncVar<Buf>,
    #[sync_var]
    tail: SyncVar<i32>,
}

#[derive(SyncValue, Clone, Default)]
pub(super) struct Inner {
    a: i16,
    b: u8,
}

#[derive(SyncValue, Clone, Default)]
pub(super) struct Rich {
    on: bool,
    /// Private in C#, and so never on the wire.
    #[sync_value(skip)]
    #[expect(dead_code, reason = "as in the recorded class")]
    hidden: i32,
    wide: i64,
    pos: Vector3,
    inner: Inner,
    kind: EnumNumber,
    raw: Vec<u8>,
    nums: Vec<i32>,
    inners: Vec<Inner>,
    label: String,
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct RichVar {
    #[sync_var]
    rich: SyncVar<Rich>,
}

#[derive(SyncValue, Clone, Default)]
pub(super) struct Boxed {
    a: i32,
    b: String,
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct ClassVar {
    #[sync_var]
    r#box: SyncVar<Boxed>,
}

macro_rules! recorded_structs {
    ($($name:ident [$($member:ident)*];)*) => {$(
        impl Recorded for $name {
            fn stands_for(kind: &str) -> bool {
                kind == stringify!($name)
            }

            fn from_json(json: &Json) -> Result<Self, Rule> {
                if json.is_null() {
                    return Err(Rule::NullObject);
                }
                let mut value = Self::default();
                $(value.$member = Recorded::from_json(json.at(stringify!($member)))?;)*
                Ok(value)
            }

            fn show(&self) -> String {
                let members = [$(format!("{}: {}", stringify!($member), self.$member.show())),*];
                format!("{{{}}}", members.join(", "))
            }
        }
    )*};
}

recorded_structs! {
    Buf [id name timer];
    Inner [a b];
    Rich [on wide pos inner kind raw nums inners label];
    Boxed [a b];
}

cells! {
    StructVar [buf tail];
    RichVar [rich];
    ClassVar [r#box];
}
