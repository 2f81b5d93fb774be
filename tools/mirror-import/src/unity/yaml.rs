//! The part of YAML that Unity's editor writes: documents with blocks of mappings and sequences, and short blocks in a
//! line.

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 48;

/// A value of a document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Yaml {
    Text(String),
    Map(Vec<(String, Self)>),
    List(Vec<Self>),
}

/// One object of a file: `--- !u!114 &1234`.
#[derive(Debug)]
pub(super) struct Document {
    /// Unity's number of the class, such as 114.
    pub(super) class: u32,
    pub(super) id: i64,
    /// Only a name for an object elsewhere.
    pub(super) is_stripped: bool,
    /// Line of its header.
    pub(super) line: usize,
    /// Keys of the object.
    pub(super) value: Yaml,
}

/// Reads the documents of the classes that `wanted` names. A malformed header is an error with its line.
pub(super) fn documents(text: &str, wanted: &[u32]) -> (Vec<Document>, Vec<usize>) {
    let mut documents = Vec::new();
    let mut malformed = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    let starts: Vec<usize> = (0..lines.len())
        .filter(|at| lines[*at].starts_with("--- "))
        .collect();
    for (number, start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(lines.len());
        let Some((class, id, is_stripped)) = header(lines[*start]) else {
            malformed.push(start + 1);
            continue;
        };
        if !wanted.contains(&class) {
            continue;
        }
        let mut block = Block::new(&lines[start + 1..end]);
        let value = block.value(0, 0);
        // The only key names the class.
        let value = match value {
            Yaml::Map(mut entries) if !entries.is_empty() => entries.swap_remove(0).1,
            value => value,
        };
        documents.push(Document {
            class,
            id,
            is_stripped,
            line: start + 1,
            value,
        });
    }
    (documents, malformed)
}

fn header(line: &str) -> Option<(u32, i64, bool)> {
    let mut words = line.split_whitespace().skip(1);
    let class = words.next()?.strip_prefix("!u!")?.parse().ok()?;
    let id = words.next()?.strip_prefix('&')?.parse().ok()?;
    Some((class, id, words.next() == Some("stripped")))
}

/// Lines of a document, and the position in them.
struct Block<'a> {
    /// Indentation and text.
    lines: Vec<(usize, &'a str)>,
    at: usize,
}

impl<'a> Block<'a> {
    fn new(lines: &[&'a str]) -> Self {
        let lines = lines
            .iter()
            .map(|line| (line.len() - line.trim_start().len(), line.trim()));
        Self {
            lines: lines.filter(|(_, line)| !line.is_empty()).collect(),
            at: 0,
        }
    }

    /// Reads a mapping or sequence of this indentation.
    fn value(&mut self, indent: usize, depth: usize) -> Yaml {
        let is_list = self.line(indent).is_some_and(is_item);
        if depth > MAX_DEPTH {
            self.at = self.lines.len();
            return Yaml::Text(String::new());
        }
        if is_list {
            self.list(indent, depth)
        } else {
            self.map(indent, depth)
        }
    }

    /// Returns the current line if it has this indentation.
    fn line(&self, indent: usize) -> Option<&'a str> {
        let (own, line) = *self.lines.get(self.at)?;
        (own == indent).then_some(line)
    }

    fn list(&mut self, indent: usize, depth: usize) -> Yaml {
        let mut items = Vec::new();
        while let Some(line) = self.line(indent).filter(|line| is_item(line)) {
            let rest = line[1..].trim_start();
            let inner = indent + (line.len() - rest.len());
            if is_entry(rest) {
                // The first key of a mapping stands behind the sign.
                self.lines[self.at] = (inner, rest);
                items.push(self.value(inner, depth + 1));
            } else {
                self.at += 1;
                items.push(self.scalar(rest, indent));
            }
        }
        Yaml::List(items)
    }

