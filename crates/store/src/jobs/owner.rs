//! Whose a job is. An owner holds a lock file as long as its process lives, so that the death of
//! a process is seen at once; a lease that is not renewed covers a process that hangs.

use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    sync::Arc,
};

/// Folder of the lock files, beside the database.
const FOLDER: &str = "workers";

/// One process as an owner of jobs. Cheap to clone; alive until the last clone is gone.
#[derive(Debug, Clone)]
pub struct Owner {
    id: Arc<str>,
    _lock: Option<Arc<LockFile>>,
}

/// Locked while it lives, removed when it goes.
#[derive(Debug)]
struct LockFile {
    path: PathBuf,
    _file: File,
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // One that stays is found unlocked and removed by the next process.
        let _gone = std::fs::remove_file(&self.path);
    }
}

impl Owner {
    /// A new owner; with a lock file when the database is in `folder`.
    pub(crate) fn new(folder: Option<&Path>) -> std::io::Result<Self> {
        let id = uuid::Uuid::new_v4().to_string();
        let lock = folder
            .map(|folder| LockFile::create(folder, &id))
            .transpose()?;
        Ok(Self {
            id: id.into(),
            _lock: lock.map(Arc::new),
        })
    }

    /// Its name in the database.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }
}

impl LockFile {
    fn create(folder: &Path, id: &str) -> std::io::Result<Self> {
        let folder = folder.join(FOLDER);
        std::fs::create_dir_all(&folder)?;
        let path = folder.join(id);
        let file = File::create_new(&path)?;
        file.lock()?;
        Ok(Self { path, _file: file })
    }
}

/// Is the process of this owner surely dead? Removes what it left.
pub(crate) fn is_dead(folder: &Path, id: &str) -> bool {
    // The id comes from the database: never let it leave the folder.
    if uuid::Uuid::try_parse(id).is_err() {
        return true;
    }
    let path = folder.join(FOLDER).join(id);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) => return error.kind() == std::io::ErrorKind::NotFound,
    };
    match file.try_lock() {
        Ok(()) => {
            let _gone = std::fs::remove_file(&path);
            true
        }
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_dead_when_its_lock_is_gone_and_not_before() {
        let folder = std::env::temp_dir().join(format!("trawls-owner-{}", uuid::Uuid::new_v4()));
        let owner = Owner::new(Some(&folder)).unwrap();
        let id = owner.id().to_owned();
        assert!(!is_dead(&folder, &id));
        let second = owner.clone();
        drop(owner);
        assert!(!is_dead(&folder, &id));
        drop(second);
        assert!(is_dead(&folder, &id));
        assert!(is_dead(&folder, "../../etc/passwd"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
