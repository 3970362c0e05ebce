//! Files for other programs, read back.

mod folder;
mod gltf;
mod parquet;
mod sample;
mod sequence;
