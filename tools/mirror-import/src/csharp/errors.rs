//! Syntax errors, and the declarations that they may make incomplete.

use std::collections::BTreeSet;
use std::rc::Rc;

use tree_sitter::Node;

use super::syntax::Syntax;
use crate::report::{Report, SourcePlace};

/// Number of syntax errors of a file that are listed.
const MAX_ERRORS: usize = 5;
/// Words of members that the network depends on.
const NETWORKED: &[&str] = &[
    "SyncVar",
    "SyncList",
    "SyncDictionary",
    "SyncHashSet",
    "SyncSortedSet",
    "Command",
    "Rpc",
];

/// Syntax errors that may hide members.
#[derive(Default)]
pub(super) struct Hiding {
    /// Outside of types, where the rest of any type may be.
    pub(super) of_file: Option<usize>,
    /// Start of a type's declaration, and the line of the error.
    pub(super) of_types: Vec<(usize, usize)>,
}

/// Reports syntax errors, and returns those that may hide members of types.
pub(super) fn hiding(root: Syntax<'_>, file: &Rc<str>, report: &mut Report) -> Hiding {
    let mut hiding = Hiding::default();
    let mut lines = BTreeSet::new();
    for node in errors(root.node) {
        let error = Syntax { node, ..root };
        let line = error.line();
        lines.insert(line);
        let mut hides = true;
        let mut in_body = false;
        let mut in_type = false;
        let mut above = Some(node);
        while let Some(node) = above {
            let syntax = Syntax { node, ..root };
            match node.kind() {
                "block" | "arrow_expression_clause" | "accessor_list" => in_body = true,
                "method_declaration"
                | "property_declaration"
                | "constructor_declaration"
                | "operator_declaration"
                    if in_body =>
                {
                    let mut words = NETWORKED.iter();
                    hides = words.any(|word| {
                        syntax.text().contains(&format!("[{word}"))
                            || syntax.text().contains(&format!("{word}<"))
                    });
                }
                "class_declaration"
                | "struct_declaration"
                | "interface_declaration"
                | "enum_declaration" => {
                    in_type = true;
                    if hides {
                        hiding.of_types.push((node.start_byte(), line));
                    }
                }
                _ => {}
            }
            above = node.parent();
        }
        if !in_type {
            hiding.of_file.get_or_insert(line);
        }
    }
    for line in lines.iter().take(MAX_ERRORS) {
        report.add(&SourcePlace::new(file, *line), "syntax error");
    }
    if let Some(line) = lines.iter().nth(MAX_ERRORS) {
        let text = format!(
            "{} more syntax errors from here on",
            lines.len() - MAX_ERRORS
        );
        report.add(&SourcePlace::new(file, *line), text);
    }
    hiding
}

/// Returns the outermost nodes of syntax errors, and missing nodes.
fn errors(root: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        // A missing token may be a child that no cursor visits.
        let mut children = node.walk();
        let has_error = |child: Node<'_>| child.has_error() || child.is_missing();
        let mut is_hidden = || node.has_error() && !node.children(&mut children).any(has_error);
        let is_error = node.is_error() || node.is_missing() || is_hidden();
        if is_error {
            found.push(node);
        }
        let inside = node.has_error() && !is_error && cursor.goto_first_child();
        while !inside && !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}
