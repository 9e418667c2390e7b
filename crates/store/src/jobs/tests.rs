use std::sync::Arc;

use serde_json::json;
use trawls_contract::{ErrorCode, Outcome, PageResult};

use super::*;
use crate::Keep;

struct Scene {
    store: Store,
    owner: Owner,
}

impl Scene {
    /// A job with so many entries.
    async fn new(entries: i64) -> (Self, Job) {
        let store = Store::open_in_memory().await.unwrap();
        let owner = store.owner().unwrap();
        let entries = (1..=entries).map(|number| NewEntry {
            number,
            url: format!("http://a.example/{number}"),
            identity: number,
            host: 1,
            rank: number,
            depth: 0,
            referrer: None,
        });
        let job = JobToMake {
            kind: JobKind::Crawl,
            url: "http://a.example/1".into(),
            request: &json!({}),
            entries: entries.collect(),
            has_webhook: false,
            idempotency: None,
        };
        let job = store.make_job(job).await.unwrap();
        (Self { store, owner }, job)
    }

    async fn claim(&self) -> OwnedJob {
        self.store
            .claim_job(&self.owner, None)
            .await
            .unwrap()
            .unwrap()
    }

    /// Commits pages of these outcomes for the first entries, ten bytes each.
    async fn commit(&self, job: &OwnedJob, outcomes: &[Outcome]) -> Vec<String> {
        let (mut counts, mut pages, mut ids) = (JobCounts::default(), Vec::new(), Vec::new());
        for (entry, outcome) in (1..).zip(outcomes) {
            let page = page(*outcome);
            counts.add(*outcome, page.error.as_ref().map(|error| error.code), None);
            counts.bytes += 10;
            ids.push(page.id.clone());
            let keep = Keep {
                page: Arc::new(page),
                body: None,
                cache: None,
            };
            let in_job = InJob {
                entry,
                bytes: 10,
                ..InJob::default()
            };
            pages.push(NewPage::pack(keep, in_job).unwrap());
        }
        let step = Step {
            first_page: 1,
            pages,
            entries: Vec::new(),
            counts,
        };
        self.store.step_job(job, Arc::new(step)).await.unwrap();
        ids
    }

    /// Numbers of the entries that are to do.
    async fn to_do(&self, job: &OwnedJob) -> Vec<i64> {
        let entries = self.store.best_entries(job, 1, 100).await.unwrap();
        entries.into_iter().map(|entry| entry.number).collect()
    }
}

fn page(outcome: Outcome) -> PageResult {
    let error = (outcome == Outcome::Failed).then(|| ErrorInfo::new(ErrorCode::NotFound, "Gone."));
    serde_json::from_value(json!({
        "id": uuid::Uuid::now_v7().to_string(), "url": "http://a.example/", "final_url": "http://a.example/",
        "status": outcome.status(), "outcome": outcome, "http_status": null, "content_type": null,
        "fetch_mode_used": null, "quality": {"confidence": 0.0, "main_content_ratio": 0.0},
        "warnings": [], "error": error, "trace": [], "timings": {"total_ms": 0},
        "fetched_at": "2026-01-01T00:00:00Z", "depth": 0, "referrer": null, "from_cache": false,
    }))
    .unwrap()
}

#[tokio::test]
async fn only_the_time_with_a_worker_is_working_time_and_a_retry_has_all_of_it_again() {
    let (scene, job) = Scene::new(2).await;
    let mut owned = scene.claim().await;
    owned.worked_before = Duration::from_secs(3600);
    scene.commit(&owned, &[Outcome::Failed]).await;
    scene.store.release_job(&owned).await.unwrap();
    let released = scene.store.job(&job.id).await.unwrap().unwrap();
    assert!(released.worked_ms >= 3_600_000);

    let again = scene.claim().await;
    let before = Duration::from_millis(released.worked_ms);
    assert_eq!(
        (again.worked_before, again.budget_from),
        (before, Duration::ZERO)
    );
    assert!(again.spent() >= before);
    let ended = scene.store.finish_job(&again, JobStatus::Completed, None);
    ended.await.unwrap();

    scene.store.retry_job(&job.id).await.unwrap();
    let retried = scene.claim().await;
    assert_eq!(retried.budget_from, retried.worked_before);
    assert!(retried.worked_before >= before && retried.spent() < before);
}

#[tokio::test]
async fn a_retry_does_failed_and_empty_pages_and_nothing_that_was_left_over() {
    for status in [JobStatus::Completed, JobStatus::Cancelled] {
        let (scene, job) = Scene::new(5).await;
        let owned = scene.claim().await;
        let outcomes = [Outcome::Success, Outcome::Failed, Outcome::Empty];
        let pages = scene.commit(&owned, &outcomes).await;
        assert!(scene.store.page(&pages[1]).await.unwrap().is_some());
        scene.store.finish_job(&owned, status, None).await.unwrap();

        let (job, again) = scene.store.retry_job(&job.id).await.unwrap().unwrap();
        assert_eq!((job.status, again), (JobStatus::Queued, 2));
        let counts = job.counts;
        assert_eq!((counts.done, counts.total, counts.bytes), (1, 3, 10));
        assert_eq!(counts.by_code.len(), 0);
        let owned = scene.claim().await;
        assert_eq!(scene.to_do(&owned).await, [2, 3], "{status:?}");
        assert!(scene.store.page(&pages[0]).await.unwrap().is_some());
        assert!(scene.store.page(&pages[1]).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn a_retry_of_a_job_that_could_not_go_on_goes_on() {
    let (scene, job) = Scene::new(3).await;
    let owned = scene.claim().await;
    scene.commit(&owned, &[Outcome::Success]).await;
    let ended = scene.store.finish_job(&owned, JobStatus::Failed, None);
    ended.await.unwrap();
    let (job, again) = scene.store.retry_job(&job.id).await.unwrap().unwrap();
    assert_eq!(
        (job.status, again, job.counts.total),
        (JobStatus::Queued, 0, 3)
    );
    assert_eq!(scene.to_do(&scene.claim().await).await, [2, 3]);
}

#[tokio::test]
async fn a_retry_of_a_job_without_a_failed_page_leaves_it_as_it_is() {
    let (scene, job) = Scene::new(3).await;
    let owned = scene.claim().await;
    scene.commit(&owned, &[Outcome::Success]).await;
    let ended = scene.store.finish_job(&owned, JobStatus::Cancelled, None);
    ended.await.unwrap();
    let (job, again) = scene.store.retry_job(&job.id).await.unwrap().unwrap();
    assert_eq!((job.status, again), (JobStatus::Cancelled, 0));
}

#[tokio::test]
async fn a_job_that_is_not_over_is_neither_retried_nor_removed() {
    let (scene, job) = Scene::new(1).await;
    let _owned = scene.claim().await;
    let retried = scene.store.retry_job(&job.id).await;
    assert_eq!(retried.unwrap_err(), StoreError::JobRuns);
    let erased = scene.store.erase_job(&job.id).await;
    assert_eq!(erased.unwrap_err(), StoreError::JobRuns);
    assert!(scene.store.job(&job.id).await.unwrap().is_some());
}
