//! Actions, pictures and prints.

use super::*;

fn actions(list: serde_json::Value) -> Vec<Action> {
    serde_json::from_value(list).unwrap()
}

#[tokio::test]
async fn actions_are_done_as_a_hand_would_do_them() {
    let setting = setting!();
    let mut plan = setting.plan("/behind-click");
    plan.browser.actions = actions(json!([
        { "type": "click", "selector": "#more" },
        { "type": "type", "selector": "#search", "text": "eel 7" },
        { "type": "press", "key": "Enter" },
        { "type": "wait", "wait_for": 100 },
        { "type": "scroll", "pixels": 100 },
        { "type": "evaluate", "script": "({ title: document.title, two: 1 + 1 })" },
        { "type": "evaluate", "script": "return document.title.length" },
        { "type": "screenshot" },
        { "type": "scrape" },
    ]));
    let page = setting.run(&plan).await.unwrap();
    let html = text(&page);
    assert!(html.contains("A hand pulled the drawer."), "{html}");
    assert!(html.contains("Looked for eel 7"), "{html}");
    let done = page.rendered.unwrap().actions;
    assert_eq!(done.len(), 9);
    assert!(matches!(&done[5].yielded, Yield::Value(value)
        if *value == json!({ "title": "Chart room", "two": 2 })));
    assert!(matches!(&done[6].yielded, Yield::Value(value) if *value == json!(10)));
    assert!(matches!(&done[7].yielded, Yield::Screenshot(png) if png.starts_with(b"\x89PNG")));
    assert!(matches!(&done[8].yielded, Yield::Html(html) if html.contains("Chart 12")));
}

#[tokio::test]
async fn an_action_that_fails_is_named() {
    let setting = setting!();
    for (action, why) in [
        (
            json!({ "type": "click", "selector": "#nothing" }),
            "nothing matches #nothing",
        ),
        (
            json!({ "type": "evaluate", "script": "throw new Error('no tide')" }),
            "no tide",
        ),
        (
            json!({ "type": "evaluate", "script": "'x'.repeat(2e6)" }),
            "larger than",
        ),
        (json!({ "type": "press", "key": "Anykey" }), "no key"),
    ] {
        let mut plan = setting.plan("/behind-click");
        plan.browser.actions = actions(json!([{ "type": "scrape" }, action]));
        let error = setting.run(&plan).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::ActionFailed);
        let said = error.to_string();
        assert!(
            said.starts_with("actions[1]") && said.contains(why),
            "{said}"
        );
    }
}

#[tokio::test]
async fn a_login_lasts_for_its_own_visit_and_no_longer() {
    let setting = setting!();
    let mut plan = setting.plan("/login");
    plan.browser.actions = actions(json!([
        { "type": "type", "selector": "#name", "text": "ada" },
        { "type": "type", "selector": "#word", "text": "tide" },
        { "type": "click", "selector": "#enter" },
        { "type": "wait", "wait_for": "h1" },
    ]));
    let page = setting.run(&plan).await.unwrap();
    assert_eq!(page.final_url.path(), "/members", "{}", text(&page));
    let stranger = setting.get("/members").await.unwrap();
    assert_ne!(stranger.final_url.path(), "/members", "{}", stranger.status);
}

#[tokio::test]
async fn pictures_and_prints_show_the_whole_page() {
    let setting = setting!();
    let mut plan = setting.plan("/tall");
    plan.browser.screenshot = Some(Frame::FullPage);
    plan.browser.pdf = true;
    let rendered = setting.run(&plan).await.unwrap().rendered.unwrap();
    let png = rendered.screenshot.unwrap();
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert!(
        side(20) > 16_000 && side(20) <= 16_384,
        "{}x{}",
        side(16),
        side(20)
    );
    assert!(rendered.pdf.unwrap().starts_with(b"%PDF"));
    plan.browser.screenshot = Some(Frame::Viewport);
    let rendered = setting.run(&plan).await.unwrap().rendered.unwrap();
    assert!(rendered.screenshot.unwrap().len() < png.len());
    if let Some(folder) = std::env::var_os("SHOTS") {
        std::fs::write(PathBuf::from(folder).join("tall.png"), &png).unwrap();
    }
}
