//! Shared helpers of the border tests.
