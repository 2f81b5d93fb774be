//! The methods of `NetworkClient`: the public ones of a few lines, and the steps of the conductor.

mod endpoint;
mod iterate;
mod protocol;
mod side;
