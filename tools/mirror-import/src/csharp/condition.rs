//! Conditional compilation: lines that are left out become empty, so that the remaining lines keep their numbers.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::report::{Report, SourcePlace};

/// Words in lines that are left out, of which the reader of the module has to know.
const NETWORKED: &[&str] = &[
    "[SyncVar",
    "[Command",
    "[ClientRpc",
    "[TargetRpc",
    "SyncList<",
    "SyncDictionary<",
    "SyncHashSet<",
    "SyncSortedSet<",
    ": NetworkBehaviour",
];

/// Longest condition in bytes, which bounds the stack for its brackets.
const MAX_CONDITION: usize = 1000;

/// Symbols of `#if`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    given: BTreeSet<String>,
}

impl Symbols {
    pub(crate) fn define(&mut self, symbol: &str) {
        self.given.insert(symbol.to_owned());
    }

    /// Returns whether a symbol is defined: given, or defined in every build of a Mirror game, such as
    /// `UNITY_2021_3_OR_NEWER`.
    fn has(&self, symbol: &str) -> bool {
        let newer = symbol.ends_with("_OR_NEWER");
        let every = newer && (symbol.starts_with("UNITY_") || symbol.starts_with("MIRROR_"));
        every || symbol == "MIRROR" || self.given.contains(symbol)
    }
}

/// Position in an `#if` with its branches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BranchState {
    /// Before the branch that is compiled.
    Before,
    /// In that branch.
    Compiled,
    /// Behind that branch, or in lines that are left out as a whole.
    After,
}

/// An open `#if`.
struct Branch {
    state: BranchState,
    line: usize,
    condition: String,
    /// Whether it was reported.
    told: bool,
}

impl BranchState {
    /// Returns the state in a branch with this condition.
    fn next(self, holds: impl FnOnce() -> bool) -> Self {
        match self {
            Self::Before if holds() => Self::Compiled,
            Self::Before => Self::Before,
            Self::Compiled | Self::After => Self::After,
        }
    }
}

impl Branch {
    fn is_compiled(&self) -> bool {
        self.state == BranchState::Compiled
    }
}

/// Returns the source with directives and lines that are not compiled made empty.
pub(crate) fn compiled(
    text: &str,
    symbols: &Symbols,
    file: &Rc<str>,
    report: &mut Report,
) -> String {
    let mut symbols = symbols.clone();
    let mut branches: Vec<Branch> = Vec::new();
    let mut inside = Inside::Code;
    let mut result = String::with_capacity(text.len());
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let place = SourcePlace::new(file, index + 1);
        let is_active = branches.last().is_none_or(Branch::is_compiled);
        let directive = line.trim_start().strip_prefix('#');
        match directive.filter(|_| inside == Inside::Code) {
            Some(directive) => {
                apply(
                    directive.trim(),
                    &mut branches,
                    &mut symbols,
                    &place,
                    report,
                );
                result.push('\n');
            }
            None if is_active => {
                inside = inside.after(line);
                result.push_str(line);
            }
            None => {
                note(line, branches.last_mut(), file, report);
                result.push('\n');
            }
        }
    }
    if let Some(branch) = branches.last() {
        report.add(
            &SourcePlace::new(file, branch.line),
            "`#if` without its `#endif`",
        );
    }
    result
}

/// Reports a branch that is left out if it has something of the network.
fn note(line: &str, branch: Option<&mut Branch>, file: &Rc<str>, report: &mut Report) {
    let Some(branch) = branch.filter(|branch| !branch.told) else {
        return;
    };
    if let Some(word) = NETWORKED.iter().find(|word| line.contains(**word)) {
        branch.told = true;
        let text = format!(
            "`{word}` is in a part that `#if {}` leaves out; `--define SYMBOL` defines its symbols",
            branch.condition
        );
        report.add(&SourcePlace::new(file, branch.line), text);
    }
}

