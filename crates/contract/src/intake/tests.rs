use serde::Deserialize;
use serde_json::json;

use super::*;
use crate::{BatchBody, CrawlBody, JobStatus, MapBody, ScrapeBody};

#[track_caller]
fn refused<T: DeserializeOwned>(body: &str, field: &str, words: &str) {
    let Err(Fault::Invalid(mistake)) = read_body::<T>(body.as_bytes()) else {
        panic!("{body} is accepted, or no JSON");
    };
    assert_eq!(mistake.field, field, "{mistake}");
    assert!(mistake.problem.contains(words), "{mistake}");
    for raw in ["struct", "u64", "u32", "invalid type", "expected", "line 1"] {
        assert!(!mistake.problem.contains(raw), "{mistake}");
    }
}

#[test]
fn a_body_that_is_no_request_is_told_what_is_missing() {
    refused::<ScrapeBody>("{}", "url", "is missing");
    refused::<ScrapeBody>(r#"{"formats": ["html"]}"#, "url", "is missing");
    refused::<ScrapeBody>(r#"{"url": 7}"#, "url", "must be a string, not a number");
    refused::<ScrapeBody>("[]", "", "must be an object, not a list");
    refused::<ScrapeBody>("null", "", "must be an object, not null");
    refused::<MapBody>("[]", "", "must be an object, not a list");
    refused::<MapBody>(r#"["http://a.b"]"#, "", "must be an object, not a list");
}

#[test]
fn a_mistake_in_an_option_names_its_path_and_says_what_to_write() {
    let with = |option: &str| format!(r#"{{"url": "http://a.b", {option}}}"#);
    for (option, field, words) in [
        (r#""format": []"#, "format", "is no field here"),
        (
            r#""formats": "html""#,
            "formats",
            "must be a list, not a string",
        ),
        (
            r#""formats": ["html", "docx"]"#,
            "formats[1]",
            "must be one of markdown",
        ),
        (
            r#""formats": [7]"#,
            "formats[0]",
            "must be a string, not a number",
        ),
        (
            r#""timeout_ms": -5"#,
            "timeout_ms",
            "a whole number, 0 or more, not -5",
        ),
        (
            r#""timeout_ms": 1.5"#,
            "timeout_ms",
            "must be a whole number",
        ),
        (
            r#""mobile": "yes""#,
            "mobile",
            "must be true or false, not a string",
        ),
        (r#""headers": {"a": 7}"#, "headers.a", "must be a string"),
        (
            r#""location": {"city": "x"}"#,
            "location.city",
            "is no field here",
        ),
        (
            r#""wait_for": []"#,
            "wait_for",
            "milliseconds or a CSS selector",
        ),
        (
            r#""actions": [{"type": "jump"}]"#,
            "actions[0].type",
            "must be one of click",
        ),
        (
            r#""actions": [{"type": "click"}]"#,
            "actions[0].selector",
            "is missing",
        ),
    ] {
        refused::<ScrapeBody>(&with(option), field, words);
    }
}

#[test]
fn a_mistake_in_the_body_of_a_job_names_its_whole_path() {
    refused::<CrawlBody>(
        r#"{"url": "http://a.b", "maxPages": 1}"#,
        "maxPages",
        "is no field",
    );
    refused::<CrawlBody>(r#"{"max_pages": 1}"#, "url", "is missing");
    refused::<CrawlBody>(
        r#"{"url": "http://a.b", "scrape": {"mode": "x"}}"#,
        "scrape.mode",
        "must be one of auto",
    );
    refused::<CrawlBody>(
        r#"{"url": "http://a.b", "scrape": {"url": "x"}}"#,
        "scrape.url",
        "is no field here",
    );
    refused::<BatchBody>(r#"{"urls": {}}"#, "urls", "must be a list, not an object");
    refused::<BatchBody>(r#"{"urls": ["a", 7]}"#, "urls[1]", "must be a string");
}

#[test]
fn a_key_that_comes_twice_is_refused_by_name_at_any_depth() {
    refused::<ScrapeBody>(r#"{"url": "a", "url": "b"}"#, "url", "comes twice");
    refused::<ScrapeBody>(
        r#"{"url": "http://a.b", "headers": {"x": "1", "x": "2"}}"#,
        "headers.x",
        "comes twice",
    );
    refused::<CrawlBody>(
        r#"{"url": "http://a.b", "scrape": {"mobile": true, "mobile": false}}"#,
        "scrape.mobile",
        "comes twice",
    );
}

#[test]
fn what_is_no_json_is_told_with_its_place() {
    for (body, words) in [
        ("", "ends in the middle"),
        (
            r#"{"url": "http://a.b""#,
            "ends in the middle of its JSON, at line 1 column 20",
        ),
        ("{url: 1}", "line 1 column 2"),
        (r#"{"url": "a",}"#, "trailing comma at line 1 column 13"),
        (
            r#"{"url": "a"} x"#,
            "trailing characters at line 1 column 14",
        ),
        (&"[".repeat(100_000), "recursion limit"),
    ] {
        match read_body::<ScrapeBody>(body.as_bytes()) {
            Err(Fault::NotJson(problem)) => assert!(problem.contains(words), "{problem}"),
            other => panic!("{body}: {other:?}"),
        }
    }
}

#[test]
fn a_good_body_is_what_it_says() {
    let body = json!({
        "url": "http://a.b", "formats": ["html"], "wait_for": 5, "timeout_ms": 7, "proxy": null,
        "actions": [{"type": "scroll", "pixels": -3}], "extract": {"css": {"a": {"b": [1, -1, 1.5]}}},
    });
    let read: ScrapeBody = read_body(body.to_string().as_bytes()).unwrap();
    assert_eq!(read.url, "http://a.b");
    assert_eq!(read.options.timeout_ms, 7);
    let css = read.options.extract.unwrap().css.unwrap();
    assert_eq!(css["a"]["b"], json!([1, -1, 1.5]));
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    status: Option<JobStatus>,
    limit: Option<u32>,
    q: Option<String>,
    #[serde(default)]
    all: bool,
}

#[test]
fn a_query_is_read_as_what_its_words_spell() {
    let asked: Asked = read_query("status=failed&limit=7&q=a+b%26&all=true").unwrap();
    let wanted = Asked {
        status: Some(JobStatus::Failed),
        limit: Some(7),
        q: Some("a b&".into()),
        all: true,
    };
    assert_eq!(asked, wanted);
    for (query, field, words) in [
        ("limit=x", "limit", "must be a whole number"),
        ("limit=-1", "limit", "not \"-1\""),
        ("status=done", "status", "must be one of queued"),
        ("all=1", "all", "must be true or false"),
        (
            "limits=1",
            "limits",
            "is no field here; these are: status, limit, q, all",
        ),
        ("limit=1&limit=2", "limit", "comes twice"),
    ] {
        let mistake = read_query::<Asked>(query).unwrap_err();
        assert_eq!(mistake.field, field, "{mistake}");
        assert!(mistake.problem.contains(words), "{mistake}");
    }
}
