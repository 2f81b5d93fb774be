//! Rust names of C# names.

use std::collections::{BTreeMap, BTreeSet};

/// Names that the module uses itself, or that Rust knows in each module.
const TAKEN: &[&str] = &[
    "AnyBehaviour",
    "AssetId",
    "BTreeSet",
    "BehaviourRef",
    "Box",
    "CallContext",
    "Clone",
    "Component",
    "Copy",
    "Debug",
    "Default",
    "Drop",
    "Eq",
    "Err",
    "From",
    "Hash",
    "Into",
    "Iterator",
    "MirrorMessage",
    "MirrorPrefab",
    "MirrorPrefabs",
    "NetRef",
    "NetworkBehaviour",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Self",
    "Some",
    "String",
    "SyncDictionary",
    "SyncHashSet",
    "SyncList",
    "SyncSortedSet",
    "SyncValue",
    "SyncVar",
    "ToOwned",
    "ToString",
    "Vec",
];

const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// Returns a C# name in Rust's spelling of fields and methods: `maxHealth` is `max_health`, `HTTPPort` is
/// `http_port`. The underscore or `m_` before private fields goes.
pub(crate) fn snake(name: &str) -> String {
    let name = name.trim_start_matches('@');
    let name = name.strip_prefix("m_").unwrap_or(name);
    let letters: Vec<char> = name.trim_matches('_').chars().collect();
    let mut snake = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let starts_word = before
            .is_some_and(|before| before.is_lowercase() || before.is_ascii_digit())
            || (before.is_some_and(char::is_uppercase)
                && letters.get(at + 1).is_some_and(|next| next.is_lowercase()));
        if letter.is_uppercase() && starts_word && !snake.ends_with('_') {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    identifier(&snake)
}

/// Returns a C# name in Rust's spelling of types and variants.
pub(crate) fn pascal(name: &str) -> String {
    let mut pascal = String::new();
    for word in name
        .trim_start_matches('@')
        .split(|letter: char| !letter.is_alphanumeric())
    {
        pascal += &pascal_word(word);
    }
    identifier(&pascal)
}

/// Returns a word with a capital letter.
pub(crate) fn pascal_word(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// Returns a name of C# as it is, unless Rust reserves it.
pub(crate) fn reserved(name: &str) -> String {
    identifier(name.trim_start_matches('@'))
}

/// Returns a name that Rust accepts.
fn identifier(name: &str) -> String {
    match name {
        "" => "unnamed".to_owned(),
        "self" | "super" | "crate" | "Self" => format!("{name}_"),
        name if KEYWORDS.contains(&name) => format!("r#{name}"),
        name if name.starts_with(|first: char| first.is_ascii_digit()) => format!("_{name}"),
        name => name.to_owned(),
    }
}

/// Names given out in one scope, each once.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    given: BTreeSet<String>,
}

impl Scope {
    /// Creates the scope of the module.
    pub(crate) fn of_module() -> Self {
        Self {
            given: TAKEN.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    /// Creates a scope of modules: the names of crates stay those of the crates.
    pub(crate) fn of_crates() -> Self {
        Self {
            given: ["core", "std", "syncvar"].map(str::to_owned).into(),
        }
    }

    /// Returns the name, with a number behind it if it is taken.
    pub(crate) fn give(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        let mut number = 2;
        while !self.given.insert(free.clone()) {
            free = format!(
                "{}{}{number}",
                name.trim_start_matches("r#"),
                if is_snake(name) { "_" } else { "" }
            );
            number += 1;
        }
        free
    }
}

fn is_snake(name: &str) -> bool {
    !name.contains(char::is_uppercase)
}

/// Returns Rust names of C# types. A name that several types have, or that the module uses, gets the names of its outer
/// types or namespaces before it, as many as tell it apart.
pub(crate) fn of_types<'a>(full: impl Iterator<Item = &'a str>) -> BTreeMap<String, String> {
    let all: Vec<&str> = full.collect();
    let short = |name: &str, parts: usize| {
        let words = name
            .split(['.', '/'])
            .map(|word| word.split('`').next().unwrap_or_default());
        let words: Vec<&str> = words.collect();
        let start = words.len().saturating_sub(parts);
        pascal(&words[start..].concat())
    };
    let mut scope = Scope::of_module();
    let mut given = BTreeMap::new();
    for name in &all {
        let most = name.split(['.', '/']).count();
        let free =
            (1..=most)
                .map(|parts| (parts, short(name, parts)))
                .find(|(parts, candidate)| {
                    !TAKEN.contains(&candidate.as_str())
                        && all
                            .iter()
                            .filter(|other| short(other, *parts) == *candidate)
                            .count()
                            == 1
                });
        let candidate = free.map_or_else(|| short(name, most), |(_, candidate)| candidate);
        given.insert((*name).to_owned(), scope.give(&candidate));
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_methods_are_in_snake_case() {
        for (csharp, rust) in [
            ("health", "health"),
            ("maxHealth", "max_health"),
            ("_maxHealth", "max_health"),
            ("m_Speed", "speed"),
            ("HTTPPort", "http_port"),
            ("item2Count", "item2_count"),
            ("@type", "r#type"),
            ("CmdSetHP", "cmd_set_hp"),
            ("already_snake", "already_snake"),
            ("self", "self_"),
        ] {
            assert_eq!(snake(csharp), rust, "{csharp}");
        }
    }

    #[test]
    fn equal_type_names_get_their_namespaces() {
        let names = of_types(
            [
                "Game.Arms.Item",
                "Game.Shop.Item",
                "Game.Shop/Entry",
                "Game.Option",
            ]
            .into_iter(),
        );
        let names: Vec<&str> = names.values().map(String::as_str).collect();
        assert_eq!(names, ["ArmsItem", "GameOption", "ShopItem", "Entry"]);
    }
}
