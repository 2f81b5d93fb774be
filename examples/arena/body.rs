//! The body of a fighter: the server moves it to where its owner heads.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::values::Vector2;

/// Half of the width and of the height of the arena, in metres.
const ARENA: Vector2 = Vector2::new(12.0, 7.0);

/// Speed, in metres per second.
const SPEED: f32 = 4.0;

/// Longest distance of a blow, in metres.
const REACH: f32 = 2.0;

/// Place of a fighter. Its packets may be lost: later ones have newer places.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.05, channel = unreliable)]
pub(crate) struct Body {
    /// Position in metres from the middle of the arena: to the right, and up.
    #[sync_var]
    pub(crate) position: SyncVar<Vector2>,
    /// Direction that the owner wants, at most 1 long.
    #[sync_var(write = owner)]
    pub(crate) heading: SyncVar<Vector2>,
}

impl Body {
    /// Creates the body of the fighter with a number: around the middle.
    pub(crate) fn at_place(number: u16) -> Self {
        let (sin, cos) = (f32::from(number) * 2.4).sin_cos();
        let position = Vector2::new(cos * ARENA.x * 0.5, sin * ARENA.y * 0.5);
        Self {
            position: position.into(),
            ..Self::default()
        }
    }

    /// Moves for this long.
    pub(crate) fn walk(&mut self, time: Duration) {
        let Vector2 { x, y } = *self.heading;
        let length = x.hypot(y);
        if !length.is_finite() || length == 0.0 {
            return;
        }
        let step = SPEED * time.as_secs_f32() / length.max(1.0);
        let place = *self.position;
        self.position.set(Vector2::new(
            (place.x + x * step).clamp(-ARENA.x, ARENA.x),
            (place.y + y * step).clamp(-ARENA.y, ARENA.y),
        ));
    }

    /// Returns whether a blow from a place reaches this body.
    pub(crate) fn is_within_reach(&self, place: Vector2) -> bool {
        let here = *self.position;
        (here.x - place.x).hypot(here.y - place.y) <= REACH
    }

    /// Returns the direction to another body, and around it when it is near.
    pub(crate) fn towards(&self, other: &Self) -> Vector2 {
        let (here, there) = (*self.position, *other.position);
        let (x, y) = (there.x - here.x, there.y - here.y);
        let length = x.hypot(y);
        if length < 0.1 {
            return Vector2::new(1.0, 0.0);
        }
        let (x, y) = (x / length, y / length);
        // Nearer than half of the reach it steps back.
        let ahead = ((length - REACH * 0.75) * 2.0).clamp(-1.0, 1.0);
        let aside = (1.0 - ahead * ahead).sqrt();
        Vector2::new(x * ahead - y * aside, y * ahead + x * aside)
    }
}
