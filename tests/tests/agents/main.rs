//! The public agent program, driven offline: what it writes, and what it does on a run home.

mod driving;
mod reviews;
mod transcript_facts;
mod transcripts;
