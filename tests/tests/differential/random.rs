//! Numbers that are the same in every run (`SplitMix64`), and what is made of them.

pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap_or_default()
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Some of them, in any order, with repetitions.
    pub(crate) fn some<'a, T>(&mut self, all: &'a [T], most: usize) -> Vec<&'a T> {
        (0..self.below(most + 1)).map(|_| self.pick(all)).collect()
    }

    /// Text of what escaping, quoting and encodings care about.
    pub(crate) fn text(&mut self) -> String {
        let letters = [
            "/", "a", "b", " ", "[", "]", "*", "?", "(", ")", "{", "}", "\\", "!", "#", "~", "$", "\"", "\t", "\n",
            "\r", "\0", "\u{a0}", "ü", "ß", "\u{202e}", "\u{2028}", "\u{feff}", "\u{7f}", "\u{1f}", "😀", "日", "%",
            ":", ",",
        ];
        let length = self.below(16);
        (0..length).map(|_| *self.pick(&letters)).collect()
    }
}
