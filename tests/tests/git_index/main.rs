//! What the runner's reader says of real repositories, with the real `git` as the judge.

mod agreement;
mod git;
mod hostile;
mod kinds;
mod situations;
