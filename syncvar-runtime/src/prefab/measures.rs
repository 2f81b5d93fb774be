//! Lengths of the types that are written by hand.

use rustc_hash::FxHashMap;

use super::Prefabs;
use crate::schema::{BehaviourSchema, Measure, MemberSchema, TypeSchema};

impl Prefabs {
    /// Returns the functions that measure values of types written by hand, by the text of the type: each
    /// [`TypeSchema::Measured`] among the fields, calls and messages.
    pub fn measures(&self) -> FxHashMap<String, Measure> {
        let mut found = FxHashMap::default();
        for entry in &self.entries {
            for info in &entry.infos {
                add_fields(&info.schema, &mut found);
                for call in info.calls.all() {
                    add_members(call.arguments, &mut found);
                }
            }
        }
        for kind in &self.messages.kinds {
            add(&kind.schema, &mut found);
        }
        found
    }
}

fn add_fields(schema: &BehaviourSchema, found: &mut FxHashMap<String, Measure>) {
    if let Some(base) = schema.base {
        add_fields(base, found);
    }
    for field in schema.fields {
        add(&field.schema, found);
    }
}

fn add_members(members: &[MemberSchema], found: &mut FxHashMap<String, Measure>) {
    for member in members {
        add(&member.schema, found);
    }
}

fn add(schema: &TypeSchema, found: &mut FxHashMap<String, Measure>) {
    match schema {
        TypeSchema::Named(_) => {}
        TypeSchema::Struct { members, .. } => add_members(members, found),
        TypeSchema::Enum { variants, .. } => {
            for variant in *variants {
                add_members(variant.members, found);
            }
        }
        TypeSchema::Sequence(value)
        | TypeSchema::Array(value, _)
        | TypeSchema::Optional(value)
        | TypeSchema::Set(value)
        | TypeSchema::Encoded { value, .. } => add(value, found),
        TypeSchema::Map(key, value) => {
            add(key, found);
            add(value, found);
        }
        TypeSchema::Collection { parts, .. } => {
            for part in *parts {
                add(part, found);
            }
        }
        TypeSchema::Measured { schema, measure } => {
            found.insert(schema.to_string(), *measure);
            add(schema, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Prefabs;
    use crate::schema::TypeSchema;
    use crate::{NetworkReader, NetworkWriter, ReadError, SyncValue};

    #[derive(Clone)]
    struct Percent(u8);

    impl SyncValue for Percent {
        const SCHEMA: TypeSchema = TypeSchema::measured::<Self>(&TypeSchema::Named("Percent"));

        fn write(&self, writer: &mut NetworkWriter) {
            writer.write_u8(self.0);
        }
        fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
            reader.read_u8().map(Self)
        }
        fn same(&self, other: &Self) -> bool {
            self.0 == other.0
        }
    }

    #[test]
    fn types_by_hand_are_found_inside_of_other_types() {
        let prefabs = Prefabs::new()
            .message::<u8>("plain")
            .message::<Vec<(u8, Option<Percent>)>>("shares");
        let measures = prefabs.measures();
        assert_eq!(measures.len(), 1);
        assert_eq!(measures["Percent"](&[9, 9], false), Some(1));
    }
}
