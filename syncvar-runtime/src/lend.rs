//! Objects taken out of their pools, so that their callbacks have the whole server or client at hand.

mod lent;
mod turn;

pub use lent::{Leaving, LentObjects};
pub use turn::{Errand, Late, Lends, Tells};
