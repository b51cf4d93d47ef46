//! Sorting, with one copy of the sorting code for all types.
//!
//! The standard library's sort is made anew for each type that it sorts; in the component these copies were a tenth of
//! all code. Here only the comparison and the moving are.

use std::cmp::Ordering;

/// Sorts as [`slice::sort`] does: stable, `O(n log n)` comparisons.
pub(crate) fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Sorts as [`slice::sort_by_key`] does.
pub(crate) fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts as [`slice::sort_by`] does.
pub(crate) fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut order = sorted(items.len(), &|a, b| compare(&items[a], &items[b]));
    // Along each cycle, every item goes to its place and the place is marked as done.
    for start in 0..order.len() {
        let mut to = start;
        loop {
            let from = std::mem::replace(&mut order[to], to);
            if from == start || from == to {
                break;
            }
            items.swap(to, from);
            to = from;
        }
    }
}

/// Where the item of each place stands now.
fn sorted(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

#[cfg(test)]
mod tests {
    use crate::testing::test;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_library_does(items: Vec<(u8, u16)>) {
            let (mut ours, mut theirs) = (items.clone(), items);
            super::sort(&mut ours);
            theirs.sort_unstable();
            prop_assert_eq!(ours, theirs);
        }

        #[test]
        fn equal_items_keep_their_order(items: Vec<(u8, u16)>) {
            let (mut ours, mut theirs) = (items.clone(), items);
            super::sort_by_key(&mut ours, |item| item.0 & 3);
            theirs.sort_by_key(|item| item.0 & 3);
            prop_assert_eq!(ours, theirs);
        }
    }
}
