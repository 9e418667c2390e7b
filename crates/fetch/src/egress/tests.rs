use std::{collections::VecDeque, sync::Mutex};

use futures_util::future::BoxFuture;
use trawls_testkit::shared;

use super::*;

/// Gives its answers in turn, and the last one for ever.
struct Scripted(Mutex<VecDeque<Vec<IpAddr>>>);

impl Scripted {
    fn new(script: &str) -> Arc<Self> {
        let answers = script
            .split('>')
            .filter(|answer| !answer.is_empty())
            .map(|answer| answer.split(',').map(|ip| ip.parse().unwrap()).collect());
        Arc::new(Self(Mutex::new(answers.collect())))
    }
}

impl Resolve for Scripted {
    fn resolve<'a>(&'a self, _host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let mut answers = self.0.lock().unwrap();
        let answer = match answers.len() {
            0 => Vec::new(),
            1 => answers[0].clone(),
            _ => answers.pop_front().unwrap(),
        };
        Box::pin(std::future::ready(Ok(answer)))
    }
}

/// Runs `future` and gives its value; nothing in these tests waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(future)
}

#[test]
fn every_line_of_the_shared_list_gets_its_verdict() {
    let Some(list) = shared("cases/ssrf.txt", "the list of addresses") else {
        return;
    };
    let list = std::fs::read_to_string(list).unwrap();
    let mut counts = (0, 0);
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let [verdict, url, reason] = line.splitn(3, '\t').collect::<Vec<_>>()[..] else {
            continue;
        };
        let url = url
            .replace("{TAB}", "\t")
            .replace("{LF}", "\n")
            .replace("{CR}", "\r");
        let script = reason.split_once("DNS=").map_or("", |(_, script)| script);
        let door = Door::new(Scripted::new(script), false);
        let admitted = Url::parse(&url)
            .map_err(|error| FetchError::InvalidUrl(error.to_string()))
            .and_then(|url| now(door.admit(&url)));
        match verdict {
            // Rebinding: what is dialled is what was vetted, never the second answer.
            "BLOCK" if script.contains('>') => {
                let first: IpAddr = script.split('>').next().unwrap().parse().unwrap();
                let host = Url::parse(&url).unwrap().host_str().unwrap().to_owned();
                assert_eq!(admitted.unwrap()[0].ip(), first);
                assert_eq!(*now(door.addresses(&host)).unwrap(), [first]);
                counts.0 += 1;
            }
            "BLOCK" => {
                assert!(admitted.is_err(), "let through: {url:?} ({reason})");
                counts.0 += 1;
            }
            _ => {
                assert!(
                    admitted.is_ok(),
                    "refused: {url:?} ({reason}): {admitted:?}"
                );
                counts.1 += 1;
            }
        }
    }
    assert_eq!(counts, (152, 29));
}

#[test]
fn a_second_answer_is_vetted_like_the_first() {
    let door = Door::new(Scripted::new("93.184.216.34>127.0.0.1"), false);
    let url = Url::parse("http://rebind.example/").unwrap();
    assert_eq!(
        now(door.admit(&url)).unwrap()[0].to_string(),
        "93.184.216.34:80"
    );
    door.answers.invalidate_all();
    assert!(matches!(
        now(door.admit(&url)),
        Err(FetchError::SsrfBlocked(_))
    ));
}

#[test]
fn an_open_door_still_knows_only_two_schemes() {
    let door = Door::new(Scripted::new("127.0.0.1"), true);
    for url in [
        "http://127.0.0.1:81/",
        "http://localhost/",
        "https://[::1]/",
        "http://db/",
    ] {
        assert!(now(door.admit(&Url::parse(url).unwrap())).is_ok(), "{url}");
    }
    for url in ["file:///etc/passwd", "ftp://127.0.0.1/", "data:,x"] {
        let refused = now(door.admit(&Url::parse(url).unwrap()));
        assert!(matches!(refused, Err(FetchError::SsrfBlocked(_))), "{url}");
    }
}

#[test]
fn a_name_without_address_is_a_dns_failure() {
    let door = Door::new(Scripted::new(""), false);
    let url = Url::parse("http://nowhere.example/").unwrap();
    assert_eq!(now(door.admit(&url)), Err(FetchError::Dns));
}

#[test]
fn a_refusal_names_no_address() {
    let door = Door::new(Scripted::new("10.1.2.3"), false);
    let error = now(door.admit(&Url::parse("http://inside.example/").unwrap())).unwrap_err();
    assert!(!error.to_string().contains("10.1.2.3"), "{error}");
}
