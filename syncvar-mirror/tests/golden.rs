//! Recorded bytes of the real Mirror against ours.
//!
//! The recordings stand in `tests/golden/data`; `SYNCVAR_GOLDEN_DIR` names another folder with files of
//! the same formats.
