//! What the runner's reader says of real repositories, with the real `git` as the judge.

mod agreement;
mod hostile;
mod kinds;
mod situations;

use winter_tests::git;
