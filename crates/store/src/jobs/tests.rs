use std::sync::Arc;

use serde_json::json;
use trawls_contract::{
    Delivery, DeliveryAttempt, ErrorCode, Outcome, PageResult, WebhookEventKind,
};

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
        let scene = Self { store, owner };
        let job = scene.make(entries).await;
        (scene, job)
    }

    async fn make(&self, entries: i64) -> Job {
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
            has_webhook: true,
            idempotency: None,
        };
        self.store.make_job(job).await.unwrap()
    }

    async fn hook(&self, owner: &Owner) -> Option<Hook> {
        self.store.claim_hook(owner).await.unwrap()
    }

    /// What a clock that was set leaves in the database.
    async fn set(&self, statement: &'static str, to: Timestamp) {
        let set = sqlx::query(statement).bind(to.as_millisecond());
        set.execute(&self.store.database.writer).await.unwrap();
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
                blobs: Vec::new(),
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

fn delivery(number: u64, event: WebhookEventKind, page: Option<u64>) -> Delivery {
    Delivery {
        number,
        event,
        page,
        delivered: false,
        attempts: vec![attempt(503)],
    }
}

fn attempt(status: u16) -> DeliveryAttempt {
    DeliveryAttempt {
        at: Timestamp::UNIX_EPOCH,
        http_status: Some(status),
        error: None,
        duration_ms: 1,
    }
}

#[tokio::test]
async fn a_job_is_not_taken_over_because_a_clock_was_set() {
    let (scene, job) = Scene::new(1).await;
    let owned = scene.claim().await;
    let hook = scene.hook(&scene.owner).await.unwrap();
    let other = scene.store.owner().unwrap();
    for hours in [-1000, 1000] {
        let at = Timestamp::now() + jiff::SignedDuration::from_hours(hours);
        scene.set("UPDATE jobs SET alive_at = ?", at).await;
        scene.set("UPDATE webhooks SET alive_at = ?", at).await;
        assert!(scene.store.claim_job(&other, None).await.unwrap().is_none());
        assert!(scene.hook(&other).await.is_none());
    }
    scene.store.hook_step(&hook, None).await.unwrap();
    let ended = scene.store.finish_job(&owned, JobStatus::Completed, None);
    ended.await.unwrap();
    let job = scene.store.job(&job.id).await.unwrap().unwrap();
    assert_eq!(job.status, JobStatus::Completed);
}

#[tokio::test]
async fn a_receiver_that_rests_keeps_its_count_and_nobody_waits_for_it() {
    let (scene, first) = Scene::new(1).await;
    let second = scene.make(1).await;
    let other = scene.store.owner().unwrap();
    assert!(
        scene.hook(&other).await.is_none(),
        "there is nothing to tell"
    );
    let _owned = (scene.claim().await, scene.claim().await);
    let mut resting = scene.hook(&scene.owner).await.unwrap();
    assert_eq!(resting.id, first.id);
    resting.failures = 3;
    resting.under_way = Some(delivery(1, WebhookEventKind::Started, None));
    scene.store.hook_step(&resting, None).await.unwrap();
    let rest = Duration::from_secs(3600);
    scene.store.release_hook(&resting, rest).await.unwrap();
    for owner in [&scene.owner, &other, &other] {
        let hook = scene.hook(owner).await.unwrap();
        assert_eq!(hook.id, second.id);
        assert!(scene.hook(owner).await.is_none());
        scene
            .store
            .release_hook(&hook, Duration::ZERO)
            .await
            .unwrap();
    }
    // A minute later, or as soon as the clock was set back by more than that.
    for at in [-1, 61] {
        let at = Timestamp::now() + jiff::SignedDuration::from_secs(at);
        let set = "UPDATE webhooks SET not_before = ? WHERE failures = 3";
        scene.set(set, at).await;
        let turns = [
            scene.hook(&other).await.unwrap(),
            scene.hook(&other).await.unwrap(),
        ];
        for hook in turns {
            if hook.id == first.id {
                assert_eq!((hook.failures, &hook.under_way), (3, &resting.under_way));
            }
            scene
                .store
                .release_hook(&hook, Duration::ZERO)
                .await
                .unwrap();
        }
    }
}

#[tokio::test]
async fn the_end_of_a_job_that_went_on_meanwhile_is_told_again() {
    let (scene, job) = Scene::new(1).await;
    let owned = scene.claim().await;
    let finish = scene.store.finish_job(&owned, JobStatus::Failed, None);
    finish.await.unwrap();
    let ended = scene.store.job(&job.id).await.unwrap().unwrap();
    let mut hook = scene.hook(&scene.owner).await.unwrap();
    hook.told = Told::End(ended.finished_at.unwrap());
    scene.store.retry_job(&job.id).await.unwrap();
    scene.store.hook_step(&hook, None).await.unwrap();
    scene
        .store
        .release_hook(&hook, Duration::ZERO)
        .await
        .unwrap();
    assert!(scene.hook(&scene.owner).await.is_none(), "it runs again");
    let owned = scene.claim().await;
    let finish = scene.store.finish_job(&owned, JobStatus::Completed, None);
    finish.await.unwrap();
    assert_eq!(scene.hook(&scene.owner).await.unwrap().told, Told::Start);
}

#[tokio::test]
async fn a_delivery_that_is_sent_again_twice_at_once_has_both_tries_and_its_page() {
    let (scene, job) = Scene::new(2).await;
    let owned = scene.claim().await;
    let pages = scene.commit(&owned, &[Outcome::Success]).await;
    let mut hook = scene.hook(&scene.owner).await.unwrap();
    (hook.told, hook.last_page) = (Told::Start, 1);
    let told = delivery(1, WebhookEventKind::Page, Some(1));
    scene.store.hook_step(&hook, Some(&told)).await.unwrap();

    let call = scene.store.job_call(&job.id).await.unwrap().unwrap();
    let (one, other) = tokio::join!(
        scene.store.delivered_again(&call, 1, attempt(200)),
        scene.store.delivered_again(&call, 1, attempt(500)),
    );
    assert!(one.unwrap().unwrap().delivered && other.unwrap().unwrap().delivered);
    let log = scene.store.delivery(&call, 1).await.unwrap().unwrap();
    assert_eq!(log.attempts.len(), 3);
    let page = scene.store.page_of_delivery(&call, 1).await.unwrap();
    assert_eq!(page.unwrap().id, pages[0]);
    // Read again, or done again: another number, the same entry.
    sqlx::query("UPDATE job_pages SET number = 7")
        .execute(&scene.store.database.writer)
        .await
        .unwrap();
    let page = scene.store.page_of_delivery(&call, 1).await.unwrap();
    assert_eq!(page.unwrap().id, pages[0]);
}
