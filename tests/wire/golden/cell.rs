//! One field of a behaviour, of any type: what is assigned comes from a recording.

use std::collections::BTreeMap;

use syncvar::{
    NetId, NetRef, NetworkSceneId, SyncField, SyncVar,
    values::{
        Color, Color32, Decimal, Matrix4x4, NetworkHash128, Plane, Quaternion, Ray, Rect, Vector2,
        Vector3, Vector4,
    },
    wire::{NetworkReader, NetworkWriter, ReadError},
};

use super::list_cell;
use super::recorded::{self, EnumNumber, Recorded};
use super::rule::Rule;
use syncvar_testing::golden::{Json, Node};

/// A synchronised field.
pub(crate) trait Cell: Send + Sync {
    /// Whether the field can stand for this type of the recorder's.
    fn is_of(&self, kind: &str) -> bool;

    /// Assigns, as a program does: another value is stored and makes the field dirty.
    fn assign(&mut self, json: &Json) -> Result<(), Rule>;

    /// Stores a value, whatever was there; the field is clean then.
    fn store(&mut self, json: &Json) -> Result<(), Rule>;

    /// The value as text, exact to the bit.
    fn show(&self) -> String;

    fn is_dirty(&self) -> bool;
    fn set_dirty(&mut self);
    fn clear_dirty(&mut self);
    fn write(&self, writer: &mut NetworkWriter);
    fn read(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError>;

    /// Whether this is a list, of which ours sends the changes and UNet the whole.
    fn is_list(&self) -> bool {
        false
    }

    /// Does what the payload of one of UNet's list messages says.
    fn operate(&mut self, _: &[u8]) -> Result<(), String> {
        Err("a field that is no list".into())
    }

    /// The field as it stands in ours among the changes of a behaviour.
    fn write_change(&self, writer: &mut NetworkWriter) {
        self.write(writer);
    }

    fn read_change(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.read(reader)
    }
}

impl<T: Recorded> Cell for SyncVar<T> {
    fn is_of(&self, kind: &str) -> bool {
        T::stands_for(kind)
    }

    fn assign(&mut self, json: &Json) -> Result<(), Rule> {
        self.set(T::from_json(json)?);
        Ok(())
    }

    fn store(&mut self, json: &Json) -> Result<(), Rule> {
        *self = Self::new(T::from_json(json)?);
        Ok(())
    }

    fn show(&self) -> String {
        self.get().show()
    }

    fn is_dirty(&self) -> bool {
        self.is_dirty()
    }

    fn set_dirty(&mut self) {
        self.set_dirty();
    }

    fn clear_dirty(&mut self) {
        self.clear_dirty();
    }

    fn write(&self, writer: &mut NetworkWriter) {
        SyncField::write_full(self, writer);
    }

    fn read(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        SyncField::read_full(self, reader)
    }
}

/// A struct whose members are only known from a recording: one after another on the wire.
struct StructCell {
    kind: String,
    members: Vec<(String, Box<dyn Cell>)>,
    dirty: bool,
}

impl Cell for StructCell {
    fn is_of(&self, kind: &str) -> bool {
        self.kind == kind
    }

    fn assign(&mut self, json: &Json) -> Result<(), Rule> {
        if json.is_null() {
            return Err(Rule::NullObject);
        }
        for (name, member) in &mut self.members {
            member.clear_dirty();
            member.assign(json.at(name))?;
            self.dirty |= member.is_dirty();
        }
        Ok(())
    }

    fn store(&mut self, json: &Json) -> Result<(), Rule> {
        if json.is_null() {
            return Err(Rule::NullObject);
        }
        self.dirty = false;
        self.members
            .iter_mut()
            .try_for_each(|(name, member)| member.store(json.at(name)))
    }

    fn show(&self) -> String {
        let members = self
            .members
            .iter()
            .map(|(name, member)| format!("{name}: {}", member.show()));
        format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
    }

    fn is_dirty(&self) -> bool {
        self.dirty
    }

    fn set_dirty(&mut self) {
        self.dirty = true;
    }

    fn clear_dirty(&mut self) {
        self.dirty = false;
    }

    fn write(&self, writer: &mut NetworkWriter) {
        for (_, member) in &self.members {
            member.write(writer);
        }
    }

