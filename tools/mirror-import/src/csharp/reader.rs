//! From a source file to its declarations.

use std::collections::BTreeSet;
use std::rc::Rc;

use tree_sitter::Parser;

use super::errors::{self, Hiding};
use super::syntax::Syntax;
use super::{
    Attribute, CONSTRUCTOR, Declaration, DeclaredField, Expression, Kind, Method, Parameter, Scope,
    Type, Usings, Variant, expression, types,
};
use crate::report::{Report, SourcePlace};

/// Deepest nesting of namespaces and types.
const MAX_DEPTH: usize = 32;
/// Returns the types that a source declares, in order. Syntax errors are reported; the rest is read.
pub(crate) fn read(file: &Rc<str>, source: &str, report: &mut Report) -> Vec<Declaration> {
    let mut parser = Parser::new();
    let language = tree_sitter_c_sharp::LANGUAGE.into();
    let tree = match parser.set_language(&language) {
        Ok(()) => parser.parse(source, None),
        Err(_) => None,
    };
    let Some(tree) = tree else {
        report.add(
            &SourcePlace::new(file, 1),
            "file is not readable: the parser gives up",
        );
        return Vec::new();
    };
    let root = Syntax {
        node: tree.root_node(),
        source,
    };
    let mut reader = Reader {
        file,
        usings: Rc::new(usings(root)),
        declarations: Vec::new(),
        hiding: errors::hiding(root, file, report),
        report,
    };
    reader.members(root, "", "", 0);
    reader.declarations
}

struct Reader<'r> {
    file: &'r Rc<str>,
    usings: Rc<Usings>,
    declarations: Vec<Declaration>,
    hiding: Hiding,
    report: &'r mut Report,
}

