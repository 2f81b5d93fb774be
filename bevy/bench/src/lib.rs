//! Examples of the plugin.
