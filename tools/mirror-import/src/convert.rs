//! From the declarations of C# to the content of the Rust module.

mod arithmetic;
mod behaviours;
mod calls;
mod collections;
mod components;
mod constants;
mod draft;
mod enumerations;
mod hooks;
mod library;
mod literals;
mod motion;
mod prefabs;
mod scenes;
mod structures;
mod types;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::files::Files;
use crate::model::{Behaviour, Controller, Module};
use crate::names;
use crate::project::Project;
use crate::report::Report;
use crate::unity::{Assets, Guids};

use types::Types;

/// Project and settings of an import.
pub(crate) struct Input<'p> {
    pub(crate) project: &'p Project,
    pub(crate) files: &'p Files,
    pub(crate) guids: &'p Guids,
    /// Rust types given by the user, by C# names.
    pub(crate) given: &'p BTreeMap<String, String>,
}

/// Conversion in progress.
struct Converter<'p, 'r> {
    input: &'p Input<'p>,
    types: Types<'p>,
    report: &'r mut Report,
    /// Behaviours by full name, with the arguments of a generic class.
    behaviours: BTreeMap<String, Behaviour>,
    assets: Assets<'p>,
    /// Controllers of animators by file.
    controllers: BTreeMap<Rc<str>, Controller>,
    /// Names of functions, and of modules and their functions.
    functions: names::Scope,
    modules: names::Scope,
}

/// Converts a project.
pub(crate) fn convert(input: &Input<'_>, report: &mut Report) -> Module {
    // The first pass finds the types that the network uses, the second one names them.
    let every: BTreeSet<&str> = input
        .project
        .iter()
        .map(|declared| declared.name.as_str())
        .collect();
    let used = Converter::new(input, &every, &mut Report::default()).used();
    let used: BTreeSet<&str> = used.iter().map(String::as_str).collect();
    Converter::new(input, &used, report).module()
}

impl<'p, 'r> Converter<'p, 'r> {
    fn new(input: &'p Input<'p>, named: &BTreeSet<&str>, report: &'r mut Report) -> Self {
        let rust = names::of_types(named.iter().copied());
        Self {
            input,
            types: Types::new(input.project, rust, input.given),
            report,
            behaviours: BTreeMap::new(),
            assets: Assets::new(input.files, input.guids),
            controllers: BTreeMap::new(),
            functions: names::Scope::default(),
            modules: names::Scope::of_crates(),
        }
    }

    /// Returns the full names of the types that the module declares.
    fn used(mut self) -> BTreeSet<String> {
        self.read();
        let classes = self
            .input
            .project
            .iter()
            .filter(|class| self.input.project.lineage(class).is_read());
        let mut used: BTreeSet<String> = classes.map(|class| class.name.clone()).collect();
        used.extend(self.types.reached);
        used
    }

    fn module(mut self) -> Module {
        self.read();
        let mut prefabs = self.prefabs();
        let scenes = self.scenes(&mut prefabs);
        let values = self.values();
        Module {
            behaviours: self.behaviours.into_values().collect(),
            values,
            prefabs,
            scenes,
            controllers: self.controllers.into_values().collect(),
        }
    }

    /// Reads behaviours and messages.
    fn read(&mut self) {
        for class in self.input.project.iter() {
            self.class(class);
        }
        self.messages();
    }
}
