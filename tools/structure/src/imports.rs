//! Cycles by imports among the modules of a folder.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{ImplItemFn, ItemFn, ItemImpl, ItemMod, ItemUse, Path, UseTree};

use crate::cycles::{self, Graph};
use crate::findings::{Finding, Rule};
use crate::source::{Source, is_test};

/// Path of a module: `["server", "calls"]`.
type Module = Vec<String>;

/// Longest chain of re-exports that is followed.
const MAX_CHAIN: usize = 12;

/// Returns the cycles of all folders.
pub fn folder_cycles(sources: &[Source]) -> Vec<Finding> {
    let packages: BTreeSet<&str> = sources.iter().map(|source| &*source.package).collect();
    let cycles = packages.into_iter().map(|package| {
        let members = sources.iter().filter(|source| source.package == package);
        cycles_of(package, &members.collect::<Vec<_>>())
    });
    cycles.flatten().collect()
}

fn cycles_of(package: &str, sources: &[&Source]) -> Vec<Finding> {
    let modules: BTreeSet<&[String]> = sources.iter().map(|source| &*source.module).collect();
    let mut crate_imports = Imports::default();
    for source in sources {
        crate_imports.begin(source, &modules);
        crate_imports.visit_file(&source.file);
    }
    let edges = crate_imports.edges(&modules);
    let folders: BTreeSet<&[String]> = modules
        .iter()
        .flat_map(|module| (0..module.len()).map(|length| &module[..length]))
        .collect();
    let mut found = Vec::new();
    for folder in folders {
        let depth = folder.len();
        let mut graph = Graph::new();
        for (from, to) in &edges {
            let is_inside = from.starts_with(folder) && to.starts_with(folder);
            if is_inside && from.len() > depth && to.len() > depth && from[depth] != to[depth] {
                cycles::connect(&mut graph, &from[depth], &to[depth]);
            }
        }
        let root = [package, "src"].into_iter().filter(|part| !part.is_empty());
        let root: Vec<_> = root.chain(folder.iter().map(String::as_str)).collect();
        found.extend(cycles::cycles(&graph).into_iter().map(|group| Finding {
            rule: Rule::FolderCycle,
            place: format!("{}: {}", root.join("/"), group.join(" ")),
            detail: format!("{} modules import each other", group.len()),
        }));
    }
    found
}

/// Imports of a crate.
#[derive(Default)]
struct Imports {
    /// Names that a module imports or re-exports, with their paths.
    names: BTreeMap<Module, BTreeMap<String, Vec<String>>>,
    /// Imports: the module that imports, and the path.
    used: Vec<(Module, Vec<String>)>,
    /// Modules of the crate, by their paths.
    known: BTreeSet<Module>,
    /// Module of the file.
    file: Module,
    /// Module of the item: that of the file, and inline modules.
    current: Module,
}

impl Imports {
    fn begin(&mut self, source: &Source, modules: &BTreeSet<&[String]>) {
        self.known = modules.iter().map(|module| module.to_vec()).collect();
        self.file.clone_from(&source.module);
        self.current.clone_from(&source.module);
    }

    /// Returns a path from the root of the crate; `None` for a path of a foreign crate or of a local name.
    fn at_root(&self, segments: &[String], is_use: bool) -> Option<Vec<String>> {
        let (first, rest) = segments.split_first()?;
        match &**first {
            "crate" => Some(rest.to_vec()),
            "self" => Some([&*self.current, rest].concat()),
            "super" => {
                let ups = segments
                    .iter()
                    .take_while(|segment| *segment == "super")
                    .count();
                let at = self.current.len().checked_sub(ups)?;
                Some([&self.current[..at], &segments[ups..]].concat())
            }
            _ if is_use => {
                let child = [&*self.current, std::slice::from_ref(first)].concat();
                let path = [&*self.current, segments].concat();
                self.known.contains(&child).then_some(path)
            }
            _ => None,
        }
    }

    fn add_use(&mut self, segments: &[String], alias: &str) {
        if let Some(path) = self.at_root(segments, true) {
            let names = self.names.entry(self.current.clone()).or_default();
            names.insert(alias.to_owned(), path.clone());
            self.used.push((self.file.clone(), path));
        }
    }

    fn add_tree(&mut self, tree: &UseTree, before: &[String]) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add_tree(&path.tree, &with(&path.ident)),
            UseTree::Name(name) if name.ident == "self" => {
                let alias = before.last().cloned().unwrap_or_default();
                self.add_use(before, &alias);
            }
            UseTree::Name(name) => self.add_use(&with(&name.ident), &name.ident.to_string()),
            UseTree::Rename(name) => self.add_use(&with(&name.ident), &name.rename.to_string()),
            UseTree::Glob(_) => self.add_use(before, "*"),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_tree(tree, before);
                }
            }
        }
    }

    /// Returns the imports from module to module.
    fn edges(&self, modules: &BTreeSet<&[String]>) -> BTreeSet<(Module, Module)> {
        let edges = self.used.iter().map(|(from, path)| {
            let to = self.module_of(path, modules, 0);
            (from.clone(), to)
        });
        edges
            .filter(|(from, to)| from != to && !from.is_empty() && !to.is_empty())
            .collect()
    }

    /// Returns the module that defines the item of a path, through re-exports.
    fn module_of(&self, path: &[String], modules: &BTreeSet<&[String]>, chain: usize) -> Module {
        let length = (0..=path.len())
            .rev()
            .find(|length| modules.contains(&path[..*length]))
            .unwrap_or_default();
        let (module, rest) = path.split_at(length);
        let imported = rest
            .first()
            .and_then(|name| self.names.get(module)?.get(name));
        match (imported, rest.split_first()) {
            (Some(imported), Some((_, rest))) if chain < MAX_CHAIN && imported != path => {
                self.module_of(&[imported, rest].concat(), modules, chain + 1)
            }
            _ => module.to_vec(),
        }
    }
}

impl<'a> Visit<'a> for Imports {
    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        if !is_test(&item.attrs) {
            self.current.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.current.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        if !is_test(&item.attrs) {
            self.add_tree(&item.tree, &[]);
        }
    }

    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'a ItemImpl) {
        if !is_test(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_path(&mut self, path: &'a Path) {
        let segments: Vec<String> = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        if segments.len() > 1
            && let Some(path) = self.at_root(&segments, false)
        {
            self.used.push((self.file.clone(), path));
        }
        visit::visit_path(self, path);
    }
}
