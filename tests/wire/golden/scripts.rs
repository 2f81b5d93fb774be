//! What stands in `messages.json` only as prose, as commands; and what ours does instead where it
//! differs by a rule.

use super::rule::Rule;

pub(crate) struct Script {
    pub(crate) scenario: &'static str,
    /// How many of the channels the server has.
    pub(crate) channel_count: usize,
    /// What was done before the first step.
    pub(crate) setup: &'static str,
    /// One for each step that is not recorded with all its circumstances.
    pub(crate) steps: &'static [(&'static str, Expect)],
}

/// What ours must send in a step.
#[derive(Clone, Copy)]
pub(crate) enum Expect {
    /// What was recorded. If other fields are dirty, by a rule about dirty bits, the update of those.
    Recorded,
    /// Nothing: what was recorded is compared in another step.
    Nothing(Rule),
    /// Nothing: what was recorded are updates of what ours has sent already.
    NotAgain(Rule),
    /// These messages: connection, channel, bytes.
    Instead(Rule, &'static [(u32, u8, &'static str)]),
    /// These messages, then the recorded ones.
    Before(Rule, &'static [(u32, u8, &'static str)]),
    /// What was recorded in so many steps from the next on, without messages of the user.
    Sooner(Rule, usize),
    /// One update of this object, where UNet sends it in pieces or not at all.
    WholeUpdate(Rule, u32),
    /// One spawn of this object, likewise.
    WholeSpawn(Rule, u32),
    /// The step cannot be done.
    Skipped(Rule),
}

use Expect::{
    Before, Instead, NotAgain, Nothing, Recorded, Skipped, Sooner, WholeSpawn, WholeUpdate,
};

pub(crate) fn find(scenario: &str) -> Option<&'static Script> {
    SCRIPTS
        .iter()
        .find(|script| scenario.starts_with(script.scenario))
}

const ALL: usize = usize::MAX;

