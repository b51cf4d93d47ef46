//! The calls through Wasmtime and the embedded component: arguments and answers by the component's own types.

use serde_json::{Map, Value, json};
use wasmtime::Store;
use wasmtime::component::types::Type;
use wasmtime::component::{Component, HasSelf, Linker, Resource, ResourceAny, Val};
use winter_policy::memory::MemoryFolder;
use winter_policy::ports::{self, Folder as _};

use crate::corpus::Call;
use crate::native::planted;

mod bindings {
    #![allow(missing_docs, clippy::pedantic, unreachable_pub)]
    wasmtime::component::bindgen!({
        world: "runtime",
        path: "../wit",
        imports: { default: trappable },
        with: { "winter:host/files.folder": winter_policy::memory::MemoryFolder },
    });
}
use bindings::winter::host::{clock, files, git_index, process};

/// The component, and the engine that runs it.
pub(crate) struct Wasm {
    component: Component,
    linker: Linker<Host>,
}

struct Host {
    /// Every folder that was lent or opened, by the number of its handle.
    folders: Vec<MemoryFolder>,
    mine: bool,
}

impl Wasm {
    pub(crate) fn new() -> Self {
        let (engine, component) = winter_runner::compiled().expect("the engine runs here");
        let mut linker = Linker::new(&engine);
        bindings::Runtime::add_to_linker::<Host, HasSelf<Host>>(&mut linker, |host| host).expect("the imports fit");
        Self { component, linker }
    }

    /// The answer in a fresh instance.
    pub(crate) fn answer(&self, call: &Call, tree: Option<&Value>) -> Value {
        let host = Host { folders: Vec::new(), mine: call.local == "mine" };
        let mut store = Store::new(self.linker.engine(), host);
        store.set_epoch_deadline(1);
        let instance = self.linker.instantiate(&mut store, &self.component).expect("it starts");
        let (area, name) = call.function.split_once('.').expect("area and name");
        let interface = format!("winter:runtime/{area}@0.1.0");
        let area = instance.get_export_index(&mut store, None, &interface).expect("an exported interface");
        let export = instance.get_export_index(&mut store, Some(&area), name).expect("an exported function");
        let function = instance.get_func(&mut store, export).expect("a function");
        let ty = function.ty(&store);
        let memory = tree.map(planted);
        let mut lend = |path: &str| {
            let folder = memory.as_ref().expect("a call that lends folders names a tree").grant(path);
            let handle = store.data_mut().handle(folder);
            Val::Resource(ResourceAny::try_from_resource(handle, &mut store).expect("a handle"))
        };
        assert_eq!(ty.params().len(), call.arguments.len(), "{}", call.function);
        let arguments: Vec<Val> =
            ty.params().zip(&call.arguments).map(|((_, ty), value)| lower(value, &ty, &mut lend)).collect();
        let mut results = [Val::Bool(false)];
        function
            .call(&mut store, &arguments, &mut results)
            .unwrap_or_else(|error| panic!("{}: {error}", call.function));
        let [result] = results;
        let ty = ty.results().next().expect("every function answers");
        match (result, ty) {
            (Val::Result(Ok(value)), Type::Result(ty)) => json!({"ok": boxed(value, ty.ok())}),
            (Val::Result(Err(value)), Type::Result(ty)) => json!({"err": boxed(value, ty.err())}),
            (value, ty) => json!({"ok": lift(value, &ty)}),
        }
    }
}

