//! The classes of the recordings, as a user of this library writes them.

pub(crate) mod calls;
pub(crate) mod collections;
pub(crate) mod game;
mod generic;
pub(crate) mod hooks;
pub(crate) mod inheritance;
mod many;
pub(crate) mod plain;
mod references;
pub(crate) mod special;
pub(crate) mod structs;

use super::subject::Class;

/// Every class, by the name that it has in the recordings.
static CLASSES: &[Class] = &[
    Class::of::<plain::DocData>("DocData"),
    Class::of::<plain::PrimVars>("PrimVars"),
    Class::of::<plain::UnityVars>("UnityVars"),
    Class::of::<plain::EnumVars>("EnumVars"),
    Class::of::<plain::NullableVars>("NullableVars"),
    Class::of::<plain::PerfVars>("PerfVars"),
    Class::of::<plain::OrderVars>("OrderVars"),
    Class::of::<plain::EmptyNB>("EmptyNB"),
    Class::of::<plain::OneText>("OneText"),
    Class::of::<many::Max64>("Max64"),
    Class::of::<structs::StructVars>("StructVars"),
    Class::of::<structs::CollVars>("CollVars"),
    Class::of::<structs::MoneyVars>("MoneyVars"),
    Class::of::<hooks::HookVars>("HookVars"),
    Class::of::<hooks::HookVarsChild>("HookVarsChild"),
    Class::of::<hooks::HookWrites>("HookWrites"),
    Class::of::<inheritance::InhBase>("InhBase"),
    Class::of::<inheritance::InhMidEmpty>("InhMidEmpty"),
    Class::of::<inheritance::InhMid>("InhMid"),
    Class::of::<inheritance::InhLeaf>("InhLeaf"),
    Class::of::<inheritance::InhSibling>("InhSibling"),
    Class::of::<inheritance::CrossLeaf>("CrossLeaf"),
    Class::of::<generic::GenLeaf>("GenLeaf"),
    Class::of::<collections::SyncObjs>("SyncObjs"),
    Class::of::<collections::OneListInt>("OneListInt"),
    Class::of::<collections::OneListString>("OneListString"),
    Class::of::<collections::OneListItem>("OneListItem"),
    Class::of::<collections::OneListVec>("OneListVec"),
    Class::of::<collections::OneListULong>("OneListULong"),
    Class::of::<collections::OneDict>("OneDict"),
    Class::of::<collections::OneDictStructVal>("OneDictStructVal"),
    Class::of::<collections::OneHashSet>("OneHashSet"),
    Class::of::<collections::OneSortedSet>("OneSortedSet"),
    Class::of::<special::CustomSer>("CustomSer"),
    Class::of::<special::CustomSerNoBase>("CustomSerNoBase"),
    Class::of::<references::RefVars>("RefVars"),
    Class::of::<calls::Health>("Game.Net.Health"),
    Class::of::<calls::Inner>("Game.Net.Health+Inner"),
    Class::of::<calls::Rpcs>("Rpcs"),
    Class::of::<calls::RpcBase>("RpcBase"),
    Class::of::<calls::RpcChild>("RpcChild"),
    Class::of::<game::Player>("Player"),
    Class::of::<game::Wallet>("Wallet"),
    Class::of::<game::Aim>("Aim"),
    Class::of::<game::Monster>("Monster"),
    Class::of::<game::Door>("Door"),
];

/// The class that the recordings call so.
pub(crate) fn find(name: &str) -> Option<&'static Class> {
    CLASSES.iter().find(|class| class.name == name)
}

/// The class of a collection of this type alone, as the random recordings name them.
pub(crate) fn of_collection(kind: &str) -> Option<&'static Class> {
    let mut ones = CLASSES.iter().filter(|class| class.name.starts_with("One"));
    ones.find(|class| class.reach.new_subject().members()[0].1.kind() == kind)
}
