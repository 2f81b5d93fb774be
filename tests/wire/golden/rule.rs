//! The rules by which a vector may differ from the recording. DIFFERENCES.md has the reasons.

use syncvar_testing::golden::{Rule as _, Standing};

syncvar_testing::golden_rules! {
    include_str!("../../golden/DIFFERENCES.md");
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

#[test]
fn every_rule_has_a_reason_and_stands_in_its_section() {
    let headings = [
        (Standing::Different, "Deliberately different"),
        (Standing::NotApplicable, "Not applicable"),
    ];
    let mut explained = Vec::new();
    for (section, (standing, heading)) in Rule::PAGE.split("\n## ").skip(1).zip(headings) {
        assert!(section.starts_with(heading), "`{heading}` is a section");
        for entry in section.split("\n### ").skip(1) {
            let (name, text) = entry.split_once('\n').expect("text below the name");
            let rule = Rule::ALL.iter().find(|rule| rule.name() == name);
            let rule = rule.unwrap_or_else(|| panic!("`{name}` is no rule"));
            assert_eq!(rule.standing(), standing, "{name} is in the right section");
            assert!(!text.trim_start().starts_with('-'), "{name} has a reason");
            explained.push(*rule);
        }
    }
    assert_eq!(explained, Rule::ALL, "all rules, in order");
}