/// Applies a directive.
fn apply(
    directive: &str,
    branches: &mut Vec<Branch>,
    symbols: &mut Symbols,
    place: &SourcePlace,
    report: &mut Report,
) {
    let (word, rest) = directive
        .split_once(|letter: char| !letter.is_alphanumeric())
        .unwrap_or((directive, ""));
    // `#if(A)` and `#if !A`: the sign belongs to the condition.
    let rest = directive[word.len()..]
        .split("//")
        .next()
        .unwrap_or(rest)
        .trim();
    let is_active = branches.last().is_none_or(Branch::is_compiled);
    let mut holds = |condition: &str| {
        evaluate(condition, symbols).unwrap_or_else(|| {
            report.add(
                place,
                format!("`#if {condition}` is not read; its lines are left out"),
            );
            false
        })
    };
    match (word, branches.last_mut()) {
        ("if", _) => {
            let before = if is_active {
                BranchState::Before
            } else {
                BranchState::After
            };
            branches.push(Branch {
                state: before.next(|| holds(rest)),
                line: place.line,
                condition: rest.to_owned(),
                told: false,
            });
        }
        ("elif", Some(branch)) => branch.state = branch.state.next(|| holds(rest)),
        ("else", Some(branch)) => branch.state = branch.state.next(|| true),
        ("endif", Some(_)) => {
            branches.pop();
        }
        ("elif" | "else" | "endif", None) => {
            report.add(place, format!("`#{word}` without its `#if`"));
        }
        ("define", _) if is_active => symbols.define(rest),
        ("undef", _) if is_active => {
            symbols.given.remove(rest);
        }
        // Regions, warnings, line numbers.
        _ => {}
    }
}

/// Evaluates a condition. `None` if it is malformed.
fn evaluate(condition: &str, symbols: &Symbols) -> Option<bool> {
    if condition.len() > MAX_CONDITION {
        return None;
    }
    let mut tokens = Vec::new();
    let mut rest = condition.trim();
    while !rest.is_empty() {
        let signs = ["&&", "||", "==", "!=", "!", "(", ")"];
        let length = match signs.iter().find(|sign| rest.starts_with(**sign)) {
            Some(sign) => sign.len(),
            None => rest
                .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
                .unwrap_or(rest.len()),
        };
        if length == 0 {
            return None;
        }
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    let mut tokens = tokens.into_iter().peekable();
    let value = binary(&mut tokens, symbols, 0)?;
    tokens.next().is_none().then_some(value)
}

type Tokens<'a> = std::iter::Peekable<std::vec::IntoIter<&'a str>>;

/// Operators, the weakest first.
const OPERATORS: &[&[&str]] = &[&["||"], &["&&"], &["==", "!="]];

fn binary(tokens: &mut Tokens<'_>, symbols: &Symbols, level: usize) -> Option<bool> {
    let Some(operators) = OPERATORS.get(level) else {
        return unary(tokens, symbols);
    };
    let mut left = binary(tokens, symbols, level + 1)?;
    while let Some(operator) = tokens.next_if(|token| operators.contains(token)) {
        let right = binary(tokens, symbols, level + 1)?;
        left = match operator {
            "||" => left || right,
            "&&" => left && right,
            "==" => left == right,
            _ => left != right,
        };
    }
    Some(left)
}

fn unary(tokens: &mut Tokens<'_>, symbols: &Symbols) -> Option<bool> {
    // Signs before a condition, counted, without recursion.
    let mut negative = false;
    while tokens.next_if_eq(&"!").is_some() {
        negative = !negative;
    }
    let value = match tokens.next()? {
        "(" => {
            let value = binary(tokens, symbols, 0)?;
            (tokens.next()? == ")").then_some(value)?
        }
        "true" => true,
        "false" => false,
        symbol if symbol.starts_with(|first: char| first.is_alphabetic() || first == '_') => {
            symbols.has(symbol)
        }
        _ => return None,
    };
    Some(value != negative)
}

/// Text that goes on in the next line, where a `#` is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Code,
    Comment,
    /// `@"..."`.
    Verbatim,
    /// Text between so many quotes, three at least.
    Raw(usize),
}