impl Reader<'_> {
    /// Reads the types of a namespace or type.
    fn members(&mut self, list: Syntax<'_>, namespace: &str, outer: &str, depth: usize) {
        if depth > MAX_DEPTH {
            let place = SourcePlace::new(self.file, list.line());
            self.report.add(
                &place,
                "types and namespaces are nested too deeply; they are not read",
            );
            return;
        }
        let mut namespace = namespace.to_owned();
        for child in list.children() {
            match child.kind() {
                "file_scoped_namespace_declaration" | "namespace_declaration" => {
                    let name = child.field("name").map_or("", Syntax::text);
                    let inner = joined(&namespace, ".", name);
                    if let Some(body) = child.field("body") {
                        self.members(body, &inner, outer, depth + 1);
                    } else {
                        namespace = inner;
                    }
                }
                "class_declaration" => {
                    self.declaration(child, Kind::Class, &namespace, outer, depth);
                }
                "struct_declaration" => {
                    self.declaration(child, Kind::Struct, &namespace, outer, depth);
                }
                "interface_declaration" => {
                    self.declaration(child, Kind::Interface, &namespace, outer, depth);
                }
                "enum_declaration" => self.declaration(child, Kind::Enum, &namespace, outer, depth),
                // Declarations behind a syntax error, and top-level `#if` in a form of the grammar.
                "ERROR" => self.members(child, &namespace, outer, depth + 1),
                _ => {}
            }
        }
    }

    fn declaration(
        &mut self,
        syntax: Syntax<'_>,
        kind: Kind,
        namespace: &str,
        outer: &str,
        depth: usize,
    ) {
        let Some(name) = syntax.field("name") else {
            return;
        };
        let parameters = type_parameters(syntax);
        let short = match parameters.len() {
            0 => name.text().to_owned(),
            count => format!("{}`{count}", name.text()),
        };
        let full = match outer {
            "" => joined(namespace, ".", &short),
            outer => format!("{outer}/{short}"),
        };
        let scope = self.scope(name, namespace);
        let mut declaration = Declaration {
            kind,
            name: full.clone(),
            parameters,
            modifiers: syntax.modifiers().collect(),
            attributes: attributes(syntax),
            bases: syntax
                .of_kind("base_list")
                .flat_map(|list| list.children().map(types::read).collect::<Vec<_>>())
                .collect(),
            fields: Vec::new(),
            methods: Vec::new(),
            variants: Vec::new(),
            scope,
            files: BTreeSet::from([Rc::clone(self.file)]),
            broken: self.broken(syntax),
        };
        let body = syntax.field("body");
        if let Some(body) = body {
            if kind == Kind::Enum {
                declaration.variants = body
                    .of_kind("enum_member_declaration")
                    .filter_map(variant)
                    .collect();
            }
            for member in body.children() {
                self.member(member, namespace, &mut declaration);
            }
        }
        self.declarations.push(declaration);
        if let Some(body) = body {
            self.members(body, namespace, &full, depth + 1);
        }
    }

    fn member(&self, member: Syntax<'_>, namespace: &str, declaration: &mut Declaration) {
        match member.kind() {
            "field_declaration" => {
                let variables = member.of_kind("variable_declaration").next();
                let Some((variables, ty)) =
                    variables.and_then(|list| Some((list, list.field("type")?)))
                else {
                    return;
                };
                for variable in variables.of_kind("variable_declarator") {
                    let Some(name) = variable.field("name") else {
                        continue;
                    };
                    let behind_name =
                        |child: &Syntax<'_>| child.node.start_byte() >= name.node.end_byte();
                    let initial = variable.children().filter(behind_name).last();
                    declaration.fields.push(DeclaredField {
                        name: name.text().trim_start_matches('@').to_owned(),
                        ty: types::read(ty),
                        modifiers: member.modifiers().collect(),
                        attributes: attributes(member),
                        initial: initial.map(expression::read),
                        is_property: false,
                        scope: self.scope(name, namespace),
                    });
                }
            }
            "property_declaration" => declaration.fields.extend(self.property(member, namespace)),
            "method_declaration" => declaration.methods.extend(self.method(member, namespace)),
            "constructor_declaration" => {
                declaration
                    .methods
                    .extend(self.constructor(member, namespace));
            }
            _ => {}
        }
    }

    /// Reads a property with a field behind it: its accessors lack bodies.
    fn property(&self, member: Syntax<'_>, namespace: &str) -> Option<DeclaredField> {
        let (name, ty) = (member.field("name")?, member.field("type")?);
        let accessors = member.field("accessors")?;
        if accessors
            .of_kind("accessor_declaration")
            .any(|accessor| accessor.field("body").is_some())
        {
            return None;
        }
        Some(DeclaredField {
            name: name.text().to_owned(),
            ty: types::read(ty),
            modifiers: member.modifiers().collect(),
            attributes: attributes(member),
            initial: member.field("value").map(expression::read),
            is_property: true,
            scope: self.scope(name, namespace),
        })
    }

    fn method(&self, member: Syntax<'_>, namespace: &str) -> Option<Method> {
        let name = member.field("name")?;
        Some(Method {
            name: name.text().to_owned(),
            parameters: member
                .field("parameters")
                .map(parameters)
                .unwrap_or_default(),
            modifiers: member.modifiers().collect(),
            attributes: attributes(member),
            returns: types::read(member.field("returns")?),
            is_generic: member.of_kind("type_parameter_list").next().is_some(),
            assignments: None,
            scope: self.scope(name, namespace),
        })
    }

    fn constructor(&self, member: Syntax<'_>, namespace: &str) -> Option<Method> {
        let name = member.field("name")?;
        let parameters = member.field("parameters").map(parameters)?;
        let is_plain = member.of_kind("constructor_initializer").next().is_none()
            && parameters.iter().all(|it| it.modifiers.is_empty());
        let body = member.field("body").filter(|_| is_plain);
        Some(Method {
            name: CONSTRUCTOR.to_owned(),
            parameters,
            modifiers: member.modifiers().collect(),
            attributes: Vec::new(),
            returns: types::read(name),
            is_generic: false,
            assignments: body.and_then(|body| body.children().map(assignment).collect()),
            scope: self.scope(name, namespace),
        })
    }

    fn scope(&self, syntax: Syntax<'_>, namespace: &str) -> Scope {
        Scope {
            usings: Rc::clone(&self.usings),
            namespace: namespace.into(),
            place: SourcePlace::new(self.file, syntax.line()),
        }
    }

    fn broken(&self, syntax: Syntax<'_>) -> Option<SourcePlace> {
        let start = syntax.node.start_byte();
        let own = self.hiding.of_types.iter().find(|(of, _)| *of == start);
        let line = own.map(|(_, line)| *line).or(self.hiding.of_file)?;
        Some(SourcePlace::new(self.file, line))
    }
}

