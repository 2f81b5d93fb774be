//! What can happen.

use proptest::prelude::*;

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Step,
    /// Time passes and so many packets arrive at one client.
    Down(usize, usize),
    Up(usize, usize),
    /// The server writes to fields, a bit each.
    Write(usize, u16),
    /// A client writes.
    OwnerWrite(usize, usize, u16),
    SetOwner(usize, Option<usize>),
    Show(usize, usize, bool),
    Join,
    Leave(usize),
    NotReady(usize),
    Ready(usize),
    Limit(usize, Option<usize>),
    /// The transport holds the state for a slow reader, or no longer.
    Hold(usize, bool),
    Spawn(u8, Option<usize>),
    Despawn(usize),
    /// The server calls.
    Call(usize, usize, u8),
    /// A client calls.
    Command(usize, usize, bool),
    Parent(usize, usize),
    Target(usize, usize),
    Move(usize, i8),
    Watch(usize, i8),
    Restore(usize, usize),
    /// An object gets another group, or none.
    Group(usize, Option<u64>),
    /// A client joins a group, or leaves it.
    Member(usize, u64, bool),
    /// Something made up comes from the client that lies.
    Lie(u8, usize, Vec<u8>),
    /// One of its packets comes once more, with a byte changed.
    Twist(usize, u8),
}

pub(crate) fn action() -> impl Strategy<Value = Action> {
    use Action as A;
    let (client, object) = (0_usize..5, 0_usize..4);
    let (c, o) = (client, object);
    let some = proptest::option::weighted(0.8, c.clone());
    prop_oneof![
        6 => Just(A::Step),
        3 => (c.clone(), 1_usize..4).prop_map(|(c, n)| A::Down(c, n)),
        3 => (c.clone(), 1_usize..4).prop_map(|(c, n)| A::Up(c, n)),
        6 => (o.clone(), any::<u16>()).prop_map(|(o, f)| A::Write(o, f)),
        6 => (c.clone(), o.clone(), any::<u16>()).prop_map(|(c, o, f)| A::OwnerWrite(c, o, f)),
        4 => (o.clone(), some.clone()).prop_map(|(o, c)| A::SetOwner(o, c)),
        2 => (o.clone(), c.clone(), any::<bool>()).prop_map(|(o, c, v)| A::Show(o, c, v)),
        1 => Just(A::Join),
        1 => c.clone().prop_map(A::Leave),
        1 => c.clone().prop_map(A::NotReady),
        1 => c.clone().prop_map(A::Ready),
        1 => (c.clone(), proptest::option::of(10_usize..200)).prop_map(|(c, b)| A::Limit(c, b)),
        1 => (0_u8..4, some).prop_map(|(r, c)| A::Spawn(r, c)),
        1 => o.clone().prop_map(A::Despawn),
        5 => (o.clone(), c.clone(), any::<u8>()).prop_map(|(o, c, k)| A::Call(o, c, k)),
        5 => (c.clone(), o.clone(), any::<bool>()).prop_map(|(c, o, k)| A::Command(c, o, k)),
        1 => (o.clone(), o.clone()).prop_map(|(a, b)| A::Parent(a, b)),
        1 => (o.clone(), o.clone()).prop_map(|(a, b)| A::Target(a, b)),
        1 => (o.clone(), any::<i8>()).prop_map(|(o, p)| A::Move(o, p)),
        1 => (c.clone(), any::<i8>()).prop_map(|(c, p)| A::Watch(c, p)),
        1 => (o.clone(), c.clone()).prop_map(|(o, c)| A::Restore(o, c)),
        3 => (o.clone(), proptest::option::weighted(0.8, 0_u64..2))
            .prop_map(|(o, t)| A::Group(o, t)),
        4 => (c, 0_u64..2, prop::bool::weighted(0.6)).prop_map(|(c, t, m)| A::Member(c, t, m)),
        3 => (any::<u8>(), o, proptest::collection::vec(any::<u8>(), 0..24))
            .prop_map(|(k, o, b)| A::Lie(k, o, b)),
        2 => (any::<usize>(), any::<u8>()).prop_map(|(p, x)| A::Twist(p, x)),
        2 => (0_usize..5, prop::bool::weighted(0.6)).prop_map(|(c, h)| A::Hold(c, h)),
    ]
}
