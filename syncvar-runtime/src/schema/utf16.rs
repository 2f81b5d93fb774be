//! UTF-16 code units of a text, in constants: Unity hashes its names over them.

/// A character of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Character {
    /// First code unit.
    pub unit: u32,
    /// Second code unit, if the character has two.
    pub second: Option<u32>,
    /// Start of the next character, in bytes.
    pub next: usize,
}

/// Decodes the character that begins at a byte of a text. Constants cannot use `str::chars`.
///
/// # Panics
///
/// When no character begins there.
pub const fn character_at(text: &str, index: usize) -> Character {
    let bytes = text.as_bytes();
    let first = bytes[index];
    let (length, mut character) = match first {
        0..0x80 => (1, first as u32),
        0x80..0xE0 => (2, (first & 0x1F) as u32),
        0xE0..0xF0 => (3, (first & 0x0F) as u32),
        _ => (4, (first & 0x07) as u32),
    };
    let mut offset = 1;
    while offset < length {
        character = character << 6 | (bytes[index + offset] & 0x3F) as u32;
        offset += 1;
    }
    let next = index + length;
    if character < 0x1_0000 {
        return Character {
            unit: character,
            second: None,
            next,
        };
    }
    Character {
        unit: 0xD800 + ((character - 0x1_0000) >> 10),
        second: Some(0xDC00 + (character & 0x3FF)),
        next,
    }
}

#[cfg(test)]
mod tests {
    use super::character_at;

    #[test]
    fn the_code_units_are_those_of_the_standard_library() {
        let ends = ['\0', '\u{7f}', '\u{80}', '\u{7ff}', '\u{800}', '\u{ffff}'];
        let ends = ends.into_iter().chain(['\u{1_0000}', '\u{10_ffff}']);
        let text: String = ends.chain("Händler 𝄞".chars()).collect();
        let (mut units, mut index) = (Vec::new(), 0);
        while index < text.len() {
            let character = character_at(&text, index);
            units.push(character.unit);
            units.extend(character.second);
            index = character.next;
        }
        let expected: Vec<_> = text.encode_utf16().map(u32::from).collect();
        assert_eq!(units, expected);
    }
}
