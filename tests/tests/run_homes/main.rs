//! Run homes through the library, over real folders and real repositories.

mod accounting;
mod folders;
mod inputs;
mod kills;
mod kinds;
mod links;
mod local_tier;
mod published;
mod reported;
mod repositories;
mod standing;
mod swaps;
mod whole;
