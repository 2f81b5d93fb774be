//! Mirror's messages: ids, encoding and decoding side by side.
