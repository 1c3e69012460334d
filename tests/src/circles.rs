//! Circles between the files of a crate, found by reading its sources.
//!
//! A file depends on another if its code, tests left out,
//! - names an item of the other by a path (`crate::`, `super::`, a child module, an imported module), directly or by a
//!   name that a module in between re-exports;
//! - calls, within an `impl` of a type, a method of that type (`self.x()`, `Self::x()`) that the other file defines.
//!
//! Re-exports (`pub use` and `pub(…) use`) and `mod` are no dependencies: a parent may show the items of its children. But
//! if its own code uses them, they are, and no child may use an item that the parent itself defines.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::str::FromStr;

type ModulePath = Vec<String>;

/// A crate as far as it matters here: its modules, each with the file that it is in.
#[derive(Default)]
pub(crate) struct Crate {
    modules: BTreeMap<ModulePath, Module>,
}

#[derive(Default)]
struct Module {
    file: String,
    /// The items that it defines, child modules left out.
    defined: BTreeSet<String>,
    uses: Vec<Use>,
    /// The code of its other items, as flat tokens, with the type whose `impl` it is in.
    code: Vec<(Option<String>, Vec<String>)>,
    /// Methods of inherent `impl`s, with the type's name.
    methods: Vec<(String, String)>,
}

struct Use {
    path: Vec<String>,
    /// `*` for a glob.
    name: String,
    is_reexport: bool,
}

/// One dependency: the other file, and the name that shows it.
type Dependencies = BTreeMap<String, BTreeMap<String, String>>;

impl Crate {
    /// Reads a crate from `lib.rs` on; `read` gives the text of a file, by its path below the crate's `src`.
    pub(crate) fn read(read: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut found = Self::default();
        found.add(&[], "lib.rs", "", read);
        found
    }

    fn add(&mut self, path: &[String], file: &str, folder: &str, read: &dyn Fn(&str) -> Option<String>) {
        let text = read(file).unwrap_or_else(|| panic!("{file} cannot be read"));
        let tokens = TokenStream::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        let mut children = Vec::new();
        for item in items(tokens) {
            match item.keyword.as_str() {
                "use" => module.uses.extend(uses(&item)),
                "mod" if item.body.is_none() => children.push(item.name),
                _ => {
                    module.methods.extend(item.methods());
                    module.code.push((item.impl_type(), item.flat));
                    module.defined.insert(item.name);
                }
            }
        }
        self.modules.insert(path.to_vec(), module);
        for child in children {
            let below = format!("{folder}{child}/");
            let (flat, nested) = (format!("{folder}{child}.rs"), format!("{below}mod.rs"));
            let file = if read(&flat).is_some() { flat } else { nested };
            let path: ModulePath = path.iter().cloned().chain([child]).collect();
            self.add(&path, &file, &below, read);
        }
    }

    /// The shortest circle between files of this folder (`""`: of the whole crate), in words; `None` if there is none.
    pub(crate) fn circle(&self, folder: &str) -> Option<String> {
        let dependencies = self.dependencies(folder);
        let circles = dependencies.keys().filter_map(|file| back_to(file, &dependencies));
        let shortest = circles.min_by_key(Vec::len)?;
        let mut words = String::new();
        for (at, file) in shortest.iter().enumerate() {
            let next = &shortest[(at + 1) % shortest.len()];
            let _ = writeln!(words, "{file} uses {} of {next}", dependencies[file][next]);
        }
        Some(words)
    }

    fn dependencies(&self, folder: &str) -> Dependencies {
        let methods = self.methods();
        let mut all = Dependencies::new();
        for (path, module) in &self.modules {
            let mut add = |other: Option<&str>, name: String| {
                let Some(other) = other.filter(|other| *other != module.file) else { return };
                if [other, &module.file].iter().all(|file| file.starts_with(folder)) {
                    let mine = all.entry(module.file.clone()).or_default();
                    mine.entry(other.to_owned()).or_insert(name);
                }
            };
            let is_used = |name: &String| module.code.iter().any(|(_, code)| code.contains(name));
            for it in module.uses.iter().filter(|it| !it.is_reexport || is_used(&it.name)) {
                let mut named = it.path.clone();
                // A glob may take any item of the module, so it stands for one of its own.
                named.extend((it.name == "*").then(|| it.name.clone()));
                add(self.file_of(path, &named, 0), named.join("::"));
            }
            for (of, code) in &module.code {
                for named in paths(code) {
                    add(self.file_of(path, &named, 0), named.join("::"));
                }
                let Some(of) = of else { continue };
                let home = self.home_of(path, of);
                for method in own_calls(code) {
                    let other = methods.get(&(home.to_owned(), of.clone(), method.clone()));
                    add(other.map(String::as_str), format!("{of}::{method}"));
                }
            }
        }
        all
    }

