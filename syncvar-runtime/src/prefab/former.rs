//! Names of behaviours, and former names of prefabs and messages.

use std::any::TypeId;

use super::Prefabs;
use crate::NetworkBehaviour;

impl Prefabs {
    /// Sets the former names of a registered prefab, newest first: clients and servers of earlier builds know it by
    /// one of them.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Player;
    ///
    /// let prefabs = Prefabs::new()
    ///     .register::<Player>("player")
    ///     .prefab_was("player", &["hero"]);
    /// ```
    ///
    /// # Panics
    ///
    /// When no prefab has the name, and when a former name is empty, given twice, or the name of a prefab.
    #[must_use]
    pub fn prefab_was(mut self, name: &str, former: &[&str]) -> Self {
        let entries = self.entries.iter();
        let names = entries.map(|entry| (&*entry.name, &entry.was));
        let former = accept(name, former, names, "prefab");
        let renamed = self.entries.iter_mut().find(|entry| entry.name == name);
        if let Some(entry) = renamed {
            entry.was = former;
        }
        self.changed()
    }

    /// Names a behaviour in the schema: all types of a generic struct have the name of the struct there, and clients of
    /// different builds match behaviours by name. Both ends give the same names. Events and errors keep the name
    /// of the struct.
    ///
    /// ```
    /// use syncvar::{SyncValue, prelude::*};
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Component<T: SyncValue + Default> {
    ///     #[sync_var]
    ///     value: SyncVar<T>,
    /// }
    ///
    /// let prefabs = Prefabs::new()
    ///     .register::<(Component<u32>, Component<f32>)>("unit")
    ///     .behaviour_name::<Component<u32>>("Health")
    ///     .behaviour_name::<Component<f32>>("Speed");
    /// let schema = prefabs.schema();
    /// let behaviours = schema.prefabs[0].behaviours.iter();
    /// assert!(behaviours.map(|behaviour| &behaviour.names.name[..]).eq(["Health", "Speed"]));
    /// ```
    ///
    /// # Panics
    ///
    /// When the name is not an identifier, or names a different type already.
    #[must_use]
    pub fn behaviour_name<B: NetworkBehaviour>(mut self, name: &str) -> Self {
        let letters = |first: char| first.is_alphabetic() || first == '_';
        let is_identifier = name.starts_with(letters)
            && name
                .chars()
                .all(|letter| letter.is_alphanumeric() || letter == '_');
        assert!(
            is_identifier,
            "`{name}` cannot name a behaviour: it is no identifier"
        );
        let id = TypeId::of::<B>();
        let mut known = self.behaviour_names.iter();
        assert!(
            !known.any(|(other, taken)| taken == name && *other != id),
            "`{name}` names a second type of behaviours"
        );
        self.behaviour_names.insert(id, name.to_owned());
        self.changed()
    }

    /// Sets the former names of a registered message, newest first, like [`prefab_was`](Self::prefab_was).
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// let prefabs = Prefabs::new()
    ///     .message::<String>("chat")
    ///     .message_was("chat", &["say", "talk"]);
    /// ```
    ///
    /// # Panics
    ///
    /// When no message has the name, and when a former name is empty, given twice, or the name of a message.
    #[must_use]
    pub fn message_was(mut self, name: &str, former: &[&str]) -> Self {
        let kinds = self.messages.kinds.iter();
        let names = kinds.map(|kind| (&*kind.name, &kind.was));
        let former = accept(name, former, names, "message");
        let kinds = &mut self.messages.kinds;
        if let Some(kind) = kinds.iter_mut().find(|kind| &*kind.name == name) {
            kind.was = former;
        }
        self.changed()
    }
}

/// Refuses a present name that is a former name.
pub(super) fn assert_not_former<'a>(name: &str, all: impl Iterator<Item = &'a Vec<String>>) {
    for was in all {
        assert!(
            was.iter().all(|former| former != name),
            "`{name}` is registered as a former name"
        );
    }
}

/// Returns the former names of `name`, unless one of them is a name of `known`.
fn accept<'a>(
    name: &str,
    former: &[&str],
    known: impl Iterator<Item = (&'a str, &'a Vec<String>)>,
    kind: &str,
) -> Vec<String> {
    let known: Vec<_> = known.collect();
    assert!(
        known.iter().any(|(present, _)| *present == name),
        "no {kind} named `{name}` is registered: register it before its former names"
    );
    for (index, former_name) in former.iter().enumerate() {
        assert!(!former_name.is_empty(), "a former name is not empty");
        assert!(
            known.iter().all(|(present, _)| present != former_name),
            "`{former_name}` is the name of a registered {kind}: a former name belongs to no present {kind}"
        );
        let is_other = |(present, was): &(&str, &Vec<String>)| {
            *present != name && was.iter().any(|known| known == former_name)
        };
        assert!(
            !former[..index].contains(former_name) && !known.iter().any(is_other),
            "`{former_name}` is given twice as a former name: a former name belongs to one {kind}"
        );
    }
    former.iter().map(|former| (*former).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::Prefabs;

    fn prefabs() -> Prefabs {
        Prefabs::new()
            .message::<u8>("a")
            .message::<u16>("b")
            .message_was("a", &["c"])
    }

    #[test]
    fn former_names_are_kept_in_order() {
        let prefabs = prefabs().message_was("b", &["e", "d"]);
        let was: Vec<_> = { prefabs.messages.kinds.iter() }
            .map(|kind| &kind.was[..])
            .collect();
        assert_eq!(was, [&["c"][..], &["e", "d"]]);
    }

    #[test]
    #[should_panic(expected = "no message named `x` is registered")]
    fn name_must_be_registered() {
        let _ = prefabs().message_was("x", &["y"]);
    }

    #[test]
    #[should_panic(expected = "no prefab named `a` is registered")]
    fn prefabs_and_messages_have_names_apart() {
        let _ = prefabs().prefab_was("a", &["y"]);
    }

    #[test]
    #[should_panic(expected = "`a` is the name of a registered message")]
    fn former_name_is_no_present_name() {
        let _ = prefabs().message_was("b", &["a"]);
    }

    #[test]
    #[should_panic(expected = "`c` is given twice as a former name")]
    fn former_name_belongs_to_one_message() {
        let _ = prefabs().message_was("b", &["c"]);
    }

    #[test]
    #[should_panic(expected = "`d` is given twice as a former name")]
    fn former_name_is_given_once() {
        let _ = prefabs().message_was("b", &["d", "d"]);
    }

    #[test]
    #[should_panic(expected = "a former name is not empty")]
    fn former_name_is_not_empty() {
        let _ = prefabs().message_was("b", &[""]);
    }

    #[test]
    #[should_panic(expected = "`c` is registered as a former name")]
    fn present_name_is_no_former_name() {
        let _ = prefabs().message::<u32>("c");
    }
}