fn joined(outer: &str, sign: &str, name: &str) -> String {
    match outer {
        "" => name.to_owned(),
        outer => format!("{outer}{sign}{name}"),
    }
}

fn type_parameters(syntax: Syntax<'_>) -> Vec<String> {
    let list = syntax.of_kind("type_parameter_list").next();
    let parameters = list
        .into_iter()
        .flat_map(|list| list.of_kind("type_parameter").collect::<Vec<_>>());
    let names = parameters.filter_map(|parameter| parameter.field("name"));
    names.map(|name| name.text().to_owned()).collect()
}

fn variant(syntax: Syntax<'_>) -> Option<Variant> {
    Some(Variant {
        name: syntax
            .field("name")?
            .text()
            .trim_start_matches('@')
            .to_owned(),
        value: syntax.field("value").map(expression::read),
    })
}

fn attributes(syntax: Syntax<'_>) -> Vec<Attribute> {
    let mut found = Vec::new();
    for list in syntax.of_kind("attribute_list") {
        let target = list.of_kind("attribute_target_specifier").next();
        let target = target.map(|target| target.text().trim_end_matches(':').trim().to_owned());
        for attribute in list.of_kind("attribute") {
            let name = attribute.field("name").map_or("", Syntax::text);
            let name = name.rsplit(['.', ':']).next().unwrap_or_default();
            let arguments = attribute.of_kind("attribute_argument_list").next();
            let arguments = arguments
                .into_iter()
                .flat_map(|list| list.of_kind("attribute_argument").collect::<Vec<_>>());
            found.push(Attribute {
                name: name.strip_suffix("Attribute").unwrap_or(name).to_owned(),
                target: target.clone(),
                arguments: arguments.filter_map(attribute_argument).collect(),
            });
        }
    }
    found
}

fn attribute_argument(syntax: Syntax<'_>) -> Option<(Option<String>, Expression)> {
    let value = syntax.children().last()?;
    let name = syntax.field("name").map(|name| name.text().to_owned());
    Some((name, expression::read(value)))
}

/// Reads `this.name = value`, alone or as a statement.
fn assignment(syntax: Syntax<'_>) -> Option<(String, Expression)> {
    let inner = match syntax.kind() {
        "expression_statement" => syntax.children().next()?,
        _ => syntax,
    };
    let Expression::Binary(sign, sides) = expression::read(inner) else {
        return None;
    };
    let (Expression::Path(path), value) = *sides else {
        return None;
    };
    match &path[..] {
        [name] if sign == "=" => Some((name.clone(), value)),
        [this, name] if sign == "=" && this == "this" => Some((name.clone(), value)),
        _ => None,
    }
}

fn parameters(list: Syntax<'_>) -> Vec<Parameter> {
    let mut found: Vec<_> = list.of_kind("parameter").filter_map(parameter).collect();
    // `params int[] list` stands in the list itself.
    found.extend(parameter(list));
    found
}

fn parameter(syntax: Syntax<'_>) -> Option<Parameter> {
    let mut cursor = syntax.node.walk();
    let has_default = syntax
        .node
        .children(&mut cursor)
        .any(|child| child.kind() == "=");
    Some(Parameter {
        name: syntax
            .field("name")?
            .text()
            .trim_start_matches('@')
            .to_owned(),
        ty: types::read(syntax.field("type")?),
        modifiers: syntax.modifiers().collect(),
        has_default,
    })
}

fn usings(root: Syntax<'_>) -> Usings {
    let mut usings = Usings::default();
    let in_namespaces = root
        .children()
        .filter(|child| child.kind().contains("namespace"));
    let in_namespaces = in_namespaces.flat_map(|namespace| {
        let body = namespace.field("body").unwrap_or(namespace);
        body.of_kind("using_directive").collect::<Vec<_>>()
    });
    for using in root.of_kind("using_directive").chain(in_namespaces) {
        let Some(target) = using.children().last() else {
            continue;
        };
        match (using.field("name"), types::read(target)) {
            (Some(name), ty) => usings.aliases.push((name.text().to_owned(), ty)),
            (None, Type::Named(parts)) => {
                let parts: Vec<_> = parts.into_iter().map(|part| part.name).collect();
                usings.namespaces.push(parts.join("."));
            }
            (None, _) => {}
        }
    }
    usings
}
