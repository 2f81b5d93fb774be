//! Log files: damage, seeks, storage that fails, and other builds.

mod damage;
mod journals;
mod playing;
mod recording;
mod seeking;
mod world;
