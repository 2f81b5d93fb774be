//! Random steps.

use proptest::prelude::*;

/// Something that happens; numbers choose among what there is.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Frame,
    /// A frame in no time.
    Again,
    Connect(bool),
    AddPlayer(usize),
    Leave(usize),
    SendOff(usize),
    NotReady(usize),
    Ready(usize),
    Spawn {
        owner: Option<usize>,
        calls: bool,
    },
    Despawn(usize),
    Health(usize, i32),
    Effect(usize, usize, i32),
    EffectGone(usize, usize),
    EffectsGone(usize),
    /// Another collection with so many elements takes the place of one of four.
    Replaced(usize, u8, i32),
    Tag(usize, i32, bool),
    Name(usize, i32, bool),
    Friend(usize, usize),
    Secret(usize),
    Item(usize, i32),
    ItemGone(usize),
    SetDirty(usize, usize),
    /// What the server writes to what an owner is to write.
    Prepare(usize, i32),
    Grip(usize, i32),
    Held(usize, i32),
    Diary(usize, i32),
    Own(usize, Option<usize>),
    Take(usize, usize),
    End(usize, usize, u8),
    Hide(usize, usize),
    Show(usize, usize),
    Restore(usize, usize),
    /// The owner is hidden its object, and shown it at once.
    ShownAgain(usize),
    Visibility(usize, u8),
    Move(usize, i8),
    Watch(usize, i8),
}

/// Any of them.
pub(crate) fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => any_time(),
        12 => any_write(),
        6 => any_view(),
        6 => any_owner(),
    ]
}

fn any_time() -> impl Strategy<Value = Step> {
    let who = || 0..6_usize;
    prop_oneof![
        12 => Just(Step::Frame),
        1 => Just(Step::Again),
        2 => any::<bool>().prop_map(Step::Connect),
        2 => who().prop_map(Step::AddPlayer),
        1 => who().prop_map(Step::Leave),
        1 => who().prop_map(Step::SendOff),
        1 => who().prop_map(Step::NotReady),
        2 => who().prop_map(Step::Ready),
    ]
}

fn any_write() -> impl Strategy<Value = Step> {
    let (at, to) = (|| 0..12_usize, || 0..4_usize);
    let value = any::<i32>;
    prop_oneof![
        3 => (at(), value()).prop_map(|(at, it)| Step::Health(at, it)),
        3 => (at(), to(), value()).prop_map(|(at, to, it)| Step::Effect(at, to, it)),
        2 => (at(), to()).prop_map(|(at, to)| Step::EffectGone(at, to)),
        1 => at().prop_map(Step::EffectsGone),
        2 => (at(), 0..4_u8, 0..3).prop_map(|(at, which, length)| Step::Replaced(at, which, length)),
        2 => (at(), 0..4, any::<bool>()).prop_map(|(at, tag, set)| Step::Tag(at, tag, set)),
        2 => (at(), 0..4, any::<bool>()).prop_map(|(at, key, set)| Step::Name(at, key, set)),
        1 => (at(), at()).prop_map(|(at, to)| Step::Friend(at, to)),
        2 => at().prop_map(Step::Secret),
        3 => (at(), value()).prop_map(|(at, it)| Step::Item(at, it)),
        2 => at().prop_map(Step::ItemGone),
        1 => (at(), to()).prop_map(|(at, to)| Step::SetDirty(at, to)),
        1 => (at(), value()).prop_map(|(at, it)| Step::Prepare(at, it)),
        3 => (at(), value()).prop_map(|(at, it)| Step::Grip(at, it)),
        3 => (at(), value()).prop_map(|(at, it)| Step::Held(at, it)),
        2 => (at(), value()).prop_map(|(at, it)| Step::Diary(at, it)),
    ]
}

fn any_view() -> impl Strategy<Value = Step> {
    let (at, who) = (|| 0..12_usize, || 0..6_usize);
    prop_oneof![
        2 => (at(), who()).prop_map(|(at, who)| Step::Hide(at, who)),
        1 => (at(), who()).prop_map(|(at, who)| Step::Show(at, who)),
        2 => (at(), who()).prop_map(|(at, who)| Step::Restore(at, who)),
        2 => at().prop_map(Step::ShownAgain),
        1 => (at(), 0..3_u8).prop_map(|(at, it)| Step::Visibility(at, it)),
        2 => (at(), -2..2_i8).prop_map(|(at, x)| Step::Move(at, x)),
        2 => (who(), -2..2_i8).prop_map(|(who, x)| Step::Watch(who, x)),
    ]
}

fn any_owner() -> impl Strategy<Value = Step> {
    let (at, who) = (|| 0..12_usize, || 0..6_usize);
    let owner = || prop::option::of(who());
    prop_oneof![
        2 => (owner(), any::<bool>()).prop_map(|(owner, calls)| Step::Spawn { owner, calls }),
        1 => at().prop_map(Step::Despawn),
        4 => (at(), owner()).prop_map(|(at, owner)| Step::Own(at, owner)),
        2 => (at(), who()).prop_map(|(at, who)| Step::Take(at, who)),
        1 => (at(), who(), 0..4_u8).prop_map(|(at, who, what)| Step::End(at, who, what)),
    ]
}
