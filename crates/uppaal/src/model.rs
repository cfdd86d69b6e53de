//! Networks that can be worked on.

use provoke_base::{Diagnostic, SourceFile};

use crate::network::Network;

/// A network of timed automata without errors, with the questions that are asked of it.
#[derive(Clone, Debug)]
pub struct NetworkModel {
    /// Its text.
    pub file: SourceFile,
    /// What it does, and what is asked of it.
    pub network: Network,
    /// The questions that were given in place of those of the file, if there are any.
    pub queries: Vec<String>,
}

/// Why a text is no network that can be worked on.
#[derive(Clone, Debug)]
pub struct RejectedNetwork {
    /// What is wrong with the text, and what may be; nothing if only questions are wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// What is wrong with each of the questions; its places are in the question's own text.
    pub about_queries: Vec<Option<Diagnostic>>,
}

impl NetworkModel {
    /// The network of a text, with questions in place of its own if there are any.
    pub fn read(file: &SourceFile, queries: &[String]) -> Result<NetworkModel, RejectedNetwork> {
        let (loaded, about_queries) = crate::load_asking(file, queries);
        match loaded.network {
            Some(network) if about_queries.iter().all(Option::is_none) => {
                Ok(NetworkModel { file: file.clone(), network, queries: queries.to_vec() })
            }
            Some(_) => Err(RejectedNetwork { diagnostics: Vec::new(), about_queries }),
            None => Err(RejectedNetwork { diagnostics: loaded.diagnostics, about_queries }),
        }
    }
}
