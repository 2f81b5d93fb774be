//! Tests of a file and the checklist numbers in their comments.

use std::collections::BTreeSet;

use super::lines::{Line, lines};

/// A test that is executed and can fail.
#[derive(Debug, PartialEq)]
pub(crate) struct Test {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) numbers: BTreeSet<String>,
}

/// Attributes and comments before a function.
#[derive(Default)]
struct Heading {
    attributes: String,
    comment: String,
}

/// Returns the tests of a file, without ignored and empty tests.
pub(crate) fn tests(text: &str) -> Vec<Test> {
    let lines = lines(text);
    let mut before = Heading::default();
    let mut open_brackets = 0;
    let mut tests = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let code = line.code.as_str();
        if open_brackets > 0 || code.starts_with("#[") {
            open_brackets += code.matches('[').count();
            open_brackets = open_brackets.saturating_sub(code.matches(']').count());
            before.attributes.push_str(code);
            let after = code.rsplit_once(']').map_or("", |(_, after)| after);
            if open_brackets > 0 || !after.contains("fn ") {
                continue;
            }
        }
        if code.is_empty() && !line.comment.is_empty() {
            before.comment.push_str(&line.comment);
            before.comment.push('\n');
            continue;
        }
        let before = std::mem::take(&mut before);
        if let Some(name) = name(code)
            && before.is_of_a_test()
            && let Some(body) = body(&lines[at..])
        {
            let comment = if before.comment.is_empty() {
                first_comment(body)
            } else {
                before.comment
            };
            tests.push(Test {
                name: name.to_owned(),
                line: at + 1,
                numbers: numbers_of_comment(&comment),
            });
        }
    }
    tests
}

impl Heading {
    fn is_of_a_test(&self) -> bool {
        let is_test = ["#[test]", "::test]", "::test("];
        is_test.iter().any(|is| self.attributes.contains(is))
            && !words(&self.attributes).any(|word| word == "ignore")
    }
}

/// Returns the name of the function that begins in a line.
fn name(code: &str) -> Option<&str> {
    let (before, rest) = code.split_once("fn ")?;
    let qualifiers = before.rsplit(']').next().unwrap_or(before);
    let is_one = |word: &str| ["pub", "async", "const"].contains(&word) || word.starts_with("pub(");
    if !qualifiers.split_whitespace().all(is_one) {
        return None;
    }
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    Some(&rest[..end])
}

/// Returns the lines after the opening brace of a function; `None` for an empty body.
fn body(lines: &[Line]) -> Option<&[Line]> {
    let opened = lines.iter().position(|line| line.code.contains('{'))?;
    let line = lines[opened].code.trim_end_matches(char::is_whitespace);
    if !line.ends_with('{') {
        return (!line.ends_with("{}")).then_some(&[]);
    }
    let body = &lines[opened + 1..];
    let first = body.iter().find(|line| !line.code.is_empty())?;
    (first.code != "}").then_some(body)
}

/// Returns the comment at the start of a body.
fn first_comment(body: &[Line]) -> String {
    let comment = body
        .iter()
        .take_while(|line| line.code.is_empty() && !line.comment.is_empty());
    comment
        .map(|line| line.comment.as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns the numbers in a comment; their letters are capitals.
fn numbers_of_comment(comment: &str) -> BTreeSet<String> {
    let numbers = words(comment).filter(|word| is_number(word));
    numbers.map(str::to_owned).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// Returns whether a word is a letter of the five and up to three digits.
pub(crate) fn is_number(word: &str) -> bool {
    word.strip_prefix(['U', 'M', 'N', 'B', 'T'])
        .is_some_and(|digits| {
            (1..=3).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit())
        })
}
