//! Recovery by the program, disturbed.

mod kills;
