//! Killed processes, full disks, foreign files.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use trawls_store::{Store, StoreError};

use crate::sample::{Folder, at, keep};

/// Set in the child process that is going to be killed.
const CHILD: &str = "TRAWLS_STORE_TEST_CHILD";

#[tokio::test]
async fn a_killed_process_loses_no_page_that_it_answered() {
    let folder = Folder::new();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "durability::child_keeps_pages_until_killed",
            "--nocapture",
        ])
        .env(CHILD, folder.file())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut answered = Vec::new();
    for line in lines {
        let line = line.unwrap();
        if let Some((_, id)) = line.split_once("kept ") {
            answered.push(id.trim().to_owned());
        }
        if answered.len() == 200 {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    assert!(answered.len() >= 200);

    let store = Store::open(&folder.file()).await.unwrap();
    for id in &answered {
        assert!(store.page(id).await.unwrap().is_some(), "{id} is lost");
    }
    let counted = store.figures().await.unwrap().pages;
    assert!(counted >= answered.len() as u64);
    keep(&store, "after", at(0)).await;
    store.close().await;
    assert_eq!(integrity(&folder).await, "ok");
}

/// Not a test of its own: does nothing unless its parent asks.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child_keeps_pages_until_killed() {
    let Some(path) = std::env::var_os(CHILD) else {
        return;
    };
    let store = Store::open(path.as_ref()).await.unwrap();
    let lanes: Vec<_> = (0..8)
        .map(|lane| {
            let store = store.clone();
            tokio::spawn(async move {
                for index in 0..100_000 {
                    let id = format!("{lane}-{index}");
                    keep(&store, &id, at(0)).await;
                    println!("kept {id}");
                }
            })
        })
        .collect();
    for lane in lanes {
        lane.await.unwrap();
    }
}

async fn integrity(folder: &Folder) -> String {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(folder.file());
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    let counted: (i64, i64) =
        sqlx::query_as("SELECT (SELECT COUNT(*) FROM pages), (SELECT value FROM counters)")
            .fetch_one(&pool)
            .await
            .unwrap();
    assert_eq!(counted.0, counted.1);
    sqlx::query_scalar("PRAGMA integrity_check")
        .fetch_one(&pool)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let folder = Folder::new();
    std::fs::write(folder.file(), vec![b'x'; 8192]).unwrap();
    let error = Store::open(&folder.file()).await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged(_)), "{error:?}");
}

#[tokio::test]
async fn a_folder_that_does_not_exist_is_named_as_such() {
    let folder = Folder::new();
    let error = Store::open(&folder.path().join("no/such/trawls.db"))
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Open(_)), "{error:?}");
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused() {
    let folder = Folder::new();
    Store::open(&folder.file()).await.unwrap().close().await;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(folder.file());
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    sqlx::query(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (9999, 'later', 1, x'00', 0)",
    )
    .execute(&pool)
    .await
    .unwrap();
    pool.close().await;
    let error = Store::open(&folder.file()).await.unwrap_err();
    assert!(matches!(error, StoreError::Open(_)), "{error:?}");
}

#[tokio::test]
async fn after_closing_every_call_says_so() {
    let store = Store::open_in_memory().await.unwrap();
    store.close().await;
    assert_eq!(store.check().await, Err(StoreError::Closed));
    assert_eq!(store.page("a").await, Err(StoreError::Closed));
    store.close().await;
}
