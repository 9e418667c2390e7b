//! What a browser made of pages, and which hosts need one.

use bytes::Bytes;
use trawls_contract::FetchMode;
use trawls_store::{Blob, BlobKind, Keep, Store};

use crate::sample::{Folder, at, page};

async fn keep_with_blobs(store: &Store, id: &str, seconds: i64) {
    let blob = |kind: BlobKind, bytes: &'static [u8]| Blob {
        id: format!("{id}-{}", kind.as_str()),
        kind,
        bytes: Bytes::from_static(bytes),
    };
    let keep = Keep {
        page: page(id, at(seconds)),
        body: None,
        blobs: vec![
            blob(BlobKind::Screenshot, b"\x89PNG"),
            blob(BlobKind::Pdf, b"%PDF-"),
        ],
        cache: None,
    };
    store.keep(keep).await.unwrap();
}

#[tokio::test]
async fn blobs_live_as_long_as_their_page() {
    let store = Store::open_in_memory().await.unwrap();
    keep_with_blobs(&store, "old", 0).await;
    keep_with_blobs(&store, "young", 100).await;
    let picture = store.blob("old-screenshot").await.unwrap().unwrap();
    assert_eq!(
        (picture.kind, &picture.bytes[..]),
        (BlobKind::Screenshot, &b"\x89PNG"[..])
    );
    assert_eq!(
        store.blob("old-pdf").await.unwrap().unwrap().kind,
        BlobKind::Pdf
    );
    store.sweep(at(50)).await.unwrap();
    assert_eq!(store.blob("old-screenshot").await.unwrap(), None);
    assert_eq!(store.blob("old-pdf").await.unwrap(), None);
    assert!(store.blob("young-pdf").await.unwrap().is_some());
}

#[tokio::test]
async fn a_host_keeps_its_rung_for_an_hour_and_never_goes_down_in_it() {
    use FetchMode::{Browser, Http, Stealth};
    let folder = Folder::new();
    let store = Store::open(&folder.file()).await.unwrap();
    let rung = async |seconds| store.host_rung("a.example", at(seconds)).await.unwrap();
    let found = async |rung, seconds| {
        store
            .remember_rung("a.example", rung, at(seconds))
            .await
            .unwrap();
    };
    assert_eq!(rung(0).await, Http);
    found(Browser, 0).await;
    assert_eq!((rung(0).await, rung(3599).await), (Browser, Browser));
    assert_eq!(rung(3600).await, Http);
    found(Stealth, 10).await;
    found(Browser, 20).await;
    assert_eq!(rung(30).await, Stealth);
    // What is known already is no news, so its hour goes on from when it was found out.
    found(Stealth, 3000).await;
    assert_eq!((rung(3609).await, rung(3610).await), (Stealth, Http));
    assert_eq!(store.host_rung("b.example", at(0)).await.unwrap(), Http);
    store.close().await;

    let again = Store::open(&folder.file()).await.unwrap();
    assert_eq!(again.host_rung("a.example", at(30)).await.unwrap(), Stealth);
    again
        .remember_rung("a.example", Browser, at(4000))
        .await
        .unwrap();
    assert_eq!(
        again.host_rung("a.example", at(4001)).await.unwrap(),
        Browser
    );
}
