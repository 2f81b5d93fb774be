//! Types of collections: Mirror's own, and classes of the game that derive from them.

use super::types::{Around, Types};
use crate::csharp::{Declaration, Type};
use crate::model::{Container, ValueType};

/// Longest chain of classes.
const MAX_BASES: usize = 16;

/// A collection, with its keys and elements.
#[derive(Debug)]
pub(super) struct Collection {
    pub(super) container: Container,
    /// Keys of a dictionary.
    pub(super) key: Option<ValueType>,
    pub(super) element: ValueType,
}

/// Returns the collection of Mirror with this name.
fn container(name: &str) -> Option<Container> {
    Some(match name {
        "SyncList" => Container::List,
        "SyncDictionary" | "SyncIDictionary" => Container::Dictionary,
        "SyncHashSet" => Container::HashSet,
        "SyncSortedSet" => Container::SortedSet,
        _ => return None,
    })
}

impl Types<'_> {
    /// Returns a type as a collection. `None` for a different type; an error for elements that do not travel.
    pub(super) fn collection(
        &mut self,
        ty: &Type,
        around: Around<'_>,
    ) -> Option<Result<Collection, String>> {
        self.collection_at(ty, around, 0)
    }

    fn collection_at(
        &mut self,
        ty: &Type,
        around: Around<'_>,
        depth: usize,
    ) -> Option<Result<Collection, String>> {
        if depth > MAX_BASES || !matches!(ty, Type::Named(_)) {
            return None;
        }
        if let Some(declared) = self.project.find(ty, around.scope, around.inside) {
            // `class Scores : SyncList<int> {}`, `class Stack<T> : SyncList<T> {}`
            let base = declared.bases.first()?;
            if !self.is_collection(base, declared, depth) {
                return None;
            }
            let arguments = ty.arguments().iter();
            let arguments = arguments.map(|argument| self.value(argument, around));
            let arguments: Vec<ValueType> = match arguments.collect() {
                Ok(arguments) => arguments,
                Err(reason) => return Some(Err(reason)),
            };
            let parameters = declared.parameters.iter().cloned().zip(arguments).collect();
            let around = Around {
                scope: &declared.scope,
                inside: Some(declared),
                parameters: &parameters,
            };
            return self.collection_at(base, around, depth + 1);
        }
        let container = container(ty.last_name())?;
        Some(self.elements_of(container, ty, around))
    }

    /// Returns whether a base class of a class is a collection, by its name.
    fn is_collection(&self, base: &Type, class: &Declaration, depth: usize) -> bool {
        match self.project.find(base, &class.scope, Some(class)) {
            Some(declared) if depth < MAX_BASES => {
                let base = declared.bases.first();
                base.is_some_and(|base| self.is_collection(base, declared, depth + 1))
            }
            Some(_) => false,
            None => container(base.last_name()).is_some(),
        }
    }

    fn elements_of(
        &mut self,
        container: Container,
        ty: &Type,
        around: Around<'_>,
    ) -> Result<Collection, String> {
        let mut arguments = ty.arguments().iter();
        let mut next = || {
            arguments
                .next()
                .ok_or_else(|| format!("`{ty}` lacks the type of its elements"))
        };
        let key = match container {
            Container::Dictionary => Some(self.value(next()?, around)?),
            _ => None,
        };
        let element = self.value(next()?, around)?;
        let keys = match container {
            Container::HashSet | Container::SortedSet => Some(&element),
            _ => key.as_ref(),
        };
        if let Some(key) = keys.filter(|key| !key.is_key) {
            return Err(format!(
                "`{}` cannot be a key or an element of a set in Rust",
                key.rust
            ));
        }
        Ok(Collection {
            container,
            key,
            element,
        })
    }
}
