//! The program `winter` as a person runs it: what it prints, what it takes for granted, and what it says to input that
//! cannot be used.

mod defaults;
mod fixture;
mod golden;
mod goldens;
mod homes;
mod hooks;
mod machines;
mod models;
mod paths;
mod person;
mod sessions;
mod settings_files;
mod terminal;