    fn read(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.members
            .iter_mut()
            .try_for_each(|(_, member)| member.read(reader))
    }
}

/// An array of anything but bytes: a count, then the elements.
struct ArrayCell {
    kind: String,
    make: Box<dyn Fn() -> Box<dyn Cell> + Send + Sync>,
    elements: Vec<Box<dyn Cell>>,
    dirty: bool,
}

impl Cell for ArrayCell {
    fn is_of(&self, kind: &str) -> bool {
        self.kind == kind
    }

    fn assign(&mut self, json: &Json) -> Result<(), Rule> {
        let before = self.show();
        let dirty = self.dirty;
        self.store(json)?;
        self.dirty = dirty || self.show() != before;
        Ok(())
    }

    fn store(&mut self, json: &Json) -> Result<(), Rule> {
        let elements = json.items().iter().map(|item| {
            let mut element = (self.make)();
            element.store(item)?;
            Ok(element)
        });
        self.elements = elements.collect::<Result<_, _>>()?;
        self.dirty = false;
        Ok(())
    }

    fn show(&self) -> String {
        let elements: Vec<_> = self.elements.iter().map(|element| element.show()).collect();
        format!("[{}]", elements.join(", "))
    }

    fn is_dirty(&self) -> bool {
        self.dirty
    }

    fn set_dirty(&mut self) {
        self.dirty = true;
    }

    fn clear_dirty(&mut self) {
        self.dirty = false;
    }

    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_count(self.elements.len());
        for element in &self.elements {
            element.write(writer);
        }
    }

    fn read(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.elements.clear();
        for _ in 0..reader.read_count()? {
            let mut element = (self.make)();
            element.read(reader)?;
            self.elements.push(element);
        }
        Ok(())
    }
}

/// The types below enumerations that UNet's weaver accepts and writes no working code for.
const WIDE_ENUMS: [&str; 2] = ["Int64", "UInt64"];

/// The structs of a recording: their members that travel, by name and type.
#[derive(Clone, Default)]
pub(crate) struct Structs(BTreeMap<String, Vec<(String, String)>>);

impl Structs {
    pub(crate) fn from_json(json: &Json) -> Self {
        let structs = json.entries().iter().map(|(name, members)| {
            let travelling = members
                .items()
                .iter()
                .filter(|member| member.at("serialised").truth());
            let text = |member: &Json, key| member.at(key).text().to_string();
            let members = travelling.map(|member| (text(member, "name"), text(member, "type")));
            (name.clone(), members.collect())
        });
        Self(structs.collect())
    }

    pub(crate) fn contains(&self, kind: &str) -> bool {
        self.0.contains_key(kind)
    }

    /// A field of this type with its default value, or the rule by which there is none.
    pub(crate) fn cell(&self, kind: &str) -> Result<Box<dyn Cell>, Rule> {
        if let Some(cell) = leaf(kind).or_else(|| list_cell::find(kind)) {
            return Ok(cell);
        }
        if recorded::is_enum(kind, &WIDE_ENUMS) {
            return Err(Rule::WideEnum);
        }
        if let Some(element) = kind.strip_suffix("[]") {
            self.cell(element)?;
            let (structs, element) = (self.clone(), element.to_string());
            let make = move || structs.cell(&element).expect("tried above");
            return Ok(Box::new(ArrayCell {
                kind: kind.into(),
                make: Box::new(make),
                elements: Vec::new(),
                dirty: false,
            }));
        }
        let members = self.0.get(kind);
        let members = members.unwrap_or_else(|| panic!("`{kind}` is no recorded type"));
        let members = members
            .iter()
            .map(|(name, kind)| Ok((name.clone(), self.cell(kind)?)));
        Ok(Box::new(StructCell {
            kind: kind.into(),
            members: members.collect::<Result<_, _>>()?,
            dirty: false,
        }))
    }
}

/// A field of a type that needs no description.
fn leaf(kind: &str) -> Option<Box<dyn Cell>> {
    macro_rules! types {
        ($($type:ty)*) => {
            [$(|| Box::new(SyncVar::<$type>::default()) as Box<dyn Cell>),*]
        };
    }
    let makers: &[fn() -> Box<dyn Cell>] = &types! {
        bool u8 i8 char i16 u16 i32 u32 i64 u64 f32 f64 Decimal String Vec<u8> EnumNumber
        Vector2 Vector3 Vector4 Quaternion Color Color32 Rect Plane Ray Matrix4x4
        NetworkHash128 NetId NetRef NetworkSceneId
    };
    makers
        .iter()
        .map(|make| make())
        .find(|cell| cell.is_of(kind))
}
