//! The public agent program, driven offline: what it writes, and what it does on a run home.

mod containment;
mod corpus;
mod driving;
mod drop_in;
mod escapes;
mod reviews;
mod run_homes;
mod sandbox;
mod sessions;
mod transcript_facts;
mod transcripts;
