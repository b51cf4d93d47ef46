//! The public agent program, driven offline.
//!
//! [`ModelServer`] stands in for the model: a test scripts its answers with [`Reply`] and reads back every request.
//! [`Agent`] finds the program and runs headless turns of it against that server, inside an [`Island`], a network of
//! which nothing but loopback is part. [`Ended`] is what a turn left behind.

mod island;
mod model_server;
mod process;
mod program;
mod reply;
mod wire;

pub use island::Island;
pub use model_server::{ModelServer, in_order};
pub use process::{Ended, Running};
pub use program::{Agent, Turn, VERSION, file_block, find, text_message, user_message};
pub use reply::{Block, Reply};
pub use wire::Request;
