//! Cycles by calls among the rooms of an end.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{ImplItem, ItemImpl, ItemMod, Type};

use crate::cycles::{self, Graph};
use crate::findings::{Finding, Rule};
use crate::source::{Source, is_test};

/// Variables that hold an end in its methods.
const RECEIVERS: [&str; 3] = ["self", "server", "client"];

/// Room of the public methods and of the update: the top of the order, which may call each room.
const ROOF: [&str; 2] = ["", "api"];

/// Returns the cycles among the rooms of an end: a room is a file or folder of `folder`, and leads to the rooms that
/// define the methods that its methods call.
pub fn room_cycles(sources: &[Source], end: &str, folder: &str) -> Vec<Finding> {
    let rooms = sources
        .iter()
        .filter_map(|source| Some((room(&source.path, folder)?, source)));
    let mut methods = Methods::new(end);
    for (room, source) in rooms {
        methods.room = room;
        methods.visit_file(&source.file);
    }
    let mut graph = Graph::new();
    for (room, called) in &methods.called {
        let targets = called.iter().filter_map(|name| methods.defined.get(name));
        for target in targets.flatten().filter(|target| *target != room) {
            if ![room, target]
                .iter()
                .any(|room| ROOF.contains(&room.as_str()))
            {
                cycles::connect(&mut graph, room, target);
            }
        }
    }
    let cycles = cycles::cycles(&graph).into_iter().map(|group| Finding {
        rule: Rule::CallCycle,
        place: format!("{end}: {}", group.join(" ")),
        detail: format!("{} rooms call each other", group.len()),
    });
    cycles.collect()
}

/// Returns the room of a file; empty for the file of the end itself.
fn room(path: &str, folder: &str) -> Option<String> {
    let inside = path.strip_prefix(folder)?;
    if inside == ".rs" {
        return Some(String::new());
    }
    let room = inside.strip_prefix('/')?.split('/').next()?;
    Some(room.trim_end_matches(".rs").to_owned())
}

/// Methods of an end.
struct Methods<'a> {
    end: &'a str,
    /// Room of the visited file.
    room: String,
    /// Rooms that define a method, by its name.
    defined: BTreeMap<String, BTreeSet<String>>,
    /// Names of the methods that a room calls.
    called: BTreeMap<String, BTreeSet<String>>,
}

impl<'a> Methods<'a> {
    fn new(end: &'a str) -> Self {
        Self {
            end,
            room: String::new(),
            defined: BTreeMap::new(),
            called: BTreeMap::new(),
        }
    }

    /// Collects calls from tokens, for a macro lacks a syntax tree: `self.method(`.
    fn collect(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for call in tokens.windows(4) {
            let [
                TokenTree::Ident(receiver),
                TokenTree::Punct(dot),
                TokenTree::Ident(name),
                TokenTree::Group(group),
            ] = call
            else {
                continue;
            };
            let is_call = dot.as_char() == '.' && group.delimiter() == Delimiter::Parenthesis;
            if is_call && RECEIVERS.iter().any(|known| receiver == known) {
                let called = self.called.entry(self.room.clone()).or_default();
                called.insert(name.to_string());
            }
        }
        for token in tokens {
            if let TokenTree::Group(group) = token {
                self.collect(group.stream());
            }
        }
    }
}

impl<'ast> Visit<'ast> for Methods<'_> {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let is_of_end = matches!(&*item.self_ty, Type::Path(path)
            if path.path.segments.last().is_some_and(|last| last.ident == self.end));
        if !is_of_end || is_test(&item.attrs) {
            return;
        }
        for method in &item.items {
            let ImplItem::Fn(method) = method else {
                continue;
            };
            if is_test(&method.attrs) {
                continue;
            }
            if item.trait_.is_none() {
                let rooms = self.defined.entry(method.sig.ident.to_string());
                rooms.or_default().insert(self.room.clone());
            }
            self.collect(method.block.to_token_stream());
        }
    }
}
