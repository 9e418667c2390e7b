//! The pages of a job with their content, a handful at a time: between two handfuls nothing is held
//! in the database, so that whoever reads them may take as long as he likes.

use std::collections::HashMap;

use sqlx::{QueryBuilder, Sqlite, SqlitePool};
use trawls_contract::JobPage;

use super::{PageFilter, pages};
use crate::{Store, StoreError, codec};

/// Pages of one handful.
const ROWS: u32 = 64;
/// Packed bytes of one handful, unless its first page alone is larger.
const BYTES: i64 = 512 * 1024;

/// A page of a job and its `PageResult` as JSON.
#[derive(Debug)]
pub struct JobContent {
    /// Its row in the list.
    pub page: JobPage,
    /// On one line.
    pub json: Vec<u8>,
}

impl Store {
    /// The next pages of a job after number `after`, with their content: at least one, or none when
    /// there are no more. `None` when there is no such job.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn job_contents(
        &self,
        id: &str,
        filter: &PageFilter,
        after: u64,
    ) -> Result<Option<Vec<JobContent>>, StoreError> {
        let db = &self.database.readers;
        let Some((number, _)) = self.find_job(id).await? else {
            return Ok(None);
        };
        let mut after = after;
        loop {
            let listed = pages::list(db, number, filter, after, ROWS).await?.items;
            let Some(last) = listed.last().map(|page| page.number) else {
                return Ok(Some(Vec::new()));
            };
            let contents = handful(db, listed).await?;
            // All of them were removed since they were listed.
            if contents.is_empty() {
                after = last;
                continue;
            }
            return Ok(Some(contents));
        }
    }
}

/// The content of the first pages of a list.
async fn handful(db: &SqlitePool, mut listed: Vec<JobPage>) -> Result<Vec<JobContent>, StoreError> {
    let sizes = sizes(db, &listed).await?;
    let mut bytes = 0;
    let fitting = sizes.iter().take_while(|size| {
        bytes += **size;
        bytes <= BYTES
    });
    let fitting = fitting.count().max(1);
    listed.truncate(fitting);
    let mut packed = packed(db, &listed).await?;
    let size = sizes.iter().take(fitting).sum::<i64>().unsigned_abs();
    codec::run(usize::try_from(size).unwrap_or(usize::MAX), move || {
        let there = listed
            .into_iter()
            .filter_map(|page| packed.remove(&page.page_id).map(|packed| (page, packed)));
        there
            .map(|(page, packed)| {
                let json = codec::unpack(&packed)?;
                Ok(JobContent { page, json })
            })
            .collect()
    })
    .await
}

/// Packed sizes, in the order of the list; SQLite knows them without reading the values.
async fn sizes(db: &SqlitePool, listed: &[JobPage]) -> Result<Vec<i64>, StoreError> {
    let found: Vec<(String, i64)> = by_id("SELECT id, length(result) FROM pages", listed)
        .build_query_as()
        .fetch_all(db)
        .await?;
    let found: HashMap<_, _> = found.into_iter().collect();
    let sizes = listed
        .iter()
        .map(|page| found.get(&page.page_id).copied().unwrap_or_default());
    Ok(sizes.collect())
}

async fn packed(
    db: &SqlitePool,
    listed: &[JobPage],
) -> Result<HashMap<String, Vec<u8>>, StoreError> {
    let found: Vec<(String, Vec<u8>)> = by_id("SELECT id, result FROM pages", listed)
        .build_query_as()
        .fetch_all(db)
        .await?;
    Ok(found.into_iter().collect())
}

fn by_id(select: &'static str, listed: &[JobPage]) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(select);
    query.push(" WHERE id IN (");
    let mut ids = query.separated(", ");
    for page in listed {
        ids.push_bind(&page.page_id);
    }
    query.push(")");
    query
}
