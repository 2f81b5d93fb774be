//! Encodings of source files.

/// Characters of Windows-1252 from 80 to 9f; those without one stay control characters.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Returns the text of a file, and whether its encoding is certain: UTF-8, or UTF-16 with a byte order mark. Any other
/// file is read as Windows-1252, the encoding of older editors on Windows.
pub(super) fn decoded(bytes: &[u8]) -> (String, bool) {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] | rest => str::from_utf8(rest).ok().map(str::to_owned),
    };
    match text {
        Some(text) => (text, true),
        None => (
            bytes.iter().map(|byte| windows_1252(*byte)).collect(),
            false,
        ),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = units.iter().map(|bytes| unit(*bytes)).collect();
    String::from_utf16(&units).ok().filter(|_| rest.is_empty())
}

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn byte_order_marks_name_the_encoding() {
        for bytes in [
            &b"\xef\xbb\xbf\xc3\xa9\xe2\x82\xac"[..],
            b"\xc3\xa9\xe2\x82\xac",
            b"\xff\xfe\xe9\0\xac\x20",
            b"\xfe\xff\0\xe9\x20\xac",
        ] {
            assert_eq!(decoded(bytes), ("é€".to_owned(), true));
        }
        assert_eq!(decoded(b""), (String::new(), true));
    }

    #[test]
    fn other_bytes_are_windows_1252() {
        assert_eq!(decoded(b"\x80\xe9\x9f"), ("€éŸ".to_owned(), false));
        // UTF-16 with half a character.
        assert_eq!(decoded(b"\xff\xfe\x41"), ("ÿþA".to_owned(), false));
    }
}
