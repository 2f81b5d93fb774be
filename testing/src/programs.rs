//! Random programs with an oracle: worlds that use all features at once, over links that delay, lose, repeat
//! and reorder packets, against the words of the guide.
//!
//! | property | content |
//! |---|---|
//! | `different` | in the end each client has the objects that it may see, with the values that it may read, and the prefab's in the place of private values |
//! | `older`, `invented`, `torn` | each value is one of the server's, not older than the one before; an owner's write is whole |
//! | `secret` | no packet has a value that its client may not read |
//! | `hook`, `event` | each change runs its hook and is reported once, with the value before it; no end reports a failure |
//! | `tick` | a complete tick has all changes up to it |
//! | `call` | no call runs twice; reliable calls run in order, and after their state if they say so |
//! | `written`, `input`, `rewind` | the server takes over the values of the owner, the player and the past |
//! | `refused`, `thrown out` | no honest end is punished |
//! | `kept` | no bookkeeping remains |
//! | `random` | equal programs send equal bytes |

#![allow(
    clippy::cast_possible_truncation,
    clippy::manual_is_multiple_of,
    clippy::many_single_char_names,
    clippy::needless_for_each,
    clippy::redundant_closure_for_method_calls,
    clippy::semicolon_if_nothing_returned,
    clippy::struct_excessive_bools,
    clippy::trivially_copy_pass_by_ref,
    clippy::type_complexity,
    reason = "what is short is easier to read here"
)]

mod calls;
mod ends;
mod field;
pub(crate) mod link;
mod notes;
mod oracle;
mod play;
mod program;
mod replica;
mod settle;
mod world;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ends::World;
pub use program::{Conditions, Setup, Step, Tightness};

/// Every so many programs are played twice.
const REPEATED: u64 = 16;

type Checked = Result<(), String>;

/// A program that violates a property, shortened as far as it still does.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Property and place.
    pub error: String,
    /// Step of the whole program at which it failed.
    pub step: usize,
    /// Conditions of the program.
    pub setup: Setup,
    /// The steps. A delivery of all packets follows.
    pub steps: Vec<Step>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "step {}: {}", self.step, self.error)?;
        write!(f, "{:?}\n{:?}", self.setup, self.steps)
    }
}

/// Plays the program of a seed.
///
/// # Errors
///
/// When a property is violated, with a short program that violates it.
pub fn check(seed: u64) -> Result<(), Box<Failure>> {
    let (setup, steps) = Setup::random(seed);
    let mut step = 0;
    let played = play(&setup, &steps, &mut step);
    let error = match played {
        Ok(hash) if seed % REPEATED == 0 && play(&setup, &steps, &mut step) != Ok(hash) => {
            "random: other bytes in the second run".into()
        }
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    let (steps, error) = shorten(&setup, steps, error);
    Err(Box::new(Failure {
        error,
        step,
        setup,
        steps,
    }))
}

fn play(setup: &Setup, steps: &[Step], step: &mut usize) -> Result<u64, String> {
    let played = catch_unwind(AssertUnwindSafe(|| World::play(setup, steps, step)));
    played.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

/// Leaves out steps as long as the same property is violated.
fn shorten(setup: &Setup, mut steps: Vec<Step>, mut error: String) -> (Vec<Step>, String) {
    let property = |error: &str| error.split(':').next().map(str::to_owned);
    let mut size = steps.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < steps.len() {
            let mut fewer = steps.clone();
            fewer.drain(at..steps.len().min(at + size));
            match play(setup, &fewer, &mut 0) {
                Err(new) if property(&new) == property(&error) => (steps, error) = (fewer, new),
                _ => at += size,
            }
        }
        size /= 2;
    }
    (steps, error)
}
