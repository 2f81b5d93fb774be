//! The recordings that came with this repository, where a test needs more than its own file.

use std::sync::LazyLock;

use syncvar_testing::golden::{Json, Node};

static BEHAVIOURS: LazyLock<Json> =
    LazyLock::new(|| Json::parse(include_str!("../../golden/unet/behaviours.json")));

/// The recorded class of this name.
pub(crate) fn class(name: &str) -> Option<&'static Json> {
    let mut classes = BEHAVIOURS.at("classes").items().iter();
    classes.find(|class| class.at("class").text() == name)
}

/// The recorded classes, and the structs that they use.
pub(crate) fn behaviours() -> &'static Json {
    &BEHAVIOURS
}
