//! Damage of records.