impl Inside {
    /// Returns the state at the end of a line.
    fn after(mut self, line: &str) -> Self {
        let mut rest = line;
        loop {
            let (end, next) = match self {
                Self::Code => {
                    let Some((after, next)) = opening(rest) else {
                        return self;
                    };
                    rest = after;
                    self = next;
                    continue;
                }
                Self::Comment => ("*/".to_owned(), Self::Code),
                Self::Verbatim => ("\"".to_owned(), Self::Code),
                Self::Raw(quotes) => ("\"".repeat(quotes), Self::Code),
            };
            let Some(at) = rest.find(&end) else {
                return self;
            };
            rest = &rest[at + end.len()..];
            // `""` is a quote in a verbatim text.
            if self == Self::Verbatim && rest.starts_with('"') {
                rest = &rest[1..];
                continue;
            }
            self = next;
        }
    }
}

/// Returns the rest of a line behind the start of a comment or text that may have several lines.
fn opening(line: &str) -> Option<(&str, Inside)> {
    let mut rest = line;
    loop {
        let at = rest.find(['/', '"', '\''])?;
        let before = &rest[..at];
        let quotes = rest[at..].bytes().take_while(|byte| *byte == b'"').count();
        if rest[at..].starts_with("//") {
            return None;
        } else if rest[at..].starts_with("/*") {
            return Some((&rest[at + 2..], Inside::Comment));
        } else if quotes > 0 && before.trim_end_matches('$').ends_with('@') {
            return Some((&rest[at + 1..], Inside::Verbatim));
        } else if quotes >= 3 {
            return Some((&rest[at + quotes..], Inside::Raw(quotes)));
        } else if rest[at..].starts_with('/') {
            rest = &rest[at + 1..];
        } else {
            let sign = rest[at..].chars().next()?;
            rest = behind_literal(&rest[at + 1..], sign)?;
        }
    }
}

/// Returns the rest behind a text or character in a line.
fn behind_literal(text: &str, end: char) -> Option<&str> {
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if letter == end {
            return Some(&text[at + letter.len_utf8()..]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, symbols: &[&str]) -> (String, Vec<String>) {
        let mut given = Symbols::default();
        for symbol in symbols {
            given.define(symbol);
        }
        let mut report = Report::default();
        let text = compiled(text, &given, &"A.cs".into(), &mut report);
        (text, report.lines().collect())
    }

    #[test]
    fn branches_follow_their_symbols_and_keep_line_numbers() {
        let text = "a\n#if EDITOR || !MIRROR\nb\n#elif (GAME && UNITY_2021_3_OR_NEWER) == true\nc\n#else\nd\n#endif\ne\n";
        assert_eq!(lines(text, &[]).0, "a\n\n\n\n\n\nd\n\ne\n");
        assert_eq!(lines(text, &["GAME"]).0, "a\n\n\n\nc\n\n\n\ne\n");
        assert_eq!(lines(text, &["EDITOR"]).0, "a\n\nb\n\n\n\n\n\ne\n");
    }

    #[test]
    fn number_signs_in_texts_and_comments_are_no_directives() {
        let text = "/*\n#if A\n*/ x = @\"\"\"\n#else\n\"; y = \"/*\"; '\"'\n#if A\nz\n#endif\n";
        let (compiled, told) = lines(text, &[]);
        assert_eq!(
            compiled,
            text.replace("#if A\nz\n#endif", "\n\n"),
            "{told:?}"
        );
        assert!(told.is_empty(), "{told:?}");
    }

    #[test]
    fn malformed_directives_and_networked_parts_are_reported() {
        let (_, told) = lines(
            "#endif\n#if A &&\n[SyncVar] int a;\n[SyncVar] int b;\n",
            &[],
        );
        assert_eq!(
            told,
            [
                "A.cs:1: `#endif` without its `#if`",
                "A.cs:2: `#if A &&` is not read; its lines are left out",
                "A.cs:2: `#if` without its `#endif`",
                "A.cs:2: `[SyncVar` is in a part that `#if A &&` leaves out; `--define SYMBOL` defines its symbols",
            ]
        );
    }
}
