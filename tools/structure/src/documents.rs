//! Checks of the documents against code and tests.

mod checklist;
mod mistakes;
mod readme;
mod ui_cases;