/// JSON with marks, as a value of that type.
fn lower(value: &Value, ty: &Type, lend: &mut impl FnMut(&str) -> Val) -> Val {
    let text = || value.as_str().unwrap_or_else(|| panic!("a text, not {value}")).to_owned();
    match ty {
        Type::Bool => Val::Bool(value.as_bool().expect("a bool")),
        Type::U32 => Val::U32(value.as_u64().and_then(|number| number.try_into().ok()).expect("a u32")),
        Type::U64 => Val::U64(value["$u64"].as_str().and_then(|digits| digits.parse().ok()).expect("a u64")),
        Type::String => Val::String(text()),
        Type::Enum(_) => Val::Enum(text()),
        Type::List(list) if list.ty() == Type::U8 => {
            Val::List(crate::native::bytes(value).into_iter().map(Val::U8).collect())
        }
        Type::List(list) => {
            let items = value.as_array().unwrap_or_else(|| panic!("a list, not {value}"));
            Val::List(items.iter().map(|item| lower(item, &list.ty(), lend)).collect())
        }
        Type::Option(_) if value.is_null() => Val::Option(None),
        Type::Option(inner) => Val::Option(Some(Box::new(lower(value, &inner.ty(), lend)))),
        Type::Record(record) => {
            let fields = record.fields().map(|field| {
                let value = value.get(field.name).unwrap_or_else(|| panic!("{} is missing in {value}", field.name));
                (field.name.to_owned(), lower(value, &field.ty, lend))
            });
            Val::Record(fields.collect())
        }
        Type::Variant(variant) => {
            let name = value["$case"].as_str().unwrap_or_else(|| panic!("a case, not {value}"));
            let case = variant.cases().find(|case| case.name == name).expect("a case of the variant");
            Val::Variant(name.to_owned(), case.ty.map(|ty| Box::new(lower(&value["value"], &ty, lend))))
        }
        Type::Own(_) | Type::Borrow(_) => lend(value["$folder"].as_str().expect("a folder")),
        other => panic!("no argument is a {other:?}"),
    }
}

fn boxed(value: Option<Box<Val>>, ty: Option<Type>) -> Value {
    value.zip(ty).map_or(Value::Null, |(value, ty)| lift(*value, &ty))
}