    /// The files of all methods, by the file and the name of their type.
    fn methods(&self) -> BTreeMap<(String, String, String), String> {
        let of = |(path, module): (&ModulePath, &Module)| {
            let key = |(of, method): &(String, String)| (self.home_of(path, of).to_owned(), of.clone(), method.clone());
            module.methods.iter().map(|it| (key(it), module.file.clone())).collect::<Vec<_>>()
        };
        self.modules.iter().flat_map(of).collect()
    }

    /// The file that defines a type which this module names.
    fn home_of<'a>(&'a self, module: &'a [String], name: &str) -> &'a str {
        let here = &self.modules[module];
        let imported = here.uses.iter().find(|it| it.name == name).and_then(|it| self.file_of(module, &it.path, 0));
        imported.unwrap_or(&here.file)
    }

    /// The file that defines what a path names; `None` for other crates, and for modules as such.
    fn file_of(&self, from: &[String], path: &[String], depth: usize) -> Option<&str> {
        let (first, rest) = path.split_first()?;
        let here = self.modules.get(from)?;
        let child: ModulePath = from.iter().cloned().chain([first.clone()]).collect();
        match first.as_str() {
            "crate" => self.item(&[], rest, depth),
            "self" => self.item(from, rest, depth),
            "super" => {
                let parent = &from[..from.len().checked_sub(1)?];
                if rest.first().is_some_and(|it| it == "super") {
                    return self.file_of(parent, rest, depth);
                }
                self.item(parent, rest, depth)
            }
            _ if self.modules.contains_key(&child) => self.item(&child, rest, depth),
            _ if depth > 9 => None,
            // By a module that is imported; names of items are taken from the import itself.
            _ => {
                let module = here.uses.iter().find(|it| it.name == *first && !rest.is_empty())?;
                let whole: Vec<String> = module.path.iter().chain(rest).cloned().collect();
                self.file_of(from, &whole, depth + 1)
            }
        }
    }

    fn item(&self, module: &[String], rest: &[String], depth: usize) -> Option<&str> {
        let (first, below) = rest.split_first()?;
        let child: ModulePath = module.iter().cloned().chain([first.clone()]).collect();
        if self.modules.contains_key(&child) {
            return self.item(&child, below, depth);
        }
        let here = self.modules.get(module)?;
        if here.defined.contains(first) || depth > 9 {
            return Some(&here.file);
        }
        for it in here.uses.iter().filter(|it| it.name == *first || it.name == "*") {
            let own = if it.name == "*" { rest } else { below };
            let whole: Vec<String> = it.path.iter().chain(own).cloned().collect();
            let found = self.file_of(module, &whole, depth + 1);
            if it.name != "*" || found.is_some_and(|file| file != here.file) {
                return found;
            }
        }
        Some(&here.file)
    }
}

