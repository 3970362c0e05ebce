//! Files for other programs, read back.

mod parquet;
mod sample;
mod sequence;
