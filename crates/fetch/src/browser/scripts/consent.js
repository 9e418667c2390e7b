// Closes a cookie banner by its button for "no", if there is one that says so without doubt. Runs
// in an isolated world. Never accepts, never follows a link, never sends a form.
//
// Returns { by, text } of what was clicked, or null. `by` is the selector of a known vendor or
// "words".
(() => {
  const VENDORS = [
    "#onetrust-reject-all-handler, .ot-pc-refuse-all-handler",
    "#CybotCookiebotDialogBodyButtonDecline, #CybotCookiebotDialogBodyLevelButtonLevelOptinDeclineAll",
    "#didomi-notice-disagree-button, .didomi-continue-without-agreeing",
    "[data-testid=uc-deny-all-button], #uc-btn-deny-banner, .uc-deny-button",
    "#truste-consent-required",
    ".sp_choice_type_13", // Sourcepoint numbers its choices: 11 accepts, 12 shows options, 13 rejects
    ".cm-btn-decline, .cn-decline",
    ".osano-cm-denyAll, .osano-cm-deny",
    ".cmplz-deny",
    ".cky-btn-reject",
    ".iubenda-cs-reject-btn",
    "#tarteaucitronAllDenied2",
    "[data-cc=accept-necessary], .cm__btn[data-role=necessary]",
    "[data-tid=banner-decline]",
    "#hs-eu-decline-button",
    "#cookiescript_reject",
    "#shopify-pc__banner__btn-decline",
    "#cmpwelcomebtnno > *, #cmpbntnotxt",
    "#ccc-reject-settings, .ccc-reject-button",
    "[data-cookiefirst-action=reject]",
    "[data-hook=consent-banner-decline-all-button]",
    "#cn-refuse-cookie",
  ];
  // What such a button says, word for word; `cookies` may follow each of them.
  const NO = new Set(
    [
      "reject|reject all|reject non-essential|reject optional|reject additional|decline|decline all|decline optional|deny|deny all|refuse|refuse all|disagree|disagree to all|only necessary|necessary only|only essential|essential only|use necessary only|accept necessary only|accept only necessary|accept only essential|only required|required only|continue without accepting|continue without agreeing",
      "ablehnen|alle ablehnen|alles ablehnen|nur notwendige|nur erforderliche|nur essenzielle|nur essentielle|nur technisch notwendige|nur notwendige akzeptieren|nur essenzielle akzeptieren|ohne einwilligung fortfahren|weiter ohne einwilligung|weiter ohne zustimmung",
      "refuser|tout refuser|refuser tout|je refuse|tout rejeter|rejeter tout|continuer sans accepter|uniquement les nécessaires|nécessaires uniquement",
      "rechazar|rechazar todo|rechazar todas|rechazar todas las|rechazarlas todas|denegar|solo necesarias|solo las necesarias|sólo necesarias|continuar sin aceptar",
      "rifiuta|rifiuta tutto|rifiuta tutti|rifiuto|solo necessari|solo i necessari|continua senza accettare",
      "rejeitar|rejeitar tudo|rejeitar todos|rejeitar todos os|recusar|recusar tudo|recusar todos|apenas necessários|somente necessários|apenas os necessários",
      "weigeren|alles weigeren|alle weigeren|afwijzen|alles afwijzen|alle afwijzen|alleen noodzakelijk|alleen noodzakelijke|alleen functioneel|doorgaan zonder accepteren",
      "odrzuć|odrzuć wszystkie|odrzuć wszystko|odmów|tylko niezbędne|tylko wymagane|nie zgadzam się",
      "neka|neka alla|avvisa|avvisa alla|endast nödvändiga|bara nödvändiga|endast nödvändiga kakor",
      "afvis|afvis alle|kun nødvendige|avvis|avvis alle|bare nødvendige|nei til alle",
      "hylkää|hylkää kaikki|kiellä|kiellä kaikki|vain välttämättömät|vain välttämättömät evästeet",
      "odmítnout|odmítnout vše|odmítnout všechny|pouze nezbytné|odmietnuť|odmietnuť všetko|odmietnuť všetky|iba nevyhnutné",
      "elutasítom|elutasítás|összes elutasítása|mindet elutasítom|csak a szükségesek",
      "refuz|refuză|respinge|respinge tot|respinge toate|doar cele necesare",
      "απόρριψη|απόρριψη όλων|μόνο τα απαραίτητα",
      "reddet|tümünü reddet|hepsini reddet|sadece gerekli",
      "отклонить|отклонить все|отказаться|только необходимые|відхилити|відхилити всі|лише необхідні",
      "拒否|拒否する|すべて拒否|すべて拒否する|全部拒绝|拒绝|拒绝所有|全部拒絕|모두 거부|거부",
    ].join("|").split("|"),
  );
  const ABOUT = /cookie|consent|gdpr|dsgvo|rgpd|tracking|einwilligung|privacy|privacidad|ciastecz|evästee|kakor|informasjonskaps|souhlas|süti|çerez|куки|cookies|クッキー|쿠키/i;
  const BUTTONS = "button, [role=button], input[type=button], a";
  // A banner is short; a page about cookies is not.
  const MAX_BANNER_TEXT = 6_000;

  const words = (element) => (element.value || element.innerText || element.getAttribute("aria-label") || "").toLowerCase().replace(/[\s\u00a0]+/g, " ").replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
  const saysNo = (text) => NO.has(text) || NO.has(text.replace(/ ?(cookies?|の?cookieを?)$/, ""));
  const isVisible = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && element.getClientRects().length > 0;
  const isSafe = (element) => {
    const link = element.closest("a");
    const href = link?.getAttribute("href") ?? "";
    if (href !== "" && href !== "#" && !/^javascript:/i.test(href)) return false;
    const button = element.closest("button, input");
    return !(button?.form && (button.type === "submit" || button.type === "image"));
  };
  // It lies over the page or calls itself a dialog, and it speaks of cookies.
  const isInBanner = (element) => {
    for (let node = element.parentNode; node; node = node.parentNode) {
      // A shadow root stands for its host, and a document is where the way ends.
      if (node.host && node.nodeType === Node.DOCUMENT_FRAGMENT_NODE) node = node.host;
      if (node.nodeType !== Node.ELEMENT_NODE || node === node.ownerDocument.body) return false;
      const looksSo = /^(fixed|sticky)$/.test(getComputedStyle(node).position) || node.matches("[role=dialog],[role=alertdialog],[aria-modal=true],dialog") || /cookie|consent|gdpr/i.test(`${node.id} ${node.className}`);
      if (!looksSo) continue;
      const text = node.innerText || node.shadowRoot?.textContent || "";
      if (text.length <= MAX_BANNER_TEXT && ABOUT.test(`${text} ${node.id} ${node.className}`)) return true;
    }
    return false;
  };

  const roots = (root) => {
    const inside = [...root.querySelectorAll("*")].flatMap(({ shadowRoot, localName, contentDocument }) => {
      if (shadowRoot) return roots(shadowRoot);
      return localName === "iframe" && contentDocument ? roots(contentDocument) : [];
    });
    return [root, ...inside];
  };
  const click = (element, by) => {
    const text = words(element);
    element.click();
    return { by, text };
  };

  const all = roots(document);
  for (const selector of VENDORS) {
    for (const root of all) {
      const button = [...root.querySelectorAll(selector)].find((button) => isVisible(button) && isSafe(button));
      if (button) return click(button, selector);
    }
  }
  for (const root of all) {
    const button = [...root.querySelectorAll(BUTTONS)].find((button) => saysNo(words(button)) && isVisible(button) && isSafe(button) && isInBanner(button));
    if (button) return click(button, "words");
  }
  return null;
})()
