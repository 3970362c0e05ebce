//! The command `stiction`.

fn main() -> std::process::ExitCode {
    stiction_cli::main(std::env::args_os())
}
