//! Text as the program's lexer sees it: UTF-16 units, each with the byte of the file that it came from.
//!
//! The lexer cuts by counting units, and it takes quote marks and indentation off before it looks inside a container;
//! so an offset in its text is not one in the file.

/// Stands where something that is not text was, e.g. a code span.
pub(super) const GAP: u16 = 0xFFFF;

/// Units that are owned, with their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    units: Vec<u16>,
    at: Vec<u32>,
}

/// Units that are borrowed, with their places.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    units: &'a [u16],
    at: &'a [u32],
}

impl Text {
    /// A file's text without the BOM at its start; every line end is one `\n`.
    pub(super) fn of(text: &str) -> Self {
        let mut out = Self::default();
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let c = match c {
                '\u{feff}' if at == 0 => continue,
                '\r' => {
                    if chars.peek().is_some_and(|(_, next)| *next == '\n') {
                        chars.next();
                    }
                    '\n'
                }
                c => c,
            };
            let mut pair = [0; 2];
            for unit in c.encode_utf16(&mut pair) {
                out.push(*unit, u32::try_from(at).unwrap_or(u32::MAX));
            }
        }
        out
    }

    pub(super) fn view(&self) -> View<'_> {
        View { units: &self.units, at: &self.at }
    }

    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    pub(super) fn push(&mut self, unit: u16, at: u32) {
        self.units.push(unit);
        self.at.push(at);
    }

    /// A unit of our own making, at the place of the one before it.
    pub(super) fn push_made(&mut self, unit: u16) {
        self.push(unit, self.at.last().copied().unwrap_or(0));
    }

    pub(super) fn push_view(&mut self, view: View<'_>) {
        self.units.extend_from_slice(view.units);
        self.at.extend_from_slice(view.at);
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.units.truncate(len);
        self.at.truncate(len);
    }

    pub(super) fn trim_end(&mut self) {
        self.truncate(self.view().trim_end().len());
    }
}

impl<'a> View<'a> {
    pub(super) fn len(self) -> usize {
        self.units.len()
    }

    pub(super) fn is_empty(self) -> bool {
        self.units.is_empty()
    }

    pub(super) fn at(self, index: usize) -> u32 {
        self.at.get(index).copied().unwrap_or(0)
    }

    /// The unit at `index` as a byte, when it is ASCII.
    pub(super) fn get(self, index: usize) -> Option<u8> {
        self.units.get(index).and_then(|unit| u8::try_from(*unit).ok()).filter(u8::is_ascii)
    }

    pub(super) fn unit(self, index: usize) -> Option<u16> {
        self.units.get(index).copied()
    }

    pub(super) fn is(self, index: usize, byte: u8) -> bool {
        self.get(index) == Some(byte)
    }

    /// From `start` to `end`, each cut to the length.
    pub(super) fn cut(self, start: usize, end: usize) -> View<'a> {
        let end = end.min(self.len());
        let start = start.min(end);
        View { units: &self.units[start..end], at: &self.at[start..end] }
    }

    pub(super) fn from(self, start: usize) -> View<'a> {
        self.cut(start, self.len())
    }

    /// Where the line ends that `index` is in: at its `\n`, or at the end.
    pub(super) fn line_end(self, index: usize) -> usize {
        self.find(index, b'\n').unwrap_or(self.len())
    }

    pub(super) fn find(self, from: usize, byte: u8) -> Option<usize> {
        (from..self.len()).find(|i| self.is(*i, byte))
    }

    pub(super) fn find_all(self, from: usize, bytes: &[u8]) -> Option<usize> {
        (from..self.len()).find(|i| self.holds(*i, bytes))
    }

    pub(super) fn holds(self, index: usize, bytes: &[u8]) -> bool {
        bytes.iter().enumerate().all(|(i, byte)| self.is(index + i, *byte))
    }

    pub(super) fn holds_caseless(self, index: usize, bytes: &[u8]) -> bool {
        bytes.iter().enumerate().all(|(i, byte)| self.get(index + i).is_some_and(|b| b.eq_ignore_ascii_case(byte)))
    }

    /// How many of `byte` stand at `index`, `most` at most.
    pub(super) fn run(self, index: usize, byte: u8, most: usize) -> usize {
        (0..most).take_while(|i| self.is(index + i, byte)).count()
    }

    /// The first index from `index` on at which `keep` does not hold.
    pub(super) fn skip(self, index: usize, keep: impl Fn(u16) -> bool) -> usize {
        (index..self.len()).find(|i| !keep(self.units[*i])).unwrap_or_else(|| self.len().max(index))
    }

    /// After the spaces and tabs at `index`.
    pub(super) fn blanks(self, index: usize) -> usize {
        self.skip(index, |u| u == 0x20 || u == 0x09)
    }

    pub(super) fn at_end_of_line(self, index: usize) -> bool {
        index >= self.len() || self.is(index, b'\n')
    }

    pub(super) fn space_at(self, index: usize) -> bool {
        self.unit(index).is_some_and(is_space)
    }

    pub(super) fn trim_end(self) -> View<'a> {
        let end = (0..self.len()).rev().find(|i| !is_space(self.units[*i])).map_or(0, |i| i + 1);
        self.cut(0, end)
    }

    pub(super) fn trim(self) -> View<'a> {
        let kept = self.trim_end();
        kept.from(kept.skip(0, is_space))
    }

    pub(super) fn is_blank(self) -> bool {
        self.trim_end().is_empty()
    }

    pub(super) fn to_text(self) -> Text {
        Text { units: self.units.to_vec(), at: self.at.to_vec() }
    }

    pub(super) fn units(self) -> &'a [u16] {
        self.units
    }
}

/// What the program's language calls white space.
pub(super) fn is_space(unit: u16) -> bool {
    matches!(unit, 0x09..=0x0D | 0x20 | 0xA0 | 0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000 | 0xFEFF)
}

/// The two line ends that a dot does not match, beside `\n`.
pub(super) fn is_rare_line_end(unit: u16) -> bool {
    matches!(unit, 0x2028 | 0x2029)
}
