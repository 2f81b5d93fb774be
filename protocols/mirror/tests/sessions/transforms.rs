//! `NetworkTransform` and `NetworkAnimator` between our server and our clients.

mod animator;
mod motion;
mod world;
