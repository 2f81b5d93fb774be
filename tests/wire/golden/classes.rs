//! The classes of the recordings that are known by name, as a user of this library writes them.

pub(crate) mod calls;
mod hooks;
mod inheritance;
mod lists;
mod plain;
mod settings;
mod structs;

pub(crate) use structs::Buf;

use super::cell::Cell;
use super::subject::{Cells, Reach, Subject, reach};

/// Names the fields of classes: those of a base, then their own.
macro_rules! cells {
    ($($class:ident $(: $base:ident)? [$($field:ident)*] $($log:ident)?;)*) => {$(
        impl Cells for $class {
            fn cells(&self) -> Vec<(&str, &dyn Cell)> {
                let inherited: [Vec<_>; _] = [$(Cells::cells(&self.$base)),*];
                let own = [$((stringify!($field), &self.$field as &dyn Cell)),*];
                inherited.into_iter().flatten().chain(own).collect()
            }

            fn cells_mut(&mut self) -> Vec<(&str, &mut dyn Cell)> {
                let inherited: [Vec<_>; _] = [$(Cells::cells_mut(&mut self.$base)),*];
                let own = [$((stringify!($field), &mut self.$field as &mut dyn Cell)),*];
                inherited.into_iter().flatten().chain(own).collect()
            }

            $(fn take_hook_log(&mut self) -> Vec<String> {
                std::mem::take(&mut self.$log)
            })?
        }
    )*};
}
use cells;

/// A class known by name.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub(crate) make: fn() -> Box<dyn Subject>,
    pub(crate) reach: &'static dyn Reach,
}

fn known<B: Cells + Default>() -> Known {
    Known {
        make: || Box::new(B::default()),
        reach: reach::<B>(),
    }
}

/// The class that the recordings call so.
pub(crate) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "data" => known::<plain::Data>(),
        "AllPrims" => known::<plain::AllPrims>(),
        "EnumKinds" => known::<plain::EnumKinds>(),
        "Vectors" => known::<plain::Vectors>(),
        "Refs" => known::<plain::Refs>(),
        "Two" => known::<plain::Two>(),
        "Three" => known::<plain::Three>(),
        "BigStr" => known::<plain::BigStr>(),
        "Calls" => known::<calls::Calls>(),
        "Vars31" => known::<plain::Vars31>(),
        "StructVar" => known::<structs::StructVar>(),
        "RichVar" => known::<structs::RichVar>(),
        "ClassVar" => known::<structs::ClassVar>(),
        "SyncListsOnly" => known::<lists::SyncListsOnly>(),
        "ListsAndVars" => known::<lists::ListsAndVars>(),
        "ListOnChannel1" => known::<lists::ListOnChannel1>(),
        "InhListBase" => known::<lists::InhListBase>(),
        "InhListDerived" => known::<lists::InhListDerived>(),
        "HookVar" => known::<hooks::HookVar>(),
        "HookChain" => known::<hooks::HookChain>(),
        "InhA" => known::<inheritance::InhA>(),
        "InhB" => known::<inheritance::InhB>(),
        "InhC" => known::<inheritance::InhC>(),
        "InhMid" => known::<inheritance::InhMid>(),
        "InhLeaf" => known::<inheritance::InhLeaf>(),
        "EmptyBeh" => known::<inheritance::EmptyBeh>(),
        "FromEmpty" => known::<inheritance::FromEmpty>(),
        "FromManual" => known::<inheritance::FromManual>(),
        "DefaultSer" => known::<inheritance::DefaultSer>(),
        "One" => known::<settings::One>(),
        "OnCh1" => known::<settings::OnCh1>(),
        "OnCh2Slow" => known::<settings::OnCh2Slow>(),
        "Slow" => known::<settings::Slow>(),
        "Instant" => known::<settings::Instant>(),
        _ => return None,
    })
}
