//! What can happen in a world.

use proptest::prelude::*;
use syncvar_testing::ViewChange;

/// Something that the game, a player or the network does. Numbers choose among what is there.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    SpawnPlayer {
        health: i32,
        hidden: bool,
    },
    SpawnVane,
    SpawnScoreboard,
    Despawn(usize),
    SetHealth(usize, i32),
    SetName(usize, String),
    SetDirtyBits(usize, u64),
    SetHeading(usize, f32),
    AddPoints(usize, u32),
    /// A text of so many thousand bytes; more than 32 have no form on the wire.
    SetText(usize, usize),
    View(ViewChange),
    Join,
    Garble(usize, Vec<u8>),
    Step,
}

pub(crate) fn action() -> impl Strategy<Value = Action> {
    use {Action as A, ViewChange as V};
    prop_oneof![
        2 => (any::<i32>(), any::<bool>()).prop_map(|(health, hidden)| A::SpawnPlayer { health, hidden }),
        1 => Just(A::SpawnVane),
        1 => Just(A::SpawnScoreboard),
        1 => any::<usize>().prop_map(A::Despawn),
        4 => (any::<usize>(), any::<i32>()).prop_map(|(o, v)| A::SetHealth(o, v)),
        2 => (any::<usize>(), "[a-zé]{0,9}").prop_map(|(o, v)| A::SetName(o, v)),
        1 => (any::<usize>(), any::<u64>()).prop_map(|(o, v)| A::SetDirtyBits(o, v)),
        2 => (any::<usize>(), any::<f32>()).prop_map(|(o, v)| A::SetHeading(o, v)),
        3 => (any::<usize>(), any::<u32>()).prop_map(|(o, v)| A::AddPoints(o, v)),
        1 => (any::<usize>(), prop_oneof![Just(1), Just(40)]).prop_map(|(o, v)| A::SetText(o, v)),
        2 => (any::<usize>(), any::<usize>()).prop_map(|(o, c)| A::View(V::Show(o, c))),
        2 => (any::<usize>(), any::<usize>()).prop_map(|(o, c)| A::View(V::Hide(o, c))),
        1 => any::<usize>().prop_map(|number| A::View(V::HideFromAll(number))),
        1 => any::<usize>().prop_map(|number| A::View(V::ShowToAll(number))),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(o, c)| A::View(V::SetOwner(o, c))),
        1 => Just(A::Join),
        1 => any::<usize>().prop_map(|number| A::View(V::Leave(number))),
        1 => any::<usize>().prop_map(|number| A::View(V::NotReady(number))),
        1 => any::<usize>().prop_map(|number| A::View(V::Ready(number))),
        1 => (any::<usize>(), prop::option::of(0..80_usize)).prop_map(|(c, b)| A::View(V::SetBudget(c, b))),
        1 => (any::<usize>(), any::<f32>()).prop_map(|(o, p)| A::View(V::SetPriority(o, p))),
        1 => (any::<usize>(), prop::collection::vec(any::<u8>(), 1..12)).prop_map(|(c, b)| A::Garble(c, b)),
        6 => Just(A::Step),
    ]
}
