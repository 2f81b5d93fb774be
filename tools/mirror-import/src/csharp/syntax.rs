//! Access to the syntax tree.

use tree_sitter::Node;

/// A node with the text of its source.
#[derive(Clone, Copy)]
pub(super) struct Syntax<'a> {
    pub(super) node: Node<'a>,
    pub(super) source: &'a str,
}

impl<'a> Syntax<'a> {
    pub(super) fn kind(self) -> &'a str {
        self.node.kind()
    }

    pub(super) fn text(self) -> &'a str {
        &self.source[self.node.byte_range()]
    }

    /// Returns the line, counted from 1.
    pub(super) fn line(self) -> usize {
        self.node.start_position().row + 1
    }

    pub(super) fn field(self, name: &str) -> Option<Self> {
        let node = self.node.child_by_field_name(name)?;
        Some(Self { node, ..self })
    }

    /// Returns the named children: without signs and comments.
    pub(super) fn children(self) -> impl Iterator<Item = Self> + 'a {
        let mut cursor = self.node.walk();
        let children: Vec<_> = self.node.named_children(&mut cursor).collect();
        let children = children.into_iter().filter(|node| !node.is_extra());
        children.map(move |node| Self { node, ..self })
    }

    /// Returns the children of a kind.
    pub(super) fn of_kind(self, kind: &'static str) -> impl Iterator<Item = Self> + 'a {
        self.children().filter(move |child| child.kind() == kind)
    }

    /// Returns the modifiers, such as `readonly`.
    pub(super) fn modifiers(self) -> impl Iterator<Item = String> + 'a {
        self.of_kind("modifier").map(|word| word.text().to_owned())
    }
}
