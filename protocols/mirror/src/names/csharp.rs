//! C# names of Rust types, the input of the hashes of remote calls.

use std::collections::BTreeMap;

use syncvar_runtime::{CallSchema, MemberSchema, TypeSchema};

/// Namespace and renamed types.
#[derive(Clone, Debug, Default)]
pub(crate) struct CSharpNames {
    /// With a final dot, or empty.
    namespace: String,
    given: BTreeMap<String, String>,
}

impl CSharpNames {
    /// Sets the namespace of types without a given name.
    pub(crate) fn set_namespace(&mut self, namespace: &str) {
        self.namespace.clear();
        if !namespace.is_empty() {
            self.namespace = format!("{}.", namespace.trim_end_matches('.'));
        }
    }

    /// Sets the full name of a behaviour, struct or enumeration. A nested type is `Outer/Inner` in
    /// method names and `Outer+Inner` in .NET; both are accepted.
    pub(crate) fn give(&mut self, rust: &str, csharp: &str) {
        self.given.insert(rust.into(), csharp.replace('+', "/"));
    }

    fn of(&self, rust: &str) -> String {
        match self.given.get(rust) {
            Some(name) => name.clone(),
            None => format!("{}{rust}", self.namespace),
        }
    }

    /// Returns the full name of a remote call of a class, which the wire carries as a hash. A name
    /// given with the call has precedence.
    pub(crate) fn call(&self, class: &str, call: &CallSchema, given: Option<&str>) -> String {
        if let Some(name) = given {
            return name.into();
        }
        let argument = |argument: &MemberSchema| self.argument(&argument.schema);
        let arguments: Vec<_> = call.arguments.iter().map(argument).collect();
        let (class, method, arguments) = (self.of(class), call.unity_name, arguments.join(","));
        format!("System.Void {class}::{method}({arguments})")
    }

    /// Returns the type of an argument.
    pub(crate) fn argument(&self, schema: &TypeSchema) -> String {
        match *schema {
            TypeSchema::Named(name) => match primitive(name) {
                Some((name, _)) => name.into(),
                None => self.of(name),
            },
            TypeSchema::Struct { name, .. } | TypeSchema::Enum { name, .. } => self.of(name),
            // A string of limited length.
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
            // References are nullable already; codecs and field policies do not change the type.
            TypeSchema::Optional(value) | TypeSchema::Encoded { value, .. } => self.argument(value),
            TypeSchema::Measured { schema, .. } => self.argument(schema),
            // Types without a C# counterpart: arrays of fixed length.
            _ => self.of(&schema.to_string()),
        }
    }
}

/// Returns whether a type is a value type in C#, so that its option is `Nullable`.
fn is_value(schema: &TypeSchema) -> bool {
    match schema {
        TypeSchema::Named(name) => primitive(name).is_some_and(|(_, value)| value),
        TypeSchema::Enum { .. } => true,
        TypeSchema::Encoded { value, .. } => is_value(value),
        TypeSchema::Measured { schema, .. } => is_value(schema),
        _ => false,
    }
}

/// Returns the C# name of a common type, and whether it is a value type.
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

/// Returns the C# name of a common reference type.
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
        MemberSchema::new("", schema)
    }

    /// Recorded: `rpc.json`, `function_hashes`.
    #[test]
    fn calls_have_the_method_names_of_cecil() {
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
    fn options_of_values_are_nullable() {
        let names = CSharpNames::default();
        let name = names.argument(&Option::<i32>::SCHEMA);
        assert_eq!(name, "System.Nullable`1<System.Int32>");
        assert_eq!(names.argument(&Option::<String>::SCHEMA), "System.String");
        assert_eq!(names.argument(&TypeSchema::Optional(&ITEM)), "Item");
        assert_eq!(names.argument(&NetRef::SCHEMA), "Mirror.NetworkIdentity");
    }

    #[test]
    fn game_types_use_namespace_or_given_name() {
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
    fn name_given_with_the_call_has_precedence() {
        let call = CallSchema::command("Rpcs", "anyone", "CmdAnyone");
        let given = "System.Void Rpcs::CmdAnyone(System.String,Mirror.NetworkConnectionToClient)";
        let name = CSharpNames::default().call("Rpcs", &call, Some(given));
        assert_eq!(hash16(&name), 62_256);
    }
}
