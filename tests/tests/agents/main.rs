//! The public agent program, driven offline: what it writes, and what it does on a run home.

mod containment;
mod driving;
mod reviews;
mod run_homes;
mod sessions;
mod transcript_facts;
mod transcripts;
