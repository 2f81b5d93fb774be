//! `NetworkTransform`, `NetworkAnimator` and `PredictedRigidbody` between our server and our clients.

mod animator;
mod motion;
mod predicted;
