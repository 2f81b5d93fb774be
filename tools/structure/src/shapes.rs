//! Wide structs, structs of many bools, long functions.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, ImplItemFn, ItemFn, ItemImpl, ItemMod, ItemStruct, ItemTrait, Signature,
    TraitItemFn, Type,
};

use crate::findings::{Finding, Rule};
use crate::source::{Source, is_test};
use crate::{MAX_BOOLS, MAX_FIELDS, MAX_LINES};

/// Ends of the names of settings and statistics, which are lists by nature.
const LISTS: [&str; 6] = ["Config", "Info", "Limits", "Options", "Settings", "Stats"];

/// Returns the findings in a file.
pub fn findings(source: &Source) -> Vec<Finding> {
    let mut shapes = Shapes {
        source,
        of: None,
        findings: Vec::new(),
    };
    shapes.visit_file(&source.file);
    shapes.findings
}

struct Shapes<'a> {
    source: &'a Source,
    /// Type or trait of the visited methods.
    of: Option<String>,
    findings: Vec<Finding>,
}

impl Shapes<'_> {
    fn report(&mut self, rule: Rule, name: &str, detail: &str) {
        let package = match &*self.source.package {
            "" => ".",
            package => package,
        };
        self.findings.push(Finding {
            rule,
            place: format!("{package} {name}"),
            detail: format!("{detail}, {}", self.source.path),
        });
    }

    fn function(&mut self, signature: &Signature, body: &Block) {
        let first = signature.span().start().line;
        let last = body.span().end().line;
        let lines = last - first + 1;
        if lines > MAX_LINES {
            let of = self.of.as_ref().map(|of| format!("{of}::"));
            let name = format!("{}{}", of.unwrap_or_default(), signature.ident);
            self.report(Rule::Lines, &name, &format!("{lines} lines"));
        }
    }

    /// Visits the methods of a type or trait, unless they are tests.
    fn inside(&mut self, of: String, attributes: &[Attribute], visit: impl FnOnce(&mut Self)) {
        if !is_test(attributes) {
            let outer = self.of.replace(of);
            visit(self);
            self.of = outer;
        }
    }
}

impl<'a> Visit<'a> for Shapes<'_> {
    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_struct(&mut self, item: &'a ItemStruct) {
        if is_test(&item.attrs) {
            return;
        }
        let name = item.ident.to_string();
        let fields = item.fields.len();
        if fields > MAX_FIELDS && !LISTS.iter().any(|end| name.ends_with(end)) {
            self.report(Rule::Fields, &name, &format!("{fields} fields"));
        }
        let bools = item
            .fields
            .iter()
            .filter(|field| matches!(&field.ty, Type::Path(path) if path.path.is_ident("bool")));
        let bools = bools.count();
        if bools > MAX_BOOLS {
            self.report(Rule::Bools, &name, &format!("{bools} bools"));
        }
    }

    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        if !is_test(&item.attrs) {
            self.function(&item.sig, &item.block);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'a ItemImpl) {
        let of = match &*item.self_ty {
            Type::Path(path) => path.path.segments.last(),
            _ => None,
        };
        let of = of.map_or_else(|| "_".to_owned(), |of| of.ident.to_string());
        self.inside(of, &item.attrs, |shapes| {
            visit::visit_item_impl(shapes, item);
        });
    }

    fn visit_item_trait(&mut self, item: &'a ItemTrait) {
        let of = item.ident.to_string();
        self.inside(of, &item.attrs, |shapes| {
            visit::visit_item_trait(shapes, item);
        });
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        if !is_test(&item.attrs) {
            self.function(&item.sig, &item.block);
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'a TraitItemFn) {
        if let Some(body) = &item.default {
            self.function(&item.sig, body);
        }
        visit::visit_trait_item_fn(self, item);
    }
}
