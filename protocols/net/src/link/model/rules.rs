//! Rules that can be switched off alone.

/// A rule of the server or the client, by the error that it prevents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// At most one frame per tick.
    OneFrame,
    /// Reliable state is applied by tick.
    ReliableTicks,
    /// A backlog keeps fields only while they have not changed again.
    Refilter,
    /// Repairs hold fields that the client may read now.
    Rights,
    /// Fields in a snapshot are not repaired.
    Shown,
    /// Echoes go to connections with a flying original.
    EchoFlying,
    /// Fields are repaired after a frame has written them.
    FramedOnly,
    /// The barrier counts the packets of its own update.
    AfterEnd,
    /// Withheld changes are announced.
    Partial,
    /// A number is used again when all clients have handled its end.
    NoReuse,
    /// A datagram that arrives twice calls once.
    CallOnce,
    /// Early packets are applied again and marked when they are early no more.
    KeepEarly,
    /// Fields of an owner are not applied early.
    EarlyOwner,
    /// One large value of an object is under way at a time.
    OneLarge,
    /// The ticks of an owner's writes count from its permit on.
    PermitTicks,
    /// An acknowledgement after the loss takes fields out of the backlog.
    TakeBack,
}

/// Schedules that find each rule when it is off: their seeds and the violated properties.
pub(super) const FOUND_BY: [(Rule, u64, &str); 16] = [
    (Rule::OneFrame, 3, "P6"),
    (Rule::ReliableTicks, 13, "P2"),
    (Rule::Refilter, 5, "P3"),
    (Rule::Rights, 0, "P1"),
    (Rule::Shown, 0, "P3"),
    (Rule::EchoFlying, 57, "P3"),
    (Rule::FramedOnly, 36, "P6"),
    (Rule::AfterEnd, 0, "P6"),
    (Rule::Partial, 0, "P6"),
    (Rule::NoReuse, 84, "P0"),
    (Rule::CallOnce, 148, "P7"),
    (Rule::KeepEarly, 33, "P6"),
    (Rule::EarlyOwner, 1_553, "P2"),
    (Rule::OneLarge, 7, "P4"),
    (Rule::PermitTicks, 83, "P1"),
    (Rule::TakeBack, 1, "P3"),
];
