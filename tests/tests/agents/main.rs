//! The public agent program, driven offline: what it writes, and what it does on a run home.

mod driving;
mod transcript_facts;
mod transcripts;
