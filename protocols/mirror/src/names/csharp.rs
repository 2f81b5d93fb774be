//! The names that things of ours have in C#, by which remote calls are hashed.

use std::collections::BTreeMap;

use syncvar_runtime::{CallSchema, MemberSchema, TypeSchema};

/// What is known of names in C#: where they live, and those that are others than in Rust.
#[derive(Clone, Debug, Default)]
pub(crate) struct CSharpNames {
    /// With a dot behind it, or empty.
    namespace: String,
    given: BTreeMap<String, String>,
}

impl CSharpNames {
    /// Whatever has no name given lives there from now on.
    pub(crate) fn set_namespace(&mut self, namespace: &str) {
        self.namespace.clear();
        if !namespace.is_empty() {
            self.namespace = format!("{}.", namespace.trim_end_matches('.'));
        }
    }

    /// What a behaviour, struct or enumeration is called, with its namespace. A type inside another one
    /// is `Outer/Inner` in the names of methods, and `Outer+Inner` in .NET: both will do.
    pub(crate) fn give(&mut self, rust: &str, csharp: &str) {
        self.given.insert(rust.into(), csharp.replace('+', "/"));
    }

    fn of(&self, rust: &str) -> String {
        match self.given.get(rust) {
            Some(name) => name.clone(),
            None => format!("{}{rust}", self.namespace),
        }
    }

    /// The full name of a remote call that a class declares: what is hashed to name it on the wire. What
    /// the call itself says it is called goes before everything else.
    pub(crate) fn call(&self, class: &str, call: &CallSchema, given: Option<&str>) -> String {
        if let Some(name) = given {
            return name.into();
        }
        let argument = |argument: &MemberSchema| self.argument(&argument.schema);
        let arguments: Vec<_> = call.arguments.iter().map(argument).collect();
        let (class, method, arguments) = (self.of(class), call.unity_name, arguments.join(","));
        format!("System.Void {class}::{method}({arguments})")
    }

    /// The type of an argument.
    pub(crate) fn argument(&self, schema: &TypeSchema) -> String {
        match *schema {
            TypeSchema::Named(name) => match primitive(name) {
                Some((name, _)) => name.into(),
                None => self.of(name),
            },
            TypeSchema::Struct { name, .. } | TypeSchema::Enum { name, .. } => self.of(name),
            // A text in so many bytes.
            TypeSchema::Array(TypeSchema::Named("FixedString"), _) => "System.String".into(),
            TypeSchema::Sequence(element) => format!("{}[]", self.argument(element)),
            TypeSchema::Optional(value) if is_value(value) => {
                format!("System.Nullable`1<{}>", self.argument(value))
            }
            TypeSchema::Map(key, value) => {
                let (key, value) = (self.argument(key), self.argument(value));
                format!("System.Collections.Generic.Dictionary`2<{key},{value}>")
            }
            TypeSchema::Set(element) => {
                let element = self.argument(element);
                format!("System.Collections.Generic.HashSet`1<{element}>")
            }
            // Whatever can be null by itself, what travels in another way, and what has rules.
            TypeSchema::Optional(value)
            | TypeSchema::Encoded { value, .. }
            | TypeSchema::Ruled { value, .. } => self.argument(value),
            // What C# has no type for of its own: an array of so many elements.
            _ => self.of(&schema.to_string()),
        }
    }
}

/// Whether it is a value that is never null in C#, so that one that may be missing is `Nullable`.
fn is_value(schema: &TypeSchema) -> bool {
    match schema {
        TypeSchema::Named(name) => primitive(name).is_some_and(|(_, value)| value),
        TypeSchema::Enum { .. } => true,
        TypeSchema::Encoded { value, .. } => is_value(value),
        _ => false,
    }
}

