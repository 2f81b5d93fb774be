//! Game objects of a prefab or scene with their components, as a tree.

use std::rc::Rc;

use crate::report::SourcePlace;

use super::Yaml;
use super::yaml::renumbered;

/// A game object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// Numbers of the object and of its transform in the file.
    pub(super) id: i64,
    pub(super) transform: i64,
    /// Where it begins.
    pub(crate) place: SourcePlace,
    /// Serialised fields of the object and of its transform.
    pub(super) values: Yaml,
    pub(crate) pose: Yaml,
    /// File of the prefab of which it is an instance.
    pub(crate) source: Option<Rc<str>>,
    pub(crate) components: Vec<Script>,
    pub(super) animators: Vec<Animator>,
    pub(crate) children: Vec<Self>,
}

/// A script on a game object.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(super) id: i64,
    pub(crate) guid: String,
    /// Serialised fields.
    pub(crate) values: Yaml,
    pub(crate) place: SourcePlace,
}

/// Unity's animator on a game object.
#[derive(Clone, Debug)]
pub(super) struct Animator {
    pub(super) id: i64,
    pub(super) values: Yaml,
}

impl Object {
    /// Creates an object without components, of a document of a file.
    pub(super) fn new(id: i64, values: Yaml, place: SourcePlace) -> Self {
        Self {
            id,
            transform: 0,
            place,
            values,
            pose: Yaml::Map(Vec::new()),
            source: None,
            components: Vec::new(),
            animators: Vec::new(),
            children: Vec::new(),
        }
    }

    /// Returns the name in Unity's hierarchy.
    pub(crate) fn name(&self) -> &str {
        let name = self.values.get("m_Name").and_then(Yaml::text);
        name.unwrap_or_default()
    }

    /// Renumbers the objects of a prefab for the file that contains an instance of it.
    pub(super) fn renumber(&mut self, instance: i64) {
        for id in [&mut self.id, &mut self.transform] {
            *id = renumbered(*id, instance);
        }
        for component in &mut self.components {
            component.id = renumbered(component.id, instance);
            component.values.renumber(instance);
        }
        for animator in &mut self.animators {
            animator.id = renumbered(animator.id, instance);
        }
        self.children
            .iter_mut()
            .for_each(|child| child.renumber(instance));
    }

    /// Returns this object or one below it.
    pub(super) fn find(&mut self, is_wanted: &impl Fn(&Self) -> bool) -> Option<&mut Self> {
        if is_wanted(self) {
            return Some(self);
        }
        self.children
            .iter_mut()
            .find_map(|child| child.find(is_wanted))
    }

    /// Returns the serialised fields of the object, transform, script or animator with this number.
    pub(super) fn values_of(&mut self, id: i64) -> Option<&mut Yaml> {
        if id == self.id {
            return Some(&mut self.values);
        }
        if id == self.transform {
            return Some(&mut self.pose);
        }
        let component = self.components.iter().position(|it| it.id == id);
        if let Some(at) = component {
            return Some(&mut self.components[at].values);
        }
        let animator = self.animators.iter().position(|it| it.id == id);
        if let Some(at) = animator {
            return Some(&mut self.animators[at].values);
        }
        self.children
            .iter_mut()
            .find_map(|child| child.values_of(id))
    }

    /// Removes components and objects by number.
    pub(super) fn remove(&mut self, id: i64) {
        self.components.retain(|component| component.id != id);
        self.children.retain(|child| child.id != id);
        self.children.iter_mut().for_each(|child| child.remove(id));
    }

    /// Returns all components in the order of `GetComponentsInChildren`: the root's first, then those of each child
    /// and everything below it.
    pub(crate) fn all(&self) -> Vec<&Script> {
        let below = self.children.iter().flat_map(Self::all);
        self.components.iter().chain(below).collect()
    }

    /// Returns the object, this one or one below it, with this transform.
    pub(crate) fn with_transform(&self, transform: i64) -> Option<&Self> {
        if self.transform == transform {
            return Some(self);
        }
        let mut children = self.children.iter();
        children.find_map(|child| child.with_transform(transform))
    }

    /// Returns the object, this one or one below it, with this component.
    pub(crate) fn holder(&self, component: &Script) -> Option<&Self> {
        if self.components.iter().any(|it| it.id == component.id) {
            return Some(self);
        }
        let mut children = self.children.iter();
        children.find_map(|child| child.holder(component))
    }

    /// Returns the GUID of the controller of the animator with this number.
    pub(crate) fn controller(&self, animator: i64) -> Option<&str> {
        let own = self.animators.iter().find(|it| it.id == animator);
        if let Some(own) = own {
            return own.values.get("m_Controller")?.guid();
        }
        let mut children = self.children.iter();
        children.find_map(|child| child.controller(animator))
    }
}
