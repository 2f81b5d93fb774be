//! Examples with crates of other authors: physics of Avian, inputs of input managers.

pub mod avian;
