//! Game objects of a prefab with their components, as a tree.

use crate::report::Place;

use super::Value;

/// A game object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// Numbers of the object and of its transform in the file.
    pub(super) id: i64,
    pub(super) transform: i64,
    pub(crate) components: Vec<Component>,
    pub(super) children: Vec<Self>,
}

/// A script on a game object.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    pub(super) id: i64,
    /// GUID of the script.
    pub(crate) script: String,
    /// Serialised fields.
    pub(crate) values: Value,
    pub(crate) place: Place,
}

impl Object {
    /// Renumbers the objects of a prefab for the file that contains an instance of it.
    pub(super) fn renumber(&mut self, instance: i64) {
        let number = |id: &mut i64| *id = (*id ^ instance) & i64::MAX;
        number(&mut self.id);
        number(&mut self.transform);
        self.components
            .iter_mut()
            .for_each(|component| number(&mut component.id));
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

    /// Returns the component with this number.
    pub(super) fn component(&mut self, id: i64) -> Option<&mut Component> {
        let has = |object: &Self| object.components.iter().any(|component| component.id == id);
        let object = self.find(&has)?;
        object
            .components
            .iter_mut()
            .find(|component| component.id == id)
    }

    /// Removes components and objects by number.
    pub(super) fn remove(&mut self, id: i64) {
        self.components.retain(|component| component.id != id);
        self.children.retain(|child| child.id != id);
        self.children.iter_mut().for_each(|child| child.remove(id));
    }

    /// Returns all components in the order of `GetComponentsInChildren`: the root's first, then those of each child
    /// and everything below it.
    pub(crate) fn all(&self) -> Vec<&Component> {
        let below = self.children.iter().flat_map(Self::all);
        self.components.iter().chain(below).collect()
    }
}
