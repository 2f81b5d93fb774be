//! Log files: damage, seeks, storage that fails, and other builds.

mod damage;
mod journals;
mod kills;
mod playing;
mod recording;
mod rotations;
mod seeking;
mod world;
