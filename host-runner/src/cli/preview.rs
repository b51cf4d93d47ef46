//! `winter preview`.

use std::path::PathBuf;

use clap::Args;
use winter_runner::{RunnerError, preview};

use super::human;

#[derive(Args)]
pub(crate) struct Preview {
    /// The repository to show at once; a folder can be chosen in the page as well.
    #[arg(value_name = "REPO")]
    repository: Option<PathBuf>,
    /// The port on 127.0.0.1. Default: a free one
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
}

impl Preview {
    pub(super) fn run(&self) -> Result<(), RunnerError> {
        let repository = self.repository.as_deref().map(preview::repository).transpose()?;
        let server = preview::Server::bind(self.port, repository)?;
        human::out(&format!("http://{}/\nends with Ctrl-C\n", server.address()))?;
        server.serve()
    }
}