    fn map(&mut self, indent: usize, depth: usize) -> Yaml {
        let mut entries = Vec::new();
        while let Some((own, line)) = self.lines.get(self.at).copied() {
            if own < indent || is_item(line) {
                break;
            }
            self.at += 1;
            let Some((key, rest)) = line.split_once(':').filter(|_| own == indent) else {
                // Part of a text that is not read.
                continue;
            };
            let rest = rest.trim();
            let next = self.lines.get(self.at).copied();
            let value = match next {
                Some((inner, _)) if rest.is_empty() && inner > indent => {
                    self.value(inner, depth + 1)
                }
                Some((inner, item)) if rest.is_empty() && inner == indent && is_item(item) => {
                    self.value(inner, depth + 1)
                }
                _ => self.scalar(rest, indent),
            };
            entries.push((key.trim_matches(['"', '\'']).to_owned(), value));
        }
        Yaml::Map(entries)
    }

    /// Reads a value in a line, and its continuation in lines that are indented more.
    fn scalar(&mut self, first: &str, indent: usize) -> Yaml {
        let mut text = first.to_owned();
        while is_open(&text)
            && let Some((own, line)) = self.lines.get(self.at).filter(|(own, _)| *own > indent)
        {
            debug_assert!(*own > indent);
            text.push(' ');
            text.push_str(line);
            self.at += 1;
        }
        flow(&text, 0)
    }
}

fn is_item(line: &str) -> bool {
    line == "-" || line.starts_with("- ")
}

/// Returns whether a list's item begins a mapping.
fn is_entry(text: &str) -> bool {
    let is_short = text.starts_with(['{', '[', '"', '\'']);
    !is_short && (text.contains(": ") || text.ends_with(':'))
}

/// Returns whether a value goes on in the next line.
fn is_open(text: &str) -> bool {
    let count = |sign| text.matches(sign).count();
    match text.chars().next() {
        Some('{') => count('{') > count('}'),
        Some('[') => count('[') > count(']'),
        Some('"') => text.len() < 2 || !text.ends_with('"') || text.ends_with("\\\""),
        Some('\'') => count('\'') % 2 == 1,
        // A plain text goes on where the indentation says so.
        Some(_) => true,
        None => false,
    }
}

/// Reads a value in a line.
fn flow(text: &str, depth: usize) -> Yaml {
    let text = text.trim();
    let between = |open, close| text.strip_prefix(open)?.strip_suffix(close);
    if depth > MAX_DEPTH {
        return Yaml::Text(String::new());
    }
    if let Some(inner) = between('{', '}') {
        let entries = parts(inner)
            .into_iter()
            .filter_map(|part| part.split_once(':'));
        return Yaml::Map(
            entries
                .map(|(key, value)| (key.trim().to_owned(), flow(value, depth + 1)))
                .collect(),
        );
    }
    if let Some(inner) = between('[', ']') {
        return Yaml::List(
            parts(inner)
                .into_iter()
                .map(|part| flow(part, depth + 1))
                .collect(),
        );
    }
    Yaml::Text(match (between('"', '"'), between('\'', '\'')) {
        (Some(inner), _) => unescape(inner),
        (None, Some(inner)) => inner.replace("''", "'"),
        (None, None) => text.to_owned(),
    })
}

/// Splits at commas outside of brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0_usize, 0);
    let mut parts = Vec::new();
    for (at, letter) in text.char_indices() {
        match letter {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn unescape(text: &str) -> String {
    let mut result = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, if letter == '\\' { letters.next() } else { None }) {
            ('\\', Some('n')) => result.push('\n'),
            ('\\', Some('t')) => result.push('\t'),
            ('\\', Some('r')) => result.push('\r'),
            ('\\', Some(sign @ ('u' | 'x'))) => {
                let digits: String = letters
                    .by_ref()
                    .take(if sign == 'u' { 4 } else { 2 })
                    .collect();
                result.extend(
                    u32::from_str_radix(&digits, 16)
                        .ok()
                        .and_then(char::from_u32),
                );
            }
            ('\\', Some(other)) => result.push(other),
            (letter, _) => result.push(letter),
        }
    }
    result
}