/// A value as JSON, in the form in which the native crate serialises its own.
fn lift(value: Val, ty: &Type) -> Value {
    match (value, ty) {
        (Val::Bool(value), _) => json!(value),
        (Val::U32(value), _) => json!(value),
        (Val::U64(value), _) => json!(value),
        (Val::String(text) | Val::Enum(text), _) => json!(text),
        (Val::List(items), Type::List(list)) if list.ty() == Type::U8 => {
            let bytes = items.into_iter().map(|item| if let Val::U8(byte) = item { byte } else { 0 }).collect();
            String::from_utf8(bytes).map_or_else(|error| json!(error.into_bytes()), |text| json!(text))
        }
        (Val::List(items), Type::List(list)) => items.into_iter().map(|item| lift(item, &list.ty())).collect(),
        (Val::Option(value), Type::Option(option)) => boxed(value, Some(option.ty())),
        (Val::Record(fields), Type::Record(record)) => {
            let types = record.fields().map(|field| field.ty);
            let members = fields.into_iter().zip(types).map(|((name, value), ty)| (name, lift(value, &ty)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        (Val::Variant(name, value), Type::Variant(variant)) => {
            let ty = variant.cases().find(|case| case.name == name).and_then(|case| case.ty);
            if value.is_none() { json!(name) } else { json!({name: boxed(value, ty)}) }
        }
        (value, ty) => panic!("no answer is a {ty:?}: {value:?}"),
    }
}

type Outcome<T, E> = wasmtime::Result<Result<T, E>>;

impl Host {
    fn handle(&mut self, folder: MemoryFolder) -> Resource<MemoryFolder> {
        self.folders.push(folder);
        Resource::new_own(u32::try_from(self.folders.len() - 1).expect("few folders"))
    }

    fn folder(&self, handle: &Resource<MemoryFolder>) -> wasmtime::Result<MemoryFolder> {
        let found = self.folders.get(handle.rep() as usize).cloned();
        found.ok_or_else(|| wasmtime::Error::msg("a handle that nobody gave"))
    }
}

impl files::Host for Host {}

impl files::HostFolder for Host {
    fn path(&mut self, this: Resource<MemoryFolder>) -> wasmtime::Result<String> {
        Ok(self.folder(&this)?.path())
    }

    fn stat(&mut self, this: Resource<MemoryFolder>, name: String) -> Outcome<Option<files::Entry>, files::FilesError> {
        Ok(self.folder(&this)?.stat(&name).map(|found| found.map(entry)).map_err(fault))
    }

    fn entries(&mut self, this: Resource<MemoryFolder>, max: u32) -> Outcome<files::Listing, files::FilesError> {
        let listing = self.folder(&this)?.entries(max).map_err(fault);
        Ok(listing.map(|listing| files::Listing {
            entries: listing.entries.into_iter().map(entry).collect(),
            cut: listing.cut,
            unnamed: listing.unnamed,
        }))
    }

    fn open_folder(
        &mut self,
        this: Resource<MemoryFolder>,
        name: String,
    ) -> Outcome<Resource<MemoryFolder>, files::FilesError> {
        Ok(match self.folder(&this)?.open_folder(&name) {
            Ok(folder) => Ok(self.handle(folder)),
            Err(error) => Err(fault(error)),
        })
    }

    fn parent(&mut self, this: Resource<MemoryFolder>) -> Outcome<Option<Resource<MemoryFolder>>, files::FilesError> {
        Ok(match self.folder(&this)?.parent() {
            Ok(Some(folder)) => Ok(Some(self.handle(folder))),
            Ok(None) => Ok(None),
            Err(error) => Err(fault(error)),
        })
    }

    fn read(
        &mut self,
        this: Resource<MemoryFolder>,
        name: String,
        admitted: files::Identity,
        limit: u64,
    ) -> Outcome<Vec<u8>, files::FilesError> {
        let files::Identity { device, inode, size, changed_ns } = admitted;
        let admitted = ports::Identity { device, inode, size, changed_ns };
        Ok(self.folder(&this)?.read(&name, &admitted, limit).map_err(fault))
    }

    fn read_link(&mut self, this: Resource<MemoryFolder>, name: String) -> Outcome<String, files::FilesError> {
        Ok(self.folder(&this)?.read_link(&name).map_err(fault))
    }

    fn drop(&mut self, this: Resource<MemoryFolder>) -> wasmtime::Result<()> {
        self.folder(&this).map(drop)
    }
}

impl git_index::Host for Host {
    fn probe(
        &mut self,
        _top: Resource<MemoryFolder>,
        paths: Vec<String>,
    ) -> Outcome<Vec<git_index::Evidence>, git_index::ProbeError> {
        let listed =
            |path| git_index::Evidence { path, place: git_index::Place::InIndex, mode: 0o100_644, covering: false };
        Ok(Ok(if self.mine { Vec::new() } else { paths.into_iter().map(listed).collect() }))
    }
}

impl process::Host for Host {
    fn spawn(&mut self, command: process::Command, _cwd: Resource<MemoryFolder>) -> Outcome<u64, process::SpawnError> {
        let granted = command.program == "granted";
        Ok(if granted { Ok(7) } else { Err(process::SpawnError::NotGranted(command.program)) })
    }
}

impl clock::Host for Host {
    fn now(&mut self) -> wasmtime::Result<u64> {
        Ok(crate::native::NOW)
    }
}

fn entry(entry: ports::Entry) -> files::Entry {
    let kind = match entry.kind {
        ports::Kind::Regular => files::Kind::Regular,
        ports::Kind::Directory => files::Kind::Directory,
        ports::Kind::Link => files::Kind::Link,
        ports::Kind::Other => files::Kind::Other,
    };
    let ports::Identity { device, inode, size, changed_ns } = entry.identity;
    files::Entry {
        name: entry.name,
        kind,
        identity: files::Identity { device, inode, size, changed_ns },
        mode: entry.mode,
    }
}

fn fault(error: ports::FilesError) -> files::FilesError {
    match error {
        ports::FilesError::BadName => files::FilesError::BadName,
        ports::FilesError::Denied(grant) => files::FilesError::Denied(grant),
        ports::FilesError::Changed => files::FilesError::Changed,
        ports::FilesError::Linked => files::FilesError::Linked,
        ports::FilesError::NotRegular => files::FilesError::NotRegular,
        ports::FilesError::NotAFolder => files::FilesError::NotAFolder,
        ports::FilesError::TooLarge(size) => files::FilesError::TooLarge(size),
        ports::FilesError::Io(error) => {
            let kind = match error.kind {
                ports::IoKind::Permission => files::IoKind::Permission,
                ports::IoKind::NotFound => files::IoKind::NotFound,
                ports::IoKind::Busy => files::IoKind::Busy,
                ports::IoKind::Exhausted => files::IoKind::Exhausted,
                ports::IoKind::Other => files::IoKind::Other,
            };
            files::FilesError::Io(files::IoError { kind, text: error.text })
        }
    }
}
