//! The table of anti-bot vendors. A new vendor is a new row, and a page in the tests.
//!
//! Words are compared without regard to ASCII case. A row is believed only in the company that its
//! tier names; all of its signs must be there.

/// Where a row is believed, by how costly a false alarm would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tier {
    /// Only a challenge carries these: whatever the status and whatever else is on the page.
    Anywhere,
    /// Pages that the vendor lets through carry these too: only with a status that refuses.
    OnRefusal,
    /// A person could have written these, or a form may hold them: only on a page with almost
    /// nothing to read and nothing to fill in.
    OnBarePage,
}

/// One thing to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// A response header whose value holds this, in lower case; an empty value matches any.
    Header(&'static str, &'static str),
    /// In the source of the body but not in its visible text.
    Markup(&'static str),
    /// In the title or the visible text.
    Text(&'static str),
}

/// One way to recognise one vendor.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) vendor: &'static str,
    pub(super) tier: Tier,
    pub(super) signs: &'static [Sign],
}

const fn row(vendor: &'static str, tier: Tier, signs: &'static [Sign]) -> Row {
    Row {
        vendor,
        tier,
        signs,
    }
}

use Sign::{Header, Markup, Text};
use Tier::{Anywhere, OnBarePage, OnRefusal};

const CLOUDFLARE: &str = "Cloudflare";
const DATADOME: &str = "DataDome";
const AKAMAI: &str = "Akamai";
const HUMAN: &str = "HUMAN (PerimeterX)";
const KASADA: &str = "Kasada";
const IMPERVA: &str = "Imperva";
const AWS_WAF: &str = "AWS WAF";
const DDOS_GUARD: &str = "DDoS-Guard";
const SUCURI: &str = "Sucuri";
const F5: &str = "F5";
const ARKOSE: &str = "Arkose Labs";
const GEETEST: &str = "GeeTest";
const VERCEL: &str = "Vercel";
const ANUBIS: &str = "Anubis";
const CAPTCHA: &str = "a captcha";
const UNNAMED: &str = "an unnamed bot filter";

