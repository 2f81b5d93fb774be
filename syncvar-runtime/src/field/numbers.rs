//! Numbers of the operations of collections on the wire: WIRE.md, section 3.

/// Operations of lists: UNet's, and two further operations.
pub(crate) mod list {
    pub(crate) const ADD: u8 = 0;
    pub(crate) const CLEAR: u8 = 1;
    pub(crate) const INSERT: u8 = 2;
    pub(crate) const REMOVE_AT: u8 = 4;
    pub(crate) const SET: u8 = 5;
    pub(crate) const SPLICE: u8 = 6;
    pub(crate) const REMOVE: u8 = 7;
}

/// Operations of dictionaries and sets.
pub(crate) mod keyed {
    pub(crate) const PUT: u8 = 0;
    pub(crate) const CLEAR: u8 = 1;
    pub(crate) const REMOVE: u8 = 2;
}
