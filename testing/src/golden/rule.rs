//! `Rule`: a reason for which a vector may differ.

use std::fmt;

/// Kind of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Ours differs on purpose, and the test checks our behaviour instead.
    Different,
    /// Ours has no such value or operation, and needs none.
    NotApplicable,
}

/// Reason for which a vector may differ from the recording. The page of the protocol explains each rule and lists its
/// vectors.
pub trait Rule: Copy + Ord + fmt::Debug + fmt::Display + 'static {
    /// All rules, in the order of the page.
    const ALL: &'static [Self];

    /// Text of the page `DIFFERENCES.md`.
    const PAGE: &'static str;

    /// Returns the name in the headings of the page.
    fn name(self) -> &'static str;

    /// Returns the kind of the rule.
    fn standing(self) -> Standing;
}

/// Declares the rules of a protocol: the text of the page, then variants with the name in the page and the
/// [`Standing`].
#[macro_export]
macro_rules! golden_rules {
    ($page:expr; $($(#[$meta:meta])* $rule:ident $name:literal $standing:ident,)*) => {
        /// Rule by which a vector differs from the recording.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Rule {
            $($(#[$meta])* $rule,)*
        }

        impl $crate::golden::Rule for Rule {
            const ALL: &'static [Self] = &[$(Self::$rule,)*];
            const PAGE: &'static str = $page;

            fn name(self) -> &'static str {
                match self {
                    $(Self::$rule => $name,)*
                }
            }

            fn standing(self) -> $crate::golden::Standing {
                match self {
                    $(Self::$rule => $crate::golden::Standing::$standing,)*
                }
            }
        }

        impl ::std::fmt::Display for Rule {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str($crate::golden::Rule::name(*self))
            }
        }
    };
}
