//! `mirror-import`: a project made by hand, the module that is written for it, and a server of that module in a
//! recorded session.
//!
//! ```text
//! cargo run -p syncvar-mirror --bin mirror-import -- protocols/mirror/tests/import/project --out protocols/mirror/tests/import/game.rs
//! ```

mod import {
    #[cfg(feature = "import")]
    mod asset_ids;
    mod game;
    #[cfg(feature = "import")]
    mod initial_values;
    mod json;
    mod live;
    #[cfg(feature = "import")]
    mod models;
    mod module;
    #[cfg(feature = "import")]
    mod program;
    mod scene;
    mod script;
    mod server;
    mod session;
    #[cfg(feature = "import")]
    mod sources;
}
