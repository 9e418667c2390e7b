//! Which source is believed for which field. What is said for the page itself comes before what is said
//! for sharing, and that before what is only shown.

use trawls_contract::PageMetadata;
use url::Url;

use super::author::{byline, clean_name};
use super::body::{Body, Role};
use super::date::{DayOrder, find_date, read_date};
use super::head::Head;
use super::title::{self, Titles};
use super::{Claims, language, page_date};
use crate::address;
use crate::dom::{Document, NodeId};

/// What each source claims, and the page itself.
pub(super) struct Sources<'a> {
    pub(super) head: Head,
    pub(super) schema: Claims,
    pub(super) microdata: Claims,
    pub(super) open_graph: Claims,
    pub(super) twitter: Claims,
    pub(super) dublin_core: Claims,
    pub(super) meta: Claims,
    pub(super) body: Body<'a>,
}

impl Sources<'_> {
    /// All claims in the usual order of trust.
    fn claims(&self) -> [&Claims; 6] {
        [
            &self.schema,
            &self.open_graph,
            &self.microdata,
            &self.meta,
            &self.dublin_core,
            &self.twitter,
        ]
    }

    fn first<'s>(&'s self, field: impl Fn(&'s Claims) -> Option<&'s String>) -> Option<String> {
        self.claims().into_iter().find_map(field).cloned()
    }

    pub(super) fn merge(self, document: &Document, url: &Url, base: &Url) -> PageMetadata {
        let language = self.language(document);
        let order = DayOrder::of_language(language.as_deref());
        let site_name = self.site_name();
        let (title, heading) = self.title(url, site_name.as_deref());
        let published_at = self.published(url, heading, order);
        let modified_at = self.modified(order);
        let image = self.first(|claims| claims.image.as_ref());
        let author = self.author(heading, site_name.as_deref());
        let description = self.description();
        let kind = self
            .open_graph
            .kind
            .clone()
            .or_else(|| self.first(|claims| claims.kind.as_ref()));
        let keywords = self.keywords();
        PageMetadata {
            author,
            description,
            image: image
                .and_then(|image| address::web(base, &image))
                .map(String::from),
            keywords,
            kind,
            canonical: self.head.canonical,
            favicon: self.head.favicon,
            meta: self.head.meta,
            open_graph: self.head.open_graph,
            twitter: self.head.twitter,
            dublin_core: self.head.dublin_core,
            title,
            language,
            published_at,
            modified_at,
            site_name,
        }
    }

    /// A summary for readers comes before one for sharing.
    fn description(&self) -> Option<String> {
        [
            &self.meta,
            &self.open_graph,
            &self.schema,
            &self.twitter,
            &self.dublin_core,
        ]
        .into_iter()
        .find_map(|claims| claims.description.clone())
    }

    fn keywords(&self) -> Vec<String> {
        let given = self.claims().into_iter().map(|claims| &claims.keywords);
        given
            .into_iter()
            .find(|words| !words.is_empty())
            .cloned()
            .unwrap_or_default()
    }

    fn language(&self, document: &Document) -> Option<String> {
        let declared = self.head.language.as_deref();
        let claimed = [
            &self.meta,
            &self.open_graph,
            &self.schema,
            &self.dublin_core,
        ];
        declared
            .and_then(language::tag)
            .or_else(|| {
                claimed
                    .iter()
                    .find_map(|claims| language::tag(claims.language.as_deref()?))
            })
            .or_else(|| language::detect(document))
    }

    fn site_name(&self) -> Option<String> {
        let order = [&self.open_graph, &self.schema, &self.meta, &self.microdata];
        order.iter().find_map(|claims| claims.site_name.clone())
    }

    fn title(&self, url: &Url, site_name: Option<&str>) -> (Option<String>, Option<NodeId>) {
        let host = url.host_str().unwrap_or_default();
        let domain = psl::domain_str(host).unwrap_or(host);
        let label = domain.split('.').next().unwrap_or_default();
        let of = |claims: &Claims| claims.title.clone();
        let declared: Vec<String> = [
            of(&self.open_graph),
            of(&self.schema),
            self.head.title.clone(),
        ]
        .into_iter()
        .chain(
            [
                &self.microdata,
                &self.twitter,
                &self.meta,
                &self.dublin_core,
            ]
            .map(of),
        )
        .flatten()
        .collect();
        let titles = Titles {
            declared: declared.iter().map(String::as_str).collect(),
            site: site_name.into_iter().chain([label]).collect(),
            path: title::words(url.path()),
        };
        let (title, heading) = title::title(&titles, &self.body);
        (title, heading.map(|heading| heading.id))
    }

    /// A person before an organisation: what equals the site's name is believed last.
    fn author(&self, heading: Option<NodeId>, site_name: Option<&str>) -> Option<String> {
        let site: Vec<&str> = site_name
            .into_iter()
            .chain(self.schema.site_name.as_deref())
            .collect();
        let declared = [
            &self.schema,
            &self.microdata,
            &self.meta,
            &self.dublin_core,
            &self.open_graph,
            &self.twitter,
        ];
        let names: Vec<String> = declared
            .iter()
            .filter_map(|claims| clean_name(claims.author.as_deref()?))
            .collect();
        let person = names
            .iter()
            .find(|name| !title::is_site(name, &site))
            .cloned();
        let shown = byline(&self.body, heading);
        person.or(shown).or_else(|| names.into_iter().next())
    }

    fn published(&self, url: &Url, heading: Option<NodeId>, order: DayOrder) -> Option<String> {
        let declared = || {
            let claims = self.claims();
            claims
                .into_iter()
                .find_map(|claims| read_date(claims.published.as_deref()?, order))
        };
        let marked = page_date::marked(&self.body, Role::Published, order);
        let sure = marked
            .as_ref()
            .filter(|shown| shown.strength > 1)
            .map(|shown| shown.date.clone());
        declared()
            .or(sure)
            .or_else(|| page_date::written(&self.body, heading?, order))
            .or(marked.map(|shown| shown.date))
            .or_else(|| find_date(url.path(), DayOrder::Unknown))
    }

    fn modified(&self, order: DayOrder) -> Option<String> {
        let claims = self.claims();
        let declared = claims
            .into_iter()
            .find_map(|claims| read_date(claims.modified.as_deref()?, order));
        declared.or_else(|| {
            page_date::marked(&self.body, Role::Modified, order).map(|shown| shown.date)
        })
    }
}