impl Yaml {
    /// Returns the value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => entries
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// Renumbers the references to objects of the same file.
    pub(super) fn renumber(&mut self, instance: i64) {
        match self {
            Self::Text(_) => {}
            Self::List(items) => items.iter_mut().for_each(|item| item.renumber(instance)),
            Self::Map(_) if self.guid().is_some() => {}
            Self::Map(entries) => {
                for (key, value) in entries {
                    match value {
                        Self::Text(text) if key == "fileID" => {
                            let id = text.parse().ok().filter(|id| *id != 0);
                            if let Some(id) = id {
                                *text = renumbered(id, instance).to_string();
                            }
                        }
                        value => value.renumber(instance),
                    }
                }
            }
        }
    }

    /// Returns the number of the object that `{fileID: 1}` names; `None` for 0.
    pub(crate) fn file_id(&self) -> Option<i64> {
        let id = self.get("fileID")?.text()?.parse().ok()?;
        (id != 0).then_some(id)
    }

    /// Returns the GUID in `{fileID: 1, guid: ..}`.
    pub(super) fn guid(&self) -> Option<&str> {
        self.get("guid")?.text()
    }

    /// Sets the value at a path of keys, `color.r`.
    pub(super) fn set(&mut self, path: &str, new: Self) {
        let (key, rest) = path
            .split_once('.')
            .map_or((path, None), |(key, rest)| (key, Some(rest)));
        if !matches!(self, Self::Map(_)) {
            *self = Self::Map(Vec::new());
        }
        let Self::Map(entries) = self else {
            return;
        };
        let at = entries
            .iter()
            .position(|(name, _)| name == key)
            .unwrap_or_else(|| {
                entries.push((key.to_owned(), Self::Map(Vec::new())));
                entries.len() - 1
            });
        match rest {
            Some(rest) => entries[at].1.set(rest, new),
            None => entries[at].1 = new,
        }
    }
}

/// Returns the number that an object of a prefab has in the file of an instance.
pub(super) fn renumbered(id: i64, instance: i64) -> i64 {
    (id ^ instance) & i64::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "%YAML 1.1\n--- !u!114 &-5 stripped\nMonoBehaviour:\n  m_Script: {fileID: 11500000, guid: ab,\n    type: 3}\n  list:\n  - component: {fileID: 4}\n    index: 2\n  - component: {fileID: 5}\n  name: 'it''s'\n  text: \"a\\tb\"\n  long: one\n    two\n  inner:\n    deep:\n      x: 1\n  none: []\n--- bad\n--- !u!1 &7\nGameObject:\n  m_Name: A\n";

    #[test]
    fn documents_have_blocks_lists_and_short_forms() {
        let (documents, malformed) = documents(TEXT, &[114]);
        assert_eq!(malformed, [18]);
        let [document] = &documents[..] else {
            panic!("{documents:?}")
        };
        assert_eq!(
            (document.id, document.is_stripped, document.line),
            (-5, true, 2)
        );
        let value = &document.value;
        assert_eq!(value.get("m_Script").and_then(Yaml::guid), Some("ab"));
        let list: Vec<_> = value.get("list").into_iter().flat_map(Yaml::list).collect();
        assert_eq!(list[0].get("component").and_then(Yaml::file_id), Some(4));
        assert_eq!(list[0].get("index").and_then(Yaml::text), Some("2"));
        assert_eq!(list.len(), 2);
        let text = |key| value.get(key).and_then(Yaml::text);
        assert_eq!(
            (text("name"), text("text"), text("long")),
            (Some("it's"), Some("a\tb"), Some("one two"))
        );
        let deep = value
            .get("inner")
            .and_then(|inner| inner.get("deep"))
            .and_then(|deep| deep.get("x"));
        assert_eq!(deep.and_then(Yaml::text), Some("1"));
        assert_eq!(value.get("none"), Some(&Yaml::List(Vec::new())));
    }
}
