//! Remote calls.

use std::collections::BTreeMap;

use syncvar_mirror::hash16;

use super::Converter;
use super::draft::Draft;
use super::types::Around;
use crate::csharp::{Attribute, Declaration, Expression, Method, Parameter, Type, attribute};
use crate::model::Call;
use crate::names;

/// Most arguments of a call in Rust.
const MAX_ARGUMENTS: usize = 16;

/// Parameters of a call.
#[derive(Default)]
struct Arguments {
    /// Names and types in Rust.
    list: Vec<(String, String)>,
    /// Full names of all types in C#, also of types that do not travel.
    types: Vec<String>,
    /// Whether the first one is the receiver.
    has_target: bool,
}

/// Returns the attribute of a call.
pub(super) fn attribute_of(method: &Method) -> Option<&Attribute> {
    let names = ["Command", "ClientRpc", "TargetRpc"];
    names
        .iter()
        .find_map(|name| attribute(&method.attributes, name))
}

impl<'p> Converter<'p, '_> {
    pub(super) fn calls(&mut self, draft: &mut Draft<'p>) {
        let class = draft.class;
        for method in &class.methods {
            let Some(attribute) = attribute_of(method) else {
                self.overridden(draft, method);
                continue;
            };
            let call = refused(method).map_or_else(
                || self.call(draft, method, attribute),
                |reason| Err(reason.to_owned()),
            );
            match call {
                Ok(call) => draft.behaviour.calls.push(call),
                Err(reason) => {
                    let text = format!("`{}.{}` is not read: {reason}", class.name, method.name);
                    self.report.add(&method.scope.place, text);
                }
            }
        }
    }

    /// Reports a method without an attribute that overrides a call: the base's method runs it.
    fn overridden(&mut self, draft: &Draft<'_>, method: &Method) {
        if !method.modifiers.contains("override") {
            return;
        }
        let mut class = draft.class;
        while let Some((_, base)) = self.input.project.base(class) {
            let mut methods = base
                .methods
                .iter()
                .filter(|found| found.name == method.name);
            if methods.any(|found| attribute_of(found).is_some()) {
                let text = format!(
                    "`{}.{}` overrides a call without its attribute; the call runs the method of `{}`",
                    draft.class.name, method.name, base.name
                );
                self.report.add(&method.scope.place, text);
                return;
            }
            class = base;
        }
    }

    fn call(
        &mut self,
        draft: &mut Draft<'p>,
        method: &'p Method,
        attribute: &Attribute,
    ) -> Result<Call, String> {
        if !draft.class.parameters.is_empty() {
            return Err("its class is generic".to_owned());
        }
        let Arguments {
            list: arguments,
            types,
            has_target,
        } = self.arguments(draft.class, method, attribute)?;
        if arguments.len() > MAX_ARGUMENTS {
            return Err(format!("it has more than {MAX_ARGUMENTS} arguments"));
        }
        let csharp = format!(
            "System.Void {}::{}({})",
            draft.class.name,
            method.name,
            types.join(",")
        );
        self.check_hash(draft, &csharp)?;
        let (attribute, settings) = settings(attribute, has_target)?;
        let mut name = names::snake(&method.name);
        if method.modifiers.contains("override") {
            name = format!("{name}_of_{}", names::snake(&draft.behaviour.name));
        }
        let name = draft.methods.give(&name);
        Ok(Call {
            attribute,
            settings,
            handler: draft
                .methods
                .give(&format!("on_{}", name.trim_start_matches("r#"))),
            name,
            csharp,
            arguments,
        })
    }

    /// Reads the parameters of a call.
    fn arguments(
        &mut self,
        class: &'p Declaration,
        method: &'p Method,
        attribute: &Attribute,
    ) -> Result<Arguments, String> {
        let mut scope = names::Scope::default();
        for name in ["self", "ctx"] {
            scope.give(name);
        }
        let mut arguments = Arguments::default();
        let none = BTreeMap::new();
        for (index, parameter) in method.parameters.iter().enumerate() {
            if let Some(connection) = connection(parameter) {
                arguments.has_target = attribute.name == "TargetRpc" && index == 0;
                let is_sender = attribute.name == "Command" && connection.ends_with("ToClient");
                if !arguments.has_target && !is_sender {
                    return Err(format!(
                        "parameter `{}` is a connection, which Mirror refuses",
                        parameter.name
                    ));
                }
                arguments.types.push(connection.to_owned());
                continue;
            }
            if parameter.has_default
                || parameter.modifiers.contains("out")
                || parameter.modifiers.contains("ref")
            {
                return Err(format!(
                    "parameter `{}` is optional or a reference, which Mirror refuses",
                    parameter.name
                ));
            }
            let around = Around {
                scope: &method.scope,
                inside: Some(class),
                parameters: &none,
            };
            let value = self
                .types
                .value(&parameter.ty, around)
                .map_err(|reason| format!("parameter `{}`: {reason}", parameter.name))?;
            arguments.types.push(value.csharp);
            arguments
                .list
                .push((scope.give(&names::snake(&parameter.name)), value.rust));
        }
        Ok(arguments)
    }

    /// Checks that the id on the wire is unique among the object's calls.
    fn check_hash(&self, draft: &Draft<'_>, csharp: &str) -> Result<(), String> {
        let mut behaviour = Some(&draft.behaviour);
        while let Some(current) = behaviour {
            if let Some(other) = current
                .calls
                .iter()
                .find(|call| hash16(&call.csharp) == hash16(csharp))
            {
                return Err(format!(
                    "it has the same hash as `{}`; rename one of them",
                    other.csharp
                ));
            }
            let base = current.base.as_ref();
            behaviour = base.and_then(|(name, _)| {
                self.behaviours
                    .values()
                    .find(|behaviour| behaviour.name == *name)
            });
        }
        Ok(())
    }
}

