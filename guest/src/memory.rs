//! An in-memory host: the ports over plain maps, for tests and for hosts that have no file system.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::ports::{
    Clock, Entry, Evidence, FilesError, Folder, GitIndex, Identity, IoError, IoKind, Kind, Listing, ProbeError,
};

/// One thing in a [`MemoryFolder`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A regular file.
    File(Vec<u8>),
    /// A link.
    Link(String),
    /// A folder.
    Folder,
    /// A FIFO or a device.
    Other,
    /// A file that may not be read.
    Unreadable,
}

/// A whole file system: absolute paths and what stands there.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    nodes: Rc<RefCell<BTreeMap<String, Node>>>,
}

/// A handle to one folder of a [`Memory`].
#[derive(Clone, Debug)]
pub struct MemoryFolder {
    memory: Memory,
    grant: String,
    path: String,
}

impl Memory {
    /// Puts a node at an absolute path; the folders above it come into being.
    ///
    /// ```
    /// use winter_policy::{memory::{Memory, Node}, ports::Folder};
    /// let memory = Memory::default();
    /// memory.put("/p/a.txt", Node::File(b"x".to_vec()));
    /// let folder = memory.grant("/p");
    /// let entry = folder.stat("a.txt").unwrap().unwrap();
    /// assert_eq!(folder.read("a.txt", &entry.identity, 10).unwrap(), b"x");
    /// ```
    pub fn put(&self, path: &str, node: Node) {
        let mut nodes = self.nodes.borrow_mut();
        let mut above = path;
        while let Some((folder, _)) = above.rsplit_once('/') {
            nodes.entry(if folder.is_empty() { "/".to_owned() } else { folder.to_owned() }).or_insert(Node::Folder);
            above = folder;
        }
        nodes.insert(path.to_owned(), node);
    }

    /// A text file.
    pub fn file(&self, path: &str, text: &str) {
        self.put(path, Node::File(text.as_bytes().to_vec()));
    }

    /// A handle to the folder at that path.
    pub fn grant(&self, path: &str) -> MemoryFolder {
        MemoryFolder { memory: self.clone(), grant: path.to_owned(), path: path.to_owned() }
    }
}

impl MemoryFolder {
    fn at(&self, name: &str) -> Result<String, FilesError> {
        if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\0']) {
            return Err(FilesError::BadName);
        }
        Ok(format!("{}/{name}", self.path.trim_end_matches('/')))
    }

    fn node(&self, path: &str) -> Option<Node> {
        self.memory.nodes.borrow().get(path).cloned()
    }
}

fn entry(path: &str, name: &str, node: &Node) -> Entry {
    let (kind, size) = match node {
        Node::File(bytes) => (Kind::Regular, bytes.len()),
        Node::Unreadable => (Kind::Regular, 0),
        Node::Link(target) => (Kind::Link, target.len()),
        Node::Folder => (Kind::Directory, 0),
        Node::Other => (Kind::Other, 0),
    };
    // A number that the path decides, so that runs agree.
    let inode = path
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    let identity = Identity { device: 1, inode, size: size as u64, changed_ns: 0 };
    Entry { name: name.to_owned(), kind, identity, mode: 0o644 }
}

impl Folder for MemoryFolder {
    fn path(&self) -> String {
        self.path.clone()
    }

    fn stat(&self, name: &str) -> Result<Option<Entry>, FilesError> {
        let path = self.at(name)?;
        Ok(self.node(&path).map(|node| entry(&path, name, &node)))
    }

    fn entries(&self, max: u32) -> Result<Listing, FilesError> {
        let prefix = format!("{}/", self.path.trim_end_matches('/'));
        let nodes = self.memory.nodes.borrow();
        let mut entries: Vec<Entry> = nodes
            .range(prefix.clone()..)
            .map_while(|(path, node)| Some((path, path.strip_prefix(&prefix)?, node)))
            .filter(|(_, name, _)| !name.is_empty() && !name.contains('/'))
            .map(|(path, name, node)| entry(path, name, node))
            .collect();
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        let cut = entries.len() > max as usize;
        entries.truncate(max as usize);
        Ok(Listing { entries, cut, unnamed: 0 })
    }

    fn open_folder(&self, name: &str) -> Result<Self, FilesError> {
        let path = self.at(name)?;
        match self.node(&path) {
            Some(Node::Folder) => Ok(Self { path, ..self.clone() }),
            Some(Node::Link(_)) => Err(FilesError::Linked),
            Some(_) => Err(FilesError::NotAFolder),
            None => Err(not_found()),
        }
    }

    fn parent(&self) -> Result<Option<Self>, FilesError> {
        if self.path == self.grant {
            return Ok(None);
        }
        Ok(self.path.rsplit_once('/').map(|(path, _)| Self { path: path.to_owned(), ..self.clone() }))
    }

    fn read(&self, name: &str, admitted: &Identity, limit: u64) -> Result<Vec<u8>, FilesError> {
        let path = self.at(name)?;
        let node = self.node(&path).ok_or_else(not_found)?;
        let now = entry(&path, name, &node);
        match node {
            Node::Link(_) => Err(FilesError::Linked),
            Node::Folder | Node::Other => Err(FilesError::NotRegular),
            _ if now.identity != *admitted => Err(FilesError::Changed),
            Node::Unreadable => {
                Err(FilesError::Io(IoError { kind: IoKind::Permission, text: "permission denied".to_owned() }))
            }
            Node::File(bytes) if bytes.len() as u64 > limit => Err(FilesError::TooLarge(bytes.len() as u64)),
            Node::File(bytes) => Ok(bytes),
        }
    }

    fn read_link(&self, name: &str) -> Result<String, FilesError> {
        match self.node(&self.at(name)?) {
            Some(Node::Link(target)) => Ok(target),
            Some(_) => Err(FilesError::Io(IoError { kind: IoKind::Other, text: "not a link".to_owned() })),
            None => Err(not_found()),
        }
    }
}

fn not_found() -> FilesError {
    FilesError::Io(IoError { kind: IoKind::NotFound, text: "not found".to_owned() })
}

/// The folder and the paths of each question.
type Asked = Rc<RefCell<Vec<(String, Vec<String>)>>>;

/// A git index with one prepared answer, and a record of what it was asked.
#[derive(Clone, Debug)]
pub struct MemoryGit {
    /// The answer.
    pub answer: Result<Vec<Evidence>, ProbeError>,
    /// The folders and paths of each question.
    pub asked: Asked,
}

impl MemoryGit {
    /// A git index that gives this answer to every question.
    pub fn answering(answer: Result<Vec<Evidence>, ProbeError>) -> Self {
        Self { answer, asked: Rc::default() }
    }
}

impl GitIndex for MemoryGit {
    type Folder = MemoryFolder;

    fn probe(&self, top: &MemoryFolder, paths: &[String]) -> Result<Vec<Evidence>, ProbeError> {
        self.asked.borrow_mut().push((top.path(), paths.to_vec()));
        self.answer.clone()
    }
}

/// A clock that stands still.
#[derive(Clone, Copy, Debug)]
pub struct Still(
    /// Milliseconds since the Unix epoch.
    pub u64,
);

impl Clock for Still {
    fn now(&self) -> u64 {
        self.0
    }
}
