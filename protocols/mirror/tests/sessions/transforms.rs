//! `NetworkTransform` between our server and our clients.

mod motion;
mod world;