/// What C# calls a type that both languages have, and whether it is a value that is never null.
fn primitive(name: &str) -> Option<(&'static str, bool)> {
    let value = match name {
        "bool" => "System.Boolean",
        "u8" | "NonZeroU8" => "System.Byte",
        "i8" | "NonZeroI8" => "System.SByte",
        "u16" | "NonZeroU16" => "System.UInt16",
        "i16" | "NonZeroI16" => "System.Int16",
        "u32" | "NonZeroU32" | "NetId" => "System.UInt32",
        "i32" | "NonZeroI32" => "System.Int32",
        "u64" | "NonZeroU64" => "System.UInt64",
        "i64" | "NonZeroI64" => "System.Int64",
        "f32" => "System.Single",
        "f64" => "System.Double",
        "char" => "System.Char",
        "Decimal" => "System.Decimal",
        "Uuid" => "System.Guid",
        "Vector2" => "UnityEngine.Vector2",
        "Vector3" => "UnityEngine.Vector3",
        "Vector4" => "UnityEngine.Vector4",
        "IVec2" => "UnityEngine.Vector2Int",
        "IVec3" => "UnityEngine.Vector3Int",
        "Quaternion" => "UnityEngine.Quaternion",
        "Color" => "UnityEngine.Color",
        "Color32" => "UnityEngine.Color32",
        "Rect" => "UnityEngine.Rect",
        "Plane" => "UnityEngine.Plane",
        "Ray" => "UnityEngine.Ray",
        "Matrix4x4" => "UnityEngine.Matrix4x4",
        "LayerMask" => "UnityEngine.LayerMask",
        "OaDate" => "System.DateTime",
        _ => return reference(name).map(|name| (name, false)),
    };
    Some((value, true))
}

/// The same for what can be null.
fn reference(name: &str) -> Option<&'static str> {
    match name {
        "String" => Some("System.String"),
        "NetRef" => Some("Mirror.NetworkIdentity"),
        "BehaviourRef" => Some("Mirror.NetworkBehaviour"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use syncvar_runtime::{NetRef, SyncValue, Vector3};

    use super::*;
    use crate::hash16;

    const ITEM: TypeSchema = TypeSchema::Struct {
        name: "Item",
        members: &[],
    };

    const fn argument(schema: TypeSchema) -> MemberSchema {
        MemberSchema { name: "", schema }
    }

    /// Recorded: `rpc.json`, `function_hashes`.
    #[test]
    fn a_call_is_named_as_cecil_names_the_method() {
        const MANY: &[MemberSchema] = &[
            argument(i32::SCHEMA),
            argument(f32::SCHEMA),
            argument(String::SCHEMA),
            argument(Vector3::SCHEMA),
        ];
        let names = CSharpNames::default();
        let call = CallSchema::command("Rpcs", "many", "CmdMany").with_arguments(MANY);
        let name = names.call("Rpcs", &call, None);
        assert_eq!(
            name,
            "System.Void Rpcs::CmdMany(System.Int32,System.Single,System.String,UnityEngine.Vector3)"
        );
        assert_eq!(hash16(&name), 38_596);

        let call = CallSchema::command("Rpcs", "no_args", "CmdNoArgs");
        assert_eq!(hash16(&names.call("Rpcs", &call, None)), 41_305);
    }

    #[test]
    fn what_may_be_missing_is_nullable_where_csharp_has_no_null() {
        let names = CSharpNames::default();
        let name = names.argument(&Option::<i32>::SCHEMA);
        assert_eq!(name, "System.Nullable`1<System.Int32>");
        assert_eq!(names.argument(&Option::<String>::SCHEMA), "System.String");
        assert_eq!(names.argument(&TypeSchema::Optional(&ITEM)), "Item");
        assert_eq!(names.argument(&NetRef::SCHEMA), "Mirror.NetworkIdentity");
    }

    #[test]
    fn types_of_the_game_live_where_the_game_says() {
        let mut names = CSharpNames::default();
        names.set_namespace("Game.Net");
        let damage: &[MemberSchema] = &[argument(i32::SCHEMA)];
        let call = CallSchema::command("Health", "take_damage", "CmdTakeDamage");
        let name = names.call(
            "Health",
            &call.with_arguments(Box::leak(damage.into())),
            None,
        );
        assert_eq!(
            name,
            "System.Void Game.Net.Health::CmdTakeDamage(System.Int32)"
        );

        names.give("Item", "Item");
        names.give("Inner", "Game.Net.Health+Inner");
        let call = CallSchema::command("Inner", "inner", "CmdInner");
        let items = Box::leak(Box::new([argument(TypeSchema::Sequence(&ITEM))]));
        let name = names.call("Inner", &call.with_arguments(items), None);
        assert_eq!(name, "System.Void Game.Net.Health/Inner::CmdInner(Item[])");
    }

    #[test]
    fn what_a_call_says_of_itself_goes_before_everything_else() {
        let call = CallSchema::command("Rpcs", "anyone", "CmdAnyone");
        let given = "System.Void Rpcs::CmdAnyone(System.String,Mirror.NetworkConnectionToClient)";
        let name = CSharpNames::default().call("Rpcs", &call, Some(given));
        assert_eq!(hash16(&name), 62_256);
    }
}
