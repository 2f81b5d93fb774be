//! Parts of a file that a request asks for.

/// Answer to the header `Range` of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RangePart {
    Whole,
    /// First byte and length, not 0.
    Bytes(u64, u64),
    /// No byte of the file.
    Outside,
}

impl RangePart {
    /// Reads a header. Several ranges, and units except bytes, are ignored, as HTTP allows.
    pub(super) fn of(header: Option<&str>, length: u64) -> Self {
        let range = header.and_then(|header| header.trim().strip_prefix("bytes="));
        let Some((first, last)) = range.and_then(|range| range.split_once('-')) else {
            return Self::Whole;
        };
        let (first, last) = (first.trim(), last.trim());
        let number = |text: &str| text.parse::<u64>().ok();
        let (from, end) = match (number(first), number(last)) {
            (Some(from), Some(last)) if from <= last => (from, last.saturating_add(1).min(length)),
            (Some(from), None) if last.is_empty() => (from, length),
            (None, Some(count)) if first.is_empty() => (length.saturating_sub(count), length),
            _ => return Self::Whole,
        };
        if from >= end {
            return Self::Outside;
        }
        Self::Bytes(from, end - from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_parts_of_the_file() {
        for (header, part) in [
            (None, RangePart::Whole),
            (Some("bytes=0-0"), RangePart::Bytes(0, 1)),
            (Some("bytes=2-"), RangePart::Bytes(2, 8)),
            (Some("bytes=-3"), RangePart::Bytes(7, 3)),
            (Some("bytes=-30"), RangePart::Bytes(0, 10)),
            (Some("bytes=8-99"), RangePart::Bytes(8, 2)),
            (Some("bytes=8-18446744073709551615"), RangePart::Bytes(8, 2)),
            (Some("bytes=10-"), RangePart::Outside),
            (Some("bytes=-0"), RangePart::Outside),
            (Some("bytes=3-2"), RangePart::Whole),
            (Some("bytes=0-1,4-5"), RangePart::Whole),
            (Some("lines=0-1"), RangePart::Whole),
        ] {
            assert_eq!(RangePart::of(header, 10), part, "{header:?}");
        }
    }
}
