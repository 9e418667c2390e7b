// What to do about an error, by its code. A code without a row shows its message alone.

const ADVICE = {
  NO_ANSWER: "Is it still running? Start it with make run.",
  UNAUTHORIZED: "Put the server's key into Options → API key.",
  INVALID_URL: "Write a whole address, such as https://example.com/page.",
  INVALID_OPTIONS: "Correct the option that the message names.",
  SSRF_BLOCKED: "Only public addresses can be fetched. To try pages on your own machine, start the server with TRAWLS_ALLOW_PRIVATE_TARGETS=true.",
  ROBOTS_DENIED: "The site asks robots to stay away. If it is yours, clear “Obey robots.txt”.",
  DNS_FAILURE: "Check the spelling of the host.",
  CONNECT_FAILED: "The host refuses or is down. Try again later.",
  TLS_ERROR: "The site's certificate is bad. If you trust it, clear “Refuse bad certificates”.",
  TIMEOUT_TOTAL: "Give it more time under Options → Timeout.",
  TIMEOUT_TTFB: "Give it more time under Options → Timeout.",
  TIMEOUT_READ: "Give it more time under Options → Timeout.",
  NOT_FOUND: "Check the path: the site has no such page.",
  BLOCKED: "The site's bot protection refused every way. A proxy may help.",
  RATE_LIMITED: "The site wants fewer requests. Wait, then try again.",
  EMPTY_CONTENT: "The page holds no text without JavaScript, or everything was dropped: try without “Only the main content”.",
  BROWSER_UNAVAILABLE: "This version has no browser rung: choose auto or http.",
  BREAKER_OPEN: "The host failed five times in a row and rests for a minute.",
  UNSUPPORTED_CONTENT: "This kind of file cannot be read yet.",
};

export const advice = (code) => ADVICE[code] ?? "";