/// The shortest way from a file back to itself.
fn back_to(file: &str, dependencies: &Dependencies) -> Option<Vec<String>> {
    let mut ways = VecDeque::from([vec![file.to_owned()]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for next in way.last().and_then(|last| dependencies.get(last)).into_iter().flat_map(BTreeMap::keys) {
            if next == file {
                return Some(way);
            }
            if seen.insert(next.clone()) {
                ways.push_back(way.iter().cloned().chain([next.clone()]).collect());
            }
        }
    }
    None
}

/// An item at the top of a file.
struct Item {
    is_public: bool,
    keyword: String,
    name: String,
    flat: Vec<String>,
    body: Option<TokenStream>,
}

const KEYWORDS: [&str; 12] =
    ["use", "mod", "impl", "fn", "struct", "enum", "trait", "type", "const", "static", "union", "macro_rules"];

impl Item {
    /// The type of an `impl`.
    fn impl_type(&self) -> Option<String> {
        if self.keyword != "impl" {
            return None;
        }
        let head = self.flat.iter().take_while(|token| !matches!(token.as_str(), "{" | "where"));
        let mut depth = 0;
        let mut name = None;
        for token in head {
            match token.as_str() {
                "<" => depth += 1,
                ">" => depth -= 1,
                "for" if depth == 0 => name = None,
                word if depth == 0 && is_name(word) => name = Some(word.to_owned()),
                _ => {}
            }
        }
        name
    }

    /// The methods of an `impl` without a trait, each with the type.
    fn methods(&self) -> Vec<(String, String)> {
        let head = self.flat.iter().take_while(|token| token.as_str() != "{");
        let is_of_trait = head.clone().any(|token| token == "for");
        let (Some(of), false, Some(body)) = (self.impl_type(), is_of_trait, &self.body) else { return Vec::new() };
        let inner = items(body.clone()).into_iter().filter(|item| item.keyword == "fn");
        inner.map(|item| (of.clone(), item.name)).collect()
    }
}

/// The items of a file or of an `impl`, those for tests left out.
fn items(tokens: TokenStream) -> Vec<Item> {
    let mut items = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while tokens.peek().is_some() {
        let (mut is_test, mut whole, mut body, mut words) = (false, Vec::new(), None, Vec::new());
        for token in tokens.by_ref() {
            let after_hash = matches!(whole.last(), Some(TokenTree::Punct(mark)) if mark.as_char() == '#');
            match &token {
                TokenTree::Group(group) if after_hash && group.delimiter() == Delimiter::Bracket => {
                    is_test |= is_for_tests(&flat(group.stream()));
                    whole.pop();
                    continue;
                }
                TokenTree::Ident(word) => words.push(word.to_string()),
                _ => {}
            }
            let is_use = words.iter().any(|word| word == "use");
            let is_value = words.iter().any(|word| word == "static" || word == "const" || word == "type");
            let is_value = is_value && !words.iter().any(|word| word == "fn" || word == "impl" || word == "trait");
            let ends = match &token {
                TokenTree::Punct(mark) => mark.as_char() == ';',
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && !is_use && !is_value => {
                    body = Some(group.stream());
                    true
                }
                _ => false,
            };
            whole.push(token);
            if ends {
                break;
            }
        }
        let flat = flat(whole.into_iter().collect());
        let Some(at) = flat.iter().position(|token| KEYWORDS.contains(&token.as_str())) else { continue };
        let at = if flat[at] == "const" && flat.get(at + 1).is_some_and(|next| next == "fn") { at + 1 } else { at };
        let name = flat[at + 1..].iter().find(|token| is_name(token)).cloned().unwrap_or_default();
        let is_public = flat.first().is_some_and(|token| token == "pub");
        if !is_test {
            items.push(Item { is_public, keyword: flat[at].clone(), name, flat: flat[at + 1..].to_vec(), body });
        }
    }
    items
}

/// `cfg(test)`, also as one of several conditions, or `test`.
fn is_for_tests(attribute: &[String]) -> bool {
    let has = |word: &str| attribute.iter().any(|token| token == word);
    has("test") && !has("not")
}

/// The imports of a `use`, one for each name.
fn uses(item: &Item) -> Vec<Use> {
    fn tree(tokens: &[String], at: &mut usize, before: &[String], is_reexport: bool, found: &mut Vec<Use>) {
        let mut path = before.to_vec();
        let mut name = None;
        while let Some(token) = tokens.get(*at) {
            match token.as_str() {
                "," | "}" | ";" => break,
                "{" => {
                    *at += 1;
                    while tokens.get(*at).is_some_and(|token| token != "}") {
                        tree(tokens, at, &path, is_reexport, found);
                        *at += usize::from(tokens.get(*at).is_some_and(|token| token == ","));
                    }
                    *at += 1;
                    return;
                }
                "as" => {
                    *at += 1;
                    name = tokens.get(*at).cloned();
                }
                "*" => name = Some("*".to_owned()),
                // `a::{self}` is `a`.
                "self" if path.len() > before.len() || !before.is_empty() => {}
                word if is_name(word) => path.push(word.to_owned()),
                _ => {}
            }
            *at += 1;
        }
        let name = name.or_else(|| path.last().cloned()).unwrap_or_default();
        found.push(Use { path, name, is_reexport });
    }
    let mut found = Vec::new();
    tree(&item.flat, &mut 0, &[], item.is_public, &mut found);
    found
}

/// The paths of two names or more in code.
fn paths(code: &[String]) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    let begins = |at: usize| is_name(&code[at]) && !(at > 0 && matches!(code[at - 1].as_str(), "::" | "."));
    for at in (0..code.len()).filter(|at| begins(*at)) {
        let mut path = vec![code[at].clone()];
        let mut next = at + 1;
        while code.get(next).is_some_and(|token| token == "::") && code.get(next + 1).is_some_and(|it| is_name(it)) {
            path.push(code[next + 1].clone());
            next += 2;
        }
        if path.len() > 1 {
            found.insert(path);
        }
    }
    found
}

