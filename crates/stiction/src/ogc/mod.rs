//! Offset geometric contact: every point around a surface belongs to one vertex, edge or face. \[Chen2025\]

pub mod feasible;
