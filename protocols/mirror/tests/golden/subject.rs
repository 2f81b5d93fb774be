//! Behaviours of the recordings, their types erased.

use std::any::Any;

use serde_json::{Map, Value};
use syncvar::mirror::{MirrorClient, MirrorServer};
use syncvar::{NetId, NetworkBehaviour, behaviour::BehaviourList};

use super::json::Json;
use super::member::Member;
use syncvar_testing::golden::same;

/// A behaviour whose fields are known by the names that they have in C#.
///
/// `snake_case` and `camelCase` are the same here: see [`folded`].
pub(crate) trait Subject: Any + Send + Sync {
    /// Every field, those of a base first, in the order of the struct.
    fn members(&self) -> Vec<(&'static str, &dyn Member)>;
    fn members_mut(&mut self) -> Vec<(&'static str, &mut dyn Member)>;
}

/// A name without what only spelling adds.
fn folded(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let letters = name.chars().filter(|letter| *letter != '_');
    letters.flat_map(char::to_lowercase).collect()
}

impl dyn Subject {
    /// The field of this name.
    pub(crate) fn member(&mut self, name: &str) -> &mut dyn Member {
        let wanted = folded(name);
        let mut members = self.members_mut().into_iter();
        let found = members.find(|(name, _)| folded(name) == wanted);
        found.unwrap_or_else(|| panic!("no field `{name}`")).1
    }

    /// The value of the field of this name, if there is one.
    pub(crate) fn member_json(&self, name: &str) -> Option<Value> {
        let mut members = self.members().into_iter();
        let (_, member) = members.find(|(known, _)| *known == name)?;
        Some(member.shown())
    }

    /// The collection with this index, as Mirror counts them.
    pub(crate) fn collection(&mut self, index: usize) -> &mut dyn Member {
        let members = self.members_mut().into_iter().map(|(_, member)| member);
        let mut collections = members.filter(|member| member.is_collection());
        collections
            .nth(index)
            .expect("a collection with this index")
    }

    /// Sets fields, as recorded: a list of pairs. `false` where one of them is the same in C# only.
    pub(crate) fn set_all(&mut self, fields: &Value) -> bool {
        let mut all = true;
        for field in fields.list() {
            let [name, value] = field.list() else {
                panic!("a name and a value, not {}", field.brief());
            };
            all &= self.member(name.text()).set(value);
        }
        all
    }

    /// One recorded operation, on a collection that it names by name or index.
    pub(crate) fn operate(&mut self, operation: &Value) -> bool {
        let name = operation.get("do").or_else(|| operation.get("op"));
        let name = name.expect("what is done").text();
        let arguments = operation.get("args").map(Json::list).unwrap_or_default();
        let which = operation
            .get("object")
            .or_else(|| operation.get("object_index"));
        let collection = match which {
            Some(Value::String(name)) => self.member(name),
            Some(index) => self.collection(index.number()),
            None => self.collection(0),
        };
        collection.operate(name, arguments)
    }

    /// Compares the variables with recorded ones: an object.
    pub(crate) fn same_values(&self, recorded: &Value) -> Result<(), String> {
        let recorded = recorded.as_object().expect("values by name");
        let members = self.members().into_iter();
        let members = members.filter(|(_, member)| !member.is_collection());
        same_members(&members.collect::<Vec<_>>(), recorded)
    }

    /// Compares the contents of the collections with recorded ones: an object.
    pub(crate) fn same_contents(&self, recorded: &Value) -> Result<(), String> {
        let recorded = recorded.as_object().expect("contents by name");
        let members = self.members().into_iter();
        let members = members.filter(|(_, member)| member.is_collection());
        same_members(&members.collect::<Vec<_>>(), recorded)
    }

    /// The contents of the collections, compared with recorded ones: a list.
    pub(crate) fn same_content_list(&self, recorded: &Value) -> Result<(), String> {
        let members = self.members().into_iter();
        let collections: Vec<_> = members
            .filter(|(_, member)| member.is_collection())
            .collect();
        let recorded = recorded.list();
        same(
            "the number of collections",
            &collections.len(),
            &recorded.len(),
        )?;
        for ((name, member), value) in collections.into_iter().zip(recorded) {
            same(name, &member.shown(), &member.canonical(value))?;
        }
        Ok(())
    }
}

fn same_members(
    members: &[(&'static str, &dyn Member)],
    recorded: &Map<String, Value>,
) -> Result<(), String> {
    same("the number of fields", &members.len(), &recorded.len())?;
    for (name, value) in recorded {
        let wanted = folded(name);
        let mut found = members.iter();
        let found = found.find(|(name, _)| folded(name) == wanted);
        let (_, member) = found.ok_or_else(|| format!("no field `{name}`"))?;
        same(name, &member.shown(), &member.canonical(value))?;
    }
    Ok(())
}

/// A class that the recordings know by name.
#[derive(Clone, Copy)]
pub(crate) struct Class {
    /// As the recordings call it.
    pub(crate) name: &'static str,
    /// A list with a new one of it at its end.
    pub(crate) append: fn(BehaviourList) -> BehaviourList,
    pub(crate) as_subject: fn(&dyn Any) -> Option<&dyn Subject>,
    pub(crate) as_subject_mut: fn(&mut dyn Any) -> Option<&mut dyn Subject>,
    pub(crate) reach: &'static dyn Reach,
}

/// How a component of this class is reached on a server or a client.
pub(crate) trait Reach: Sync {
    fn new_subject(&self) -> Box<dyn Subject>;

    /// Does something to it through the guard that notices changes. `false` if it is not there.
    fn on_server(
        &self,
        server: &mut MirrorServer,
        at: (NetId, usize),
        action: &mut dyn FnMut(&mut dyn Subject),
    ) -> bool;

    /// The same on a client.
    fn on_client(
        &self,
        client: &mut MirrorClient,
        at: (NetId, usize),
        action: &mut dyn FnMut(&mut dyn Subject),
    ) -> bool;
}

struct Typed<B>(std::marker::PhantomData<fn() -> B>);

impl<B: Subject + NetworkBehaviour + Default> Reach for Typed<B> {
    fn new_subject(&self) -> Box<dyn Subject> {
        Box::<B>::default()
    }

    fn on_server(
        &self,
        server: &mut MirrorServer,
        (id, index): (NetId, usize),
        action: &mut dyn FnMut(&mut dyn Subject),
    ) -> bool {
        let guard = server.get_mut_at::<B>(id, index);
        guard.map(|mut behaviour| action(&mut *behaviour)).is_ok()
    }

    fn on_client(
        &self,
        client: &mut MirrorClient,
        (id, index): (NetId, usize),
        action: &mut dyn FnMut(&mut dyn Subject),
    ) -> bool {
        let guard = client.get_mut_at::<B>(id, index);
        guard.map(|mut behaviour| action(&mut *behaviour)).is_ok()
    }
}

impl Class {
    pub(crate) const fn of<B: Subject + NetworkBehaviour + Default>(name: &'static str) -> Self {
        Self {
            name,
            append: |list| list.with(B::default()),
            as_subject: |any| {
                any.downcast_ref::<B>()
                    .map(|subject| subject as &dyn Subject)
            },
            as_subject_mut: |any| {
                any.downcast_mut::<B>()
                    .map(|subject| subject as &mut dyn Subject)
            },
            reach: &Typed::<B>(std::marker::PhantomData),
        }
    }
}

/// Names the fields of classes: those of a base, then their own.
macro_rules! subjects {
    ($($class:ident $(: $base:ident)? [$($field:ident)*];)*) => {$(
        impl $crate::golden::subject::Subject for $class {
            fn members(&self) -> Vec<(&'static str, &dyn $crate::golden::member::Member)> {
                let inherited: [Vec<_>; _] =
                    [$($crate::golden::subject::Subject::members(&self.$base)),*];
                let own = [$((
                    stringify!($field),
                    &self.$field as &dyn $crate::golden::member::Member,
                )),*];
                inherited.into_iter().flatten().chain(own).collect()
            }

            fn members_mut(
                &mut self,
            ) -> Vec<(&'static str, &mut dyn $crate::golden::member::Member)> {
                let inherited: [Vec<_>; _] =
                    [$($crate::golden::subject::Subject::members_mut(&mut self.$base)),*];
                let own = [$((
                    stringify!($field),
                    &mut self.$field as &mut dyn $crate::golden::member::Member,
                )),*];
                inherited.into_iter().flatten().chain(own).collect()
            }
        }
    )*};
}
pub(crate) use subjects;