/// The first row that holds names the vendor, so the surer rows stand first.
pub(super) const ROWS: &[Row] = &[
    // Headers that exist to say "this is a challenge".
    row(CLOUDFLARE, Anywhere, &[Header("cf-mitigated", "challenge")]),
    row(AWS_WAF, Anywhere, &[Header("x-amzn-waf-action", "")]),
    row(
        VERCEL,
        Anywhere,
        &[Header("x-vercel-mitigated", "challenge")],
    ),
    // Sources of challenge pages. Scripts that also watch ordinary pages (Cloudflare's jsd and
    // beacon, DataDome's tags.js, AWS's challenge.js, Imperva's resource) are not among these.
    row(CLOUDFLARE, Anywhere, &[Markup("_cf_chl_opt")]),
    row(CLOUDFLARE, Anywhere, &[Markup("orchestrate/chl_page")]),
    row(CLOUDFLARE, Anywhere, &[Markup("orchestrate/jsch")]),
    row(CLOUDFLARE, Anywhere, &[Markup("orchestrate/captcha")]),
    row(CLOUDFLARE, Anywhere, &[Markup("orchestrate/managed")]),
    row(CLOUDFLARE, Anywhere, &[Markup("__cf_chl_f_tk")]),
    row(CLOUDFLARE, Anywhere, &[Markup("cf-browser-verification")]),
    row(
        CLOUDFLARE,
        Anywhere,
        &[Markup("cf-error-details"), Text("you have been blocked")],
    ),
    row(DATADOME, Anywhere, &[Markup("captcha-delivery.com")]),
    row(HUMAN, Anywhere, &[Markup("_pxappid"), Markup("px-captcha")]),
    row(HUMAN, Anywhere, &[Markup("captcha.px-cdn.net")]),
    row(HUMAN, Anywhere, &[Markup("captcha.px-cloud.net")]),
    row(HUMAN, Anywhere, &[Markup("captcha.perimeterx.net")]),
    row(HUMAN, Anywhere, &[Markup("_pxblockscript")]),
    row(KASADA, Anywhere, &[Markup("kpsdk"), Markup("/ips.js")]),
    row(KASADA, Anywhere, &[Markup("kpsdk.scriptstart")]),
    row(
        IMPERVA,
        Anywhere,
        &[
            Markup("_incapsula_resource"),
            Markup("incapsula incident id"),
        ],
    ),
    row(
        IMPERVA,
        Anywhere,
        &[Markup("_incapsula_resource"), Text("incapsula incident id")],
    ),
    row(
        IMPERVA,
        Anywhere,
        &[Markup("reese84"), Text("pardon our interruption")],
    ),
    row(IMPERVA, Anywhere, &[Markup("distil_r_captcha")]),
    row(AWS_WAF, Anywhere, &[Markup("gokuprops")]),
    row(AWS_WAF, Anywhere, &[Markup("awswafcookiedomainlist")]),
    row(AKAMAI, Anywhere, &[Markup("sec-if-cpt-container")]),
    row(AKAMAI, Anywhere, &[Markup("/_sec/cp_challenge/")]),
    row(AKAMAI, Anywhere, &[Markup("bm-verify=")]),
    row(
        AKAMAI,
        Anywhere,
        &[Text("access denied"), Markup("errors.edgesuite.net")],
    ),
    row(
        AKAMAI,
        Anywhere,
        &[Text("access denied"), Text("errors.edgesuite.net")],
    ),
    row(DDOS_GUARD, Anywhere, &[Markup("check.ddos-guard.net")]),
    row(
        DDOS_GUARD,
        Anywhere,
        &[Markup("/.well-known/ddos-guard/js-challenge")],
    ),
    row(SUCURI, Anywhere, &[Markup("sucuri_cloudproxy_js")]),
    row(
        SUCURI,
        Anywhere,
        &[Text("access denied - sucuri website firewall")],
    ),
    row(
        F5,
        Anywhere,
        &[Text("the requested url was rejected"), Text("support id")],
    ),
    row(F5, Anywhere, &[Markup("bobcmn"), Markup("/tspd/")]),
    row(
        F5,
        Anywhere,
        &[
            Markup("apm_do_not_touch"),
            Markup("please enable javascript to view the page"),
        ],
    ),
    row(CAPTCHA, Anywhere, &[Markup("/errors/validatecaptcha")]),
    row(ANUBIS, Anywhere, &[Markup("anubis_challenge")]),
    // Marks of a vendor, and a status that refuses.
    row(
        CLOUDFLARE,
        OnRefusal,
        &[Text("attention required! | cloudflare")],
    ),
    row(CLOUDFLARE, OnRefusal, &[Text("just a moment...")]),
    row(
        CLOUDFLARE,
        OnRefusal,
        &[Header("server", "cloudflare"), Text("error code: 1020")],
    ),
    row(
        CLOUDFLARE,
        OnRefusal,
        &[Header("server", "cloudflare"), Text("error code: 1010")],
    ),
    row(DATADOME, OnRefusal, &[Header("x-datadome", "")]),
    row(DATADOME, OnRefusal, &[Header("x-dd-b", "")]),
    row(HUMAN, OnRefusal, &[Markup("_pxappid")]),
    row(HUMAN, OnRefusal, &[Markup("px-captcha")]),
    row(HUMAN, OnRefusal, &[Markup("perimeterx")]),
    row(KASADA, OnRefusal, &[Header("x-kpsdk-ct", "")]),
    row(KASADA, OnRefusal, &[Header("x-kpsdk-r", "")]),
    row(KASADA, OnRefusal, &[Markup("kpsdk")]),
    row(IMPERVA, OnRefusal, &[Markup("_incapsula_resource")]),
    row(IMPERVA, OnRefusal, &[Text("incapsula incident id")]),
    row(IMPERVA, OnRefusal, &[Text("pardon our interruption")]),
    row(
        AKAMAI,
        OnRefusal,
        &[Header("server", "akamaighost"), Text("access denied")],
    ),
    row(
        AKAMAI,
        OnRefusal,
        &[
            Text("you don't have permission to access"),
            Text("reference #"),
        ],
    ),
    row(
        AWS_WAF,
        OnRefusal,
        &[Text("request blocked"), Text("cloudfront")],
    ),
    row(
        AWS_WAF,
        OnRefusal,
        &[
            Text("request could not be satisfied"),
            Text("request blocked"),
        ],
    ),
    row(
        DDOS_GUARD,
        OnRefusal,
        &[Header("server", "ddos-guard"), Text("ddos-guard")],
    ),
    row(SUCURI, OnRefusal, &[Text("sucuri website firewall")]),
    row(SUCURI, OnRefusal, &[Header("x-sucuri-block", "")]),
    row(F5, OnRefusal, &[Text("the requested url was rejected")]),
    row(ARKOSE, OnRefusal, &[Markup("arkoselabs.com")]),
    row(GEETEST, OnRefusal, &[Markup("static.geetest.com")]),
    row(
        CAPTCHA,
        OnRefusal,
        &[Text("unusual traffic from your computer network")],
    ),
    row(UNNAMED, OnRefusal, &[Text("blocked by network security")]),
    row(UNNAMED, OnRefusal, &[Text("checking your browser")]),
    row(UNNAMED, OnRefusal, &[Text("verify you are human")]),
    row(UNNAMED, OnRefusal, &[Text("are you a robot")]),
    // What a page that says nothing else must mean.
    row(CLOUDFLARE, OnBarePage, &[Text("just a moment...")]),
    row(
        CLOUDFLARE,
        OnBarePage,
        &[Text("attention required! | cloudflare")],
    ),
    row(
        CLOUDFLARE,
        OnBarePage,
        &[Text("checking your browser before accessing")],
    ),
    row(
        DATADOME,
        OnBarePage,
        &[Text("please enable js and disable any ad blocker")],
    ),
    row(HUMAN, OnBarePage, &[Markup("px-captcha")]),
    row(
        HUMAN,
        OnBarePage,
        &[Text("access to this page has been denied")],
    ),
    row(
        HUMAN,
        OnBarePage,
        &[Text("press & hold to confirm you are")],
    ),
    row(IMPERVA, OnBarePage, &[Text("pardon our interruption")]),
    row(IMPERVA, OnBarePage, &[Text("incapsula incident id")]),
    row(
        IMPERVA,
        OnBarePage,
        &[Markup("_incapsula_resource"), Markup("noindex")],
    ),
    row(
        AKAMAI,
        OnBarePage,
        &[Text("powered and protected by akamai")],
    ),
    row(DDOS_GUARD, OnBarePage, &[Text("ddos-guard")]),
    row(SUCURI, OnBarePage, &[Text("sucuri website firewall")]),
    row(F5, OnBarePage, &[Text("the requested url was rejected")]),
    row(F5, OnBarePage, &[Markup("_imp_apg_r_")]),
    row(ARKOSE, OnBarePage, &[Markup("arkoselabs.com")]),
    row(GEETEST, OnBarePage, &[Markup("static.geetest.com")]),
    row(VERCEL, OnBarePage, &[Text("vercel security checkpoint")]),
    row(ANUBIS, OnBarePage, &[Text("making sure you're not a bot")]),
    // A widget in the page itself; scripts of the same services also watch ordinary applications.
    row(
        CAPTCHA,
        OnBarePage,
        &[Markup("cf-turnstile"), Markup("data-sitekey")],
    ),
    row(
        CAPTCHA,
        OnBarePage,
        &[Markup("h-captcha"), Markup("data-sitekey")],
    ),
    row(
        CAPTCHA,
        OnBarePage,
        &[Markup("g-recaptcha"), Markup("data-sitekey")],
    ),
    row(
        CAPTCHA,
        OnBarePage,
        &[Text("unusual traffic from your computer network")],
    ),
    row(UNNAMED, OnBarePage, &[Text("blocked by network security")]),
    row(UNNAMED, OnBarePage, &[Text("verify you are human")]),
    row(UNNAMED, OnBarePage, &[Text("verify that you are human")]),
    row(UNNAMED, OnBarePage, &[Text("verify you are a human")]),
    row(
        UNNAMED,
        OnBarePage,
        &[Text("verify that you are not a robot")],
    ),
    row(UNNAMED, OnBarePage, &[Text("are you a robot?")]),
    row(UNNAMED, OnBarePage, &[Text("are you a human?")]),
    row(
        UNNAMED,
        OnBarePage,
        &[Text("enable javascript and cookies to continue")],
    ),
    row(UNNAMED, OnBarePage, &[Text("checking your browser")]),
    row(
        UNNAMED,
        OnBarePage,
        &[Text("checking if the site connection is secure")],
    ),
];
