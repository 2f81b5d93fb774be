//! Echoes: the chunks of the frame before, once more.
