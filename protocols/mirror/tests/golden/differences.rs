//! The rules by which a vector of Mirror is not one of ours. `DIFFERENCES.md` has a section for each rule, with the reason, and
//! under it one line for each file and group of vectors that the rule covers, with their number.

syncvar_testing::golden_rules! {
    include_str!("DIFFERENCES.md");
    /// A type of Unity without a counterpart here.
    NoSuchType "NoSuchType" NotApplicable,
    /// A value that Rust's type cannot hold.
    NoSuchValue "NoSuchValue" NotApplicable,
    /// A write to a member of a struct or an element of an array is always sent.
    NoUnnoticedWrites "NoUnnoticedWrites" NotApplicable,
    /// Floats compare by their bits.
    ComparesByBits "ComparesByBits" Different,
    /// The content of a full state is not sent as a change after the full state.
    NothingTwice "NothingTwice" Different,
    /// Apply, then notify.
    NotifiedAfterwards "NotifiedAfterwards" Different,
    /// A collection's hook runs on clients only.
    HookOnServer "HookOnServer" NotApplicable,
    /// A reference is the number of an object, present or not.
    ReferencesAreIds "ReferencesAreIds" Different,
    /// The recorder has not written the sent bytes.
    NotRecorded "NotRecorded" NotApplicable,
    /// Mirror's host mode.
    HostMode "HostMode" NotApplicable,
    /// A baseline that is due between two sends goes with the next send.
    BaselinesOnTime "BaselinesOnTime" Different,
    /// A client that joins before the first baseline of an object makes the baseline due at once.
    FirstBaseline "FirstBaseline" Different,
    /// A reading error is an error at once, and nothing of the component is applied.
    StrictReading "StrictReading" Different,
    /// C# methods that override one another.
    Virtual "Virtual" NotApplicable,
}
