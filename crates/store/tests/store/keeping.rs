//! What goes in comes out, until it is swept.

use bytes::Bytes;
use trawls_contract::RequestRecord;
use trawls_store::{CacheKey, Keep, RawBody, Store, StoreError, Validators};

use crate::sample::{Folder, at, keep, page};

fn validators() -> Validators {
    Validators {
        etag: Some("\"v1\"".into()),
        last_modified: None,
    }
}

async fn keep_cached(store: &Store, id: &str, key: CacheKey, seconds: i64) {
    let keep = Keep {
        page: page(id, at(seconds)),
        body: Some(RawBody {
            bytes: Bytes::from(vec![b'<'; 300_000]),
            content_type: Some("text/html".into()),
        }),
        blobs: Vec::new(),
        cache: Some((key, validators())),
    };
    store.keep(keep).await.unwrap();
}

#[tokio::test]
async fn a_kept_page_is_found_again_in_the_same_and_in_a_new_process() {
    let folder = Folder::new();
    let key = CacheKey::of("http://example.com/");
    let store = Store::open(&folder.file()).await.unwrap();
    keep_cached(&store, "a", key, 0).await;
    is_kept(&store, key).await;
    store.close().await;
    is_kept(&Store::open(&folder.file()).await.unwrap(), key).await;
}

async fn is_kept(store: &Store, key: CacheKey) {
    assert_eq!(store.page("a").await.unwrap(), Some(page("a", at(0))));
    assert_eq!(store.page("b").await.unwrap(), None);
    let body = store.body("a").await.unwrap().unwrap();
    assert_eq!(body.bytes.len(), 300_000);
    assert_eq!(body.content_type.as_deref(), Some("text/html"));
    let cached = store.cached(key).await.unwrap().unwrap();
    assert_eq!(cached.page.id, "a");
    assert_eq!(cached.confirmed_at, at(0));
    assert_eq!(cached.validators, validators());
    assert!(store.cached(CacheKey::of("other")).await.unwrap().is_none());
}

#[tokio::test]
async fn the_last_page_of_a_key_answers() {
    let store = Store::open_in_memory().await.unwrap();
    let key = CacheKey::of("k");
    keep_cached(&store, "old", key, 0).await;
    keep_cached(&store, "new", key, 5).await;
    assert_eq!(store.cached(key).await.unwrap().unwrap().page.id, "new");
    assert!(store.page("old").await.unwrap().is_some());
}

#[tokio::test]
async fn a_sweep_removes_the_old_and_spares_what_was_confirmed() {
    let folder = Folder::new();
    let store = Store::open(&folder.file()).await.unwrap();
    let (old, confirmed) = (CacheKey::of("old"), CacheKey::of("confirmed"));
    keep_cached(&store, "a", old, 0).await;
    keep_cached(&store, "b", confirmed, 0).await;
    keep(&store, "c", at(100)).await;
    let cached = store.cached(confirmed).await.unwrap().unwrap();
    store.confirm(confirmed, &cached, at(100)).await.unwrap();
    assert_eq!(store.figures().await.unwrap().pages, 3);

    assert!(!store.sweep(at(50)).await.unwrap());
    assert_eq!(store.figures().await.unwrap().pages, 2);
    assert_eq!(store.page("a").await.unwrap(), None);
    assert_eq!(store.body("a").await.unwrap(), None);
    assert!(store.cached(old).await.unwrap().is_none());
    let still = store.cached(confirmed).await.unwrap().unwrap();
    assert_eq!((still.page.id.as_str(), still.confirmed_at), ("b", at(100)));
    assert!(store.page("c").await.unwrap().is_some());
}

#[tokio::test]
async fn a_sweep_goes_in_steps() {
    let store = Store::open_in_memory().await.unwrap();
    for index in 0..700 {
        keep(&store, &format!("p{index}"), at(0)).await;
    }
    assert!(store.sweep(at(1)).await.unwrap());
    assert!(!store.sweep(at(1)).await.unwrap());
    assert_eq!(store.figures().await.unwrap().pages, 0);
}

#[tokio::test]
async fn the_request_log_is_read_newest_first_and_swept() {
    let store = Store::open_in_memory().await.unwrap();
    let record = |id: &str, seconds| RequestRecord {
        id: id.into(),
        received_at: at(seconds),
        method: "POST".into(),
        path: "/v1/scrape".into(),
        status: 200,
        duration_ms: 12,
        key_label: None,
        code: Some("NOT_FOUND".into()),
    };
    for (id, seconds) in [("a", 0), ("b", 20), ("c", 10)] {
        store.record_request(record(id, seconds)).await.unwrap();
    }
    store.check().await.unwrap();
    assert_eq!(
        store.requests(2).await.unwrap(),
        [record("b", 20), record("c", 10)]
    );
    store.sweep(at(15)).await.unwrap();
    assert_eq!(store.requests(9).await.unwrap(), [record("b", 20)]);
}

#[tokio::test]
async fn many_at_once_are_all_kept_and_counted() {
    let folder = Folder::new();
    let store = Store::open(&folder.file()).await.unwrap();
    let tasks: Vec<_> = (0..300)
        .map(|index| {
            let store = store.clone();
            tokio::spawn(async move { keep(&store, &format!("p{index}"), at(index)).await })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(store.figures().await.unwrap().pages, 300);
}

#[tokio::test]
async fn one_bad_page_does_not_take_its_batch_with_it() {
    let store = Store::open_in_memory().await.unwrap();
    keep(&store, "twice", at(0)).await;
    let again = |id: &str| Keep {
        page: page(id, at(1)),
        body: None,
        blobs: Vec::new(),
        cache: None,
    };
    let (bad, good) = tokio::join!(store.keep(again("twice")), store.keep(again("once")));
    assert!(matches!(bad, Err(StoreError::Other(_))), "{bad:?}");
    good.unwrap();
    assert!(store.page("once").await.unwrap().is_some());
    assert_eq!(store.figures().await.unwrap().pages, 2);
}