/// Returns the reason why Mirror refuses a call.
fn refused(method: &Method) -> Option<&'static str> {
    let is = |modifier: &str| method.modifiers.contains(modifier);
    if is("static") {
        Some("it is static, which Mirror refuses")
    } else if is("abstract") {
        Some("it is abstract, which Mirror refuses")
    } else if method.is_generic {
        Some("it is generic, which Mirror refuses")
    } else if method.returns != Type::named("void") {
        Some("it returns a value, which Mirror refuses")
    } else {
        None
    }
}

/// Returns the full name of a connection, which does not travel.
fn connection(parameter: &Parameter) -> Option<&'static str> {
    match parameter.ty.last_name() {
        "NetworkConnectionToClient" => Some("Mirror.NetworkConnectionToClient"),
        "NetworkConnection" => Some("Mirror.NetworkConnection"),
        _ => None,
    }
}

/// Returns the attribute of a call in Rust, and its settings.
fn settings(
    attribute: &Attribute,
    has_target: bool,
) -> Result<(&'static str, Vec<String>), String> {
    let mut settings = Vec::new();
    let is_false = |name| attribute.argument(name) == Some(&Expression::Boolean(false));
    let name = match attribute.name.as_str() {
        "Command" => {
            if is_false("requiresAuthority") {
                settings.push("requires_ownership = false".to_owned());
            }
            "command"
        }
        "ClientRpc" => {
            if is_false("includeOwner") {
                settings.push("target = not_owner".to_owned());
            }
            "client_rpc"
        }
        _ if has_target => "target_rpc",
        // Without a connection it goes to the owner.
        _ => {
            settings.push("target = owner".to_owned());
            "client_rpc"
        }
    };
    match attribute.argument("channel").map(Expression::uncast) {
        None | Some(Expression::Integer(0, _)) => {}
        Some(Expression::Integer(1, _)) => settings.push("channel = 1".to_owned()),
        Some(Expression::Path(path)) => match path.last().map(String::as_str) {
            Some("Reliable" | "DefaultReliable") => {}
            Some("Unreliable" | "DefaultUnreliable") => settings.push("channel = 1".to_owned()),
            _ => return Err("its channel is not known".to_owned()),
        },
        Some(_) => return Err("its channel is not known".to_owned()),
    }
    Ok((name, settings))
}
