//! Source text as lines of code and lines of comment.

/// Code and comment of a line: strings are empty in the code, and the marks before a comment are taken
/// off.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Line {
    pub(crate) code: String,
    pub(crate) comment: String,
}

/// State of the scanner.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Code,
    LineComment,
    BlockComment(usize),
    Text,
    /// With so many number signs.
    RawText(usize),
}

pub(crate) fn lines(text: &str) -> Vec<Line> {
    let mut inside = Inside::Code;
    let lines = text.lines().map(|line| {
        if inside == Inside::LineComment {
            inside = Inside::Code;
        }
        let mut found = Line::default();
        let mut rest = line;
        while let Some(next) = rest.chars().next() {
            let taken = step(&mut inside, rest, &mut found);
            rest = &rest[taken.max(next.len_utf8()).min(rest.len())..];
        }
        found.code = found.code.trim().to_owned();
        found.comment = found.comment.trim().to_owned();
        found
    });
    lines.collect()
}

/// Takes the next token. Returns its length in bytes.
fn step(inside: &mut Inside, rest: &str, found: &mut Line) -> usize {
    let first = rest.chars().next().map_or(1, char::len_utf8);
    match *inside {
        Inside::Code => code(inside, rest, found),
        Inside::LineComment => {
            found.comment.push_str(rest);
            rest.len()
        }
        Inside::BlockComment(depth) if rest.starts_with("*/") => {
            *inside = match depth {
                0 => Inside::Code,
                depth => Inside::BlockComment(depth - 1),
            };
            2
        }
        Inside::BlockComment(depth) if rest.starts_with("/*") => {
            *inside = Inside::BlockComment(depth + 1);
            2
        }
        Inside::BlockComment(_) => {
            found.comment.push_str(&rest[..first]);
            first
        }
        Inside::Text if rest.starts_with('\\') => 2,
        Inside::Text => {
            if rest.starts_with('"') {
                *inside = Inside::Code;
            }
            first
        }
        Inside::RawText(signs) => {
            let end = format!("\"{}", "#".repeat(signs));
            if !rest.starts_with(&end) {
                return first;
            }
            *inside = Inside::Code;
            end.len()
        }
    }
}

/// The same, in code.
fn code(inside: &mut Inside, rest: &str, found: &mut Line) -> usize {
    for comment in ["//!", "///", "//"] {
        if rest.starts_with(comment) {
            *inside = Inside::LineComment;
            return comment.len();
        }
    }
    if rest.starts_with("/*") {
        *inside = Inside::BlockComment(0);
        return 2;
    }
    let before = found.code.chars().next_back();
    let in_a_word = before.is_some_and(|before| before.is_alphanumeric() || before == '_');
    let raw = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'));
    if let (Some(raw), false) = (raw, in_a_word) {
        let signs = raw.len() - raw.trim_start_matches('#').len();
        if raw[signs..].starts_with('"') {
            *inside = Inside::RawText(signs);
            return rest.len() - raw.len() + signs + 1;
        }
    }
    if rest.starts_with('"') {
        *inside = Inside::Text;
        return 1;
    }
    if let Some(taken) = character(rest) {
        return taken;
    }
    let first = rest.chars().next().map_or(1, char::len_utf8);
    found.code.push_str(&rest[..first]);
    first
}

/// Returns the length of a character between quotes; `None` for other text, such as a lifetime.
fn character(rest: &str) -> Option<usize> {
    let quoted = rest.strip_prefix('\'')?;
    let mut characters = quoted.char_indices();
    let (_, first) = characters.next()?;
    if first == '\\' {
        characters.next()?;
        return Some(
            quoted
                .find('\'')
                .filter(|at| *at > 1)
                .map_or(4, |at| at + 2),
        );
    }
    let (at, second) = characters.next()?;
    (second == '\'').then_some(at + 2)
}
