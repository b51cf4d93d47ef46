//! The shape of the tables, and how a name is looked up in them. Nothing here knows a single variable.

use crate::brand::Profile;

use super::{EnvClass, EnvRow, Shape, Standing};

/// The brands whose sessions a group speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Brands {
    /// Every brand.
    Every,
    /// Brands that follow the contract; its names follow the brand's own prefix.
    Contract,
    /// Brands that speak to the public program, by its names.
    Public,
}

impl Brands {
    fn hold(self, brand: &Profile) -> bool {
        self == Self::Every || (self == Self::Public) == (brand.env_prefix == "CLAUDE_")
    }
}

/// How letters compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    /// As each group says.
    AsRead,
    /// Without case in every group.
    Ignored,
}

/// Rows that share a class and a reason. All text is in capitals, and each list is in byte order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    standing: Standing,
    about: &'static str,
    brands: Brands,
    fold: bool,
    names: &'static [&'static str],
    patterns: [(Shape, &'static [&'static str]); 3],
}

impl Group {
    /// An empty group of a class.
    pub(super) const fn refused(class: &'static EnvClass, about: &'static str) -> Self {
        Self::new(Standing::Refused(class), about)
    }

    /// An empty group.
    pub(super) const fn new(standing: Standing, about: &'static str) -> Self {
        let patterns = [(Shape::Prefix, &[] as &[_]), (Shape::Suffix, &[]), (Shape::Inner, &[])];
        Self { standing, about, brands: Brands::Every, fold: false, names: &[], patterns }
    }

    /// Whole names.
    pub(super) const fn names(mut self, names: &'static [&'static str]) -> Self {
        self.names = names;
        self
    }

    /// What names begin with.
    pub(super) const fn prefixes(mut self, prefixes: &'static [&'static str]) -> Self {
        self.patterns[0].1 = prefixes;
        self
    }

    /// What names end with.
    pub(super) const fn suffixes(mut self, suffixes: &'static [&'static str]) -> Self {
        self.patterns[1].1 = suffixes;
        self
    }

    /// What names hold.
    pub(super) const fn inner(mut self, inner: &'static [&'static str]) -> Self {
        self.patterns[2].1 = inner;
        self
    }

    /// Compared without case too.
    pub(super) const fn any_case(mut self) -> Self {
        self.fold = true;
        self
    }

    /// For some brands only.
    pub(super) const fn only(mut self, brands: Brands) -> Self {
        self.brands = brands;
        self
    }

    /// Its rows, whole names first.
    pub(super) fn rows(&'static self) -> impl Iterator<Item = EnvRow> {
        let shape = if self.brands == Brands::Contract { Shape::Branded } else { Shape::Exact };
        let names = self.names.iter().map(move |text| self.row(shape, text));
        let patterns = self.patterns.iter().flat_map(|(shape, texts)| texts.iter().map(|text| self.row(*shape, text)));
        names.chain(patterns)
    }

    fn row(&self, shape: Shape, text: &'static str) -> EnvRow {
        EnvRow { pattern: text, shape, standing: self.standing, about: self.about, fold: self.fold }
    }

    /// The row that names `name`.
    pub(super) fn find(&self, name: &str, brand: &Profile, case: Case) -> Option<EnvRow> {
        if !self.brands.hold(brand) {
            return None;
        }
        let fold = self.fold || case == Case::Ignored;
        let (shape, rest) = match self.brands {
            Brands::Contract => (Shape::Branded, strip(name, &brand.env_prefix, fold)?),
            _ => (Shape::Exact, name),
        };
        if let Some(text) = search(self.names, rest, fold) {
            return Some(self.row(shape, text));
        }
        self.patterns.iter().find_map(|(shape, texts)| {
            let text = texts.iter().find(|text| matches(*shape, name, text, fold))?;
            Some(self.row(*shape, text))
        })
    }

    /// Each list of the group.
    #[cfg(test)]
    pub(super) fn lists(&self) -> [&'static [&'static str]; 4] {
        [self.names, self.patterns[0].1, self.patterns[1].1, self.patterns[2].1]
    }

    /// Whether the group belongs to sessions of `brand`.
    pub(super) fn speaks_of(&self, brand: &Profile) -> bool {
        self.brands.hold(brand)
    }
}

/// The entry of a sorted list that is `name`.
fn search(names: &'static [&'static str], name: &str, fold: bool) -> Option<&'static str> {
    let at = if fold {
        // The lists are in capitals, so that their byte order is also the order without case.
        names.binary_search_by(|text| text.bytes().cmp(name.bytes().map(|byte| byte.to_ascii_uppercase())))
    } else {
        names.binary_search(&name)
    };
    at.ok().map(|at| names[at])
}

fn matches(shape: Shape, name: &str, text: &str, fold: bool) -> bool {
    let (name, text) = (name.as_bytes(), text.as_bytes());
    let Some(spare) = name.len().checked_sub(text.len()) else { return false };
    match shape {
        Shape::Exact | Shape::Branded => equal(name, text, fold),
        Shape::Prefix => equal(&name[..text.len()], text, fold),
        Shape::Suffix => equal(&name[spare..], text, fold),
        Shape::Inner => name.windows(text.len()).any(|part| equal(part, text, fold)),
    }
}

/// What follows `prefix`.
pub(super) fn strip<'a>(name: &'a str, prefix: &str, fold: bool) -> Option<&'a str> {
    let (head, rest) = name.split_at_checked(prefix.len())?;
    equal(head.as_bytes(), prefix.as_bytes(), fold).then_some(rest)
}

fn equal(one: &[u8], other: &[u8], fold: bool) -> bool {
    if fold { one.eq_ignore_ascii_case(other) } else { one == other }
}
