//! The rules by which a vector may differ from the recording. DIFFERENCES.md has the reasons.

use std::fmt;

/// What a rule says of the vectors that it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    /// Ours differs on purpose, and the test checks what ours does instead.
    Different,
    /// Rust has no such value, or this library no such operation, and it needs none.
    NotApplicable,
}

macro_rules! rules {
    ($($rule:ident $name:literal $standing:ident,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Rule {
            $($rule,)*
        }

        impl Rule {
            pub(crate) const ALL: &[Self] = &[$(Self::$rule,)*];

            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$rule => $name,)*
                }
            }

            pub(crate) fn standing(self) -> Standing {
                match self {
                    $(Self::$rule => Standing::$standing,)*
                }
            }
        }
    };
}

rules! {
    UnknownDirtyBits "unknown-dirty-bits" Different,
    CollidingBits "colliding-bits" Different,
    FloatBits "float-bits" Different,
    NullIsEmpty "null-is-empty" Different,
    ComparedByContent "compared-by-content" Different,
    ReferencesAreIds "references-are-ids" Different,
    HooksAfterApply "hooks-after-apply" Different,
    HostHooks "host-hooks" Different,
    PlaneAndRay "plane-and-ray" Different,
    StrictBool "strict-bool" Different,
    StrictUtf8 "strict-utf8" Different,
    WidePrefix "wide-prefix" Different,
    ReaderEnds "reader-ends" Different,
    ChangesTravelOnce "changes-travel-once" Different,
    DeltasBeforeJoins "deltas-before-joins" Different,
    PoisonedObject "poisoned-object" Different,
    WholeMessages "whole-messages" Different,
    NoFlushDelay "no-flush-delay" Different,
    OwnerIsReplaced "owner-is-replaced" Different,
    RespawnReadsAll "respawn-reads-all" Different,
    SizeLimits "size-limits" Different,
    NotReadyIsKnown "not-ready-is-known" Different,
    ListChanges "list-changes" Different,
    ListOperations "list-operations" Different,
    TargetObserves "target-observes" Different,
    StrictCalls "strict-calls" Different,
    HostOwns "host-owns" Different,
    OwnerAgain "owner-again" Different,
    AnyPlayerNumber "any-player-number" Different,
    NullObject "null-object" NotApplicable,
    LoneSurrogate "lone-surrogate" NotApplicable,
    WideEnum "wide-enum" NotApplicable,
    SliceKnowsItsLength "slice-knows-its-length" NotApplicable,
    MessageStartToken "message-start-token" NotApplicable,
    OwnMemory "own-memory" NotApplicable,
    ReadyIsOneState "ready-is-one-state" NotApplicable,
    LocalPlayerAuthority "local-player-authority" NotApplicable,
    SchemaInsteadOfCrc "schema-instead-of-crc" NotApplicable,
    TransportQueues "transport-queues" NotApplicable,
    SideGuards "side-guards" NotApplicable,
    OtherSystems "other-systems" NotApplicable,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