const SCRIPTS: &[Script] = &[
    Script {
        scenario: "dirty bit without variable",
        channel_count: ALL,
        setup: "connect 1; ready 1; spawn 1 1 One Three; update",
        steps: &[
            ("set 1 0.SetDirtyBit 16; update", Recorded),
            ("update", Recorded),
            ("update", Recorded),
            (r#"set 1 1.f {"bits": "41100000"}; update"#, Recorded),
        ],
    },
    Script {
        scenario: "no observers",
        channel_count: ALL,
        setup: "spawn 1 1 One; update",
        steps: &[("set 1 0.v 6; update", Recorded)],
    },
    Script {
        scenario: "behaviour on channel 2 while only channels 0 and 1 are configured",
        channel_count: 2,
        setup: "connect 1; ready 1; spawn 1 1 One OnCh2Slow; update",
        steps: &[
            ("set 1 1.v 7; update", Recorded),
            ("set 1 0.v 8; update", Recorded),
        ],
    },
    Script {
        scenario: "variables changed before Spawn",
        channel_count: ALL,
        setup: "connect 1; ready 1; update",
        steps: &[
            (
                "spawn 1 1 One Two; set 1 0.v 77; set 1 1.k 9; update",
                Before(Rule::ChangesTravelOnce, &[]),
            ),
            ("update", NotAgain(Rule::ChangesTravelOnce)),
        ],
    },
    Script {
        scenario: "observers and ready",
        channel_count: ALL,
        setup: "connect 1; connect 2; connect 3; ready 1; ready 2; spawn 1 1 One; update",
        steps: &[
            ("set 1 0.v 1; update", Recorded),
            (
                "set 1 0.v 2; ready 3; update",
                Before(
                    Rule::DeltasBeforeJoins,
                    &[(1, 0, "03000800010102"), (2, 0, "03000800010102")],
                ),
            ),
            ("update", NotAgain(Rule::DeltasBeforeJoins)),
            ("not-ready 2", Recorded),
            ("set 1 0.v 3; update", Recorded),
            ("", Skipped(Rule::ReadyIsOneState)),
            ("", Skipped(Rule::ReadyIsOneState)),
        ],
    },
    Script {
        scenario: "One (0.1 s) and Slow (0.5 s) on channel 0",
        channel_count: ALL,
        setup: "connect 1; ready 1; spawn 1 1 One Slow; update 0",
        steps: &[],
    },
    Script {
        scenario: "sendInterval = 0",
        channel_count: ALL,
        setup: "connect 1; ready 1; spawn 1 1 Instant; update 0",
        steps: &[],
    },
    Script {
        scenario: "spawn, destroy, hide",
        channel_count: ALL,
        setup: "connect 1; ready 1; update",
        steps: &[
            ("spawn-hidden 10 1 One; update", Recorded),
            ("spawn 20 0 One; update", Recorded),
            ("spawn-scene 21 12 One Two at 4 5 6; update", Recorded),
            ("spawn-scene 22 300; update", Recorded),
            (
                "spawn 23 1 One; update; forget; despawn 23; update",
                Recorded,
            ),
            (
                "spawn 24 1 One; update; forget; despawn 24; update",
                Recorded,
            ),
            ("spawn 25 1 One; update", Recorded),
            (
                "spawn 400 1 One; update; forget; hide 400 1; update",
                Recorded,
            ),
            ("show 400 1; update", Recorded),
        ],
    },
    Script {
        scenario: "late joiner",
        channel_count: ALL,
        setup: "connect 1",
        steps: &[
            (
                "spawn 1 1 One; spawn 2 2 Two; spawn-hidden 3 1 One; spawn-hidden 4 1 One; update",
                Recorded,
            ),
            ("ready 1; update", Recorded),
            ("ready 1; update", Recorded),
        ],
    },
    Script {
        scenario: "players and Owner",
        channel_count: ALL,
        setup: "connect 1; connect 2",
        steps: &[
            (
                "ready 1; update; spawn 1 1 One; player 1 0 1; update",
                Recorded,
            ),
            (
                "ready 2; update; forget; spawn 2 1 One; player 2 0 2; update",
                Recorded,
            ),
            ("spawn 3 1 One; player 2 5 3; update", Recorded),
            ("spawn 500 1 One; player 1 0 500; update", Recorded),
            ("", Skipped(Rule::AnyPlayerNumber)),
            ("despawn 2; despawn 3; update", Recorded),
        ],
    },
    Script {
        scenario: "client authority",
        channel_count: ALL,
        setup: "connect 1; ready 1; connect 2; ready 2; spawn 1 1 One; update",
        steps: &[
            ("own 1 1", Recorded),
            (
                "own 1 2",
                Instead(
                    Rule::OwnerIsReplaced,
                    &[(1, 0, "02000f000100"), (2, 0, "02000f000101")],
                ),
            ),
            ("own 1 1; forget; disown 1", Recorded),
            ("spawn 2 1 One; own 2 2; update", Recorded),
            ("", Skipped(Rule::LocalPlayerAuthority)),
        ],
    },
    Script {
        scenario: "CRC message",
        channel_count: ALL,
        setup: "",
        steps: &[("", Skipped(Rule::SchemaInsteadOfCrc)); 2],
    },
    Script {
        scenario: "aggregation, maxDelay 0.1",
        channel_count: ALL,
        setup: "connect 1",
        steps: &[
            ("ready 1; update", Recorded),
            (
                "spawn 1 1 One OnCh1; update; set 1 0.v 9; set 1 1.v 8; update",
                Sooner(Rule::NoFlushDelay, 2),
            ),
            ("update", Nothing(Rule::NoFlushDelay)),
            ("update", Nothing(Rule::NoFlushDelay)),
            ("", Skipped(Rule::NoFlushDelay)),
            ("", Skipped(Rule::NoFlushDelay)),
            ("", Skipped(Rule::NoFlushDelay)),
        ],
    },
    Script {
        scenario: "packet size, fragmentation, limits",
        channel_count: ALL,
        setup: "",
        steps: &[("", Skipped(Rule::TransportQueues)); 18],
    },
    Script {
        scenario: "no buffering",
        channel_count: ALL,
        setup: "",
        steps: &[("", Skipped(Rule::TransportQueues))],
    },
    Script {
        scenario: "reliable back-pressure",
        channel_count: ALL,
        setup: "",
        steps: &[("", Skipped(Rule::TransportQueues)); 3],
    },
    Script {
        scenario: "retry order",
        channel_count: ALL,
        setup: "",
        steps: &[("", Skipped(Rule::TransportQueues)); 3],
    },
    Script {
        scenario: "large object messages",
        channel_count: ALL,
        setup: "connect 1; ready 1; spawn 1 1 BigStr; update",
        steps: &[
            (
                r#"set 1 0.s {"repeat": "s", "n": 1500}; update"#,
                WholeUpdate(Rule::WholeMessages, 1),
            ),
            (
                r#"set 1 0.s {"repeat": "s", "n": 20000}; set 1 0.t {"repeat": "t", "n": 12000}; update"#,
                WholeUpdate(Rule::WholeMessages, 1),
            ),
            (
                r#"set 1 0.SetDirtyBit 1; set 1 0.t {"repeat": "t", "n": 12800}; update"#,
                WholeUpdate(Rule::SizeLimits, 1),
            ),
            (
                r#"spawn 2 1 BigStr; set 2 0.s {"repeat": "s", "n": 20000}; set 2 0.t {"repeat": "t", "n": 12800}; update"#,
                WholeSpawn(Rule::SizeLimits, 2),
            ),
            (
                r#"spawn 3 1 BigStr; set 3 0.s {"repeat": "s", "n": 20000}; set 3 0.t {"repeat": "t", "n": 12700}; update"#,
                WholeSpawn(Rule::WholeMessages, 3),
            ),
        ],
    },
];