/// The names in `self.x(` and `Self::x`.
fn own_calls(code: &[String]) -> BTreeSet<String> {
    let is_call = |at: usize| matches!(code.get(at).map(String::as_str), Some("(" | "::"));
    let method = |(at, words): (usize, &[String])| match [words[0].as_str(), words[1].as_str()] {
        ["self", "."] if is_call(at + 3) => Some(words[2].clone()),
        ["Self", "::"] => Some(words[2].clone()),
        _ => None,
    };
    code.windows(3).enumerate().filter_map(method).collect()
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Tokens as texts, with those in brackets; `::` is one of them, and literals are left out.
fn flat(tokens: TokenStream) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let mut is_half = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                texts.push(open.to_owned());
                texts.extend(flat(group.stream()));
                texts.push(close.to_owned());
            }
            TokenTree::Ident(word) => texts.push(word.to_string()),
            TokenTree::Punct(mark) if is_half && mark.as_char() == ':' => texts.push("::".to_owned()),
            TokenTree::Punct(mark) if mark.as_char() == ':' && mark.spacing() == Spacing::Joint => {
                is_half = true;
                continue;
            }
            TokenTree::Punct(mark) => texts.push(mark.to_string()),
            TokenTree::Literal(_) => {}
        }
        is_half = false;
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::Crate;

    const LIB: &str = "mod a; mod b; mod deep; pub use a::A; #[cfg(test)] mod tests; pub fn go() {}";

    /// The circle of a crate with these files beside `lib.rs`.
    fn circle(files: &[(&str, &str)]) -> Option<String> {
        let read = |path: &str| {
            let given = files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned());
            let empty = (!path.contains("deep.rs") && !path.contains("/in")).then(String::new);
            given.or_else(|| (path == "lib.rs").then(|| LIB.to_owned())).or(empty)
        };
        Crate::read(&read).circle("")
    }

    #[test]
    fn two_files_that_name_each_other_are_a_circle() {
        let there = ("a.rs", "use crate::b::B; pub struct A(B);");
        assert_eq!(circle(&[there, ("b.rs", "pub struct B;")]), None);
        let found = circle(&[there, ("b.rs", "pub struct B; fn f() { super::a::A::new() }")]).expect("a circle");
        assert_eq!(found, "a.rs uses crate::b::B of b.rs\nb.rs uses super::a::A::new of a.rs\n");
    }

    #[test]
    fn a_name_is_followed_through_reexports_and_imported_modules() {
        let there = ("a.rs", "use crate::b; pub struct A; fn f() { b::f() }");
        for back in ["use super::{go, A};", "use crate::A as Other;", "use crate::*; fn f(_: A) {}", "use super::a::*;"]
        {
            let is_glob = back.contains("crate::*");
            assert_eq!(circle(&[there, ("b.rs", &format!("{back} pub fn f() {{}}"))]).is_some(), !is_glob, "{back}");
        }
    }

    #[test]
    fn methods_of_a_type_count_where_they_are_defined() {
        let there = ("a.rs", "pub struct A; impl A { fn f(&self) { self.g(); } }");
        let methods = "use crate::a::A; impl A { pub(crate) fn g(&self) { self.h() } fn h(&self) {} }";
        assert_eq!(circle(&[there, ("b.rs", methods)]), {
            Some("a.rs uses A::g of b.rs\nb.rs uses crate::a::A of a.rs\n".to_owned())
        });
        assert_eq!(circle(&[("a.rs", "pub struct A; impl Clone for A {}"), ("b.rs", methods)]), None);
    }

    #[test]
    fn a_parent_may_show_its_children_and_tests_may_use_everything() {
        let child = ("deep/inner.rs", "use super::Shared; pub struct Inner;");
        let parent =
            |uses: &str| format!("mod inner; {uses} pub struct Shared; #[cfg(test)] mod tests {{ use crate::a::A; }}");
        assert_eq!(circle(&[("deep/mod.rs", &parent("pub(crate) use inner::Inner;")), child]), None);
        assert!(circle(&[("deep/mod.rs", &parent("use inner::Inner;")), child]).is_some());
        assert!(circle(&[("deep/mod.rs", &parent("const X: inner::Inner = inner::Inner { };")), child]).is_some());
    }
}
