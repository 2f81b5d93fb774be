//! Hand-made batches.
