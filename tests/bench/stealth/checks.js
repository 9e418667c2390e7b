// What a robot is known by, each asked in the scope that this file is loaded into: page, frame or
// worker. `checks()` resolves to rows { id, ok, saw }, `identity()` to what must be the same
// everywhere.
"use strict";

const hasPage = typeof document !== "undefined";

function canvas() {
  return hasPage ? document.createElement("canvas") : new OffscreenCanvas(16, 16);
}

function renderer() {
  const gl = canvas().getContext("webgl");
  if (!gl) return "no WebGL";
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  return `${gl.getParameter(names.UNMASKED_VENDOR_WEBGL)} | ${gl.getParameter(names.UNMASKED_RENDERER_WEBGL)}`;
}

function brands() {
  return (navigator.userAgentData?.brands ?? []).map(({ brand, version }) => `${brand} ${version}`).join(", ");
}

async function identity() {
  const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
  return {
    userAgent: navigator.userAgent,
    appVersion: navigator.appVersion,
    platform: navigator.platform,
    brands: brands(),
    hints: JSON.stringify(await navigator.userAgentData?.getHighEntropyValues(["architecture", "bitness", "fullVersionList", "model", "platformVersion"])),
    languages: navigator.languages.join(),
    hardwareConcurrency: navigator.hardwareConcurrency,
    deviceMemory: navigator.deviceMemory,
    timezone: `${timeZone} ${new Date(2026, 6, 1).getTimezoneOffset()}`,
    locale,
    webgl: renderer(),
  };
}

// Owner, name, kind: what is most often replaced.
function natives() {
  const navigatorPrototype = Object.getPrototypeOf(navigator);
  const list = [
    [Function.prototype, "toString", "value"],
    [WebGLRenderingContext.prototype, "getParameter", "value"],
    [WebGL2RenderingContext.prototype, "getParameter", "value"],
    [WebGLRenderingContext.prototype, "getExtension", "value"],
    [Permissions.prototype, "query", "value"],
    [Error, "captureStackTrace", "value"],
    [Object, "getOwnPropertyDescriptor", "value"],
    [Object, "defineProperty", "value"],
    [Date.prototype, "getTimezoneOffset", "value"],
    [Intl.DateTimeFormat.prototype, "resolvedOptions", "value"],
    ...["userAgent", "platform", "languages", "language", "hardwareConcurrency", "deviceMemory", "userAgentData"].map((name) => [navigatorPrototype, name, "get"]),
  ];
  if (hasPage) {
    list.push([HTMLIFrameElement.prototype, "contentWindow", "get"], [HTMLCanvasElement.prototype, "toDataURL", "value"]);
    list.push([HTMLMediaElement.prototype, "canPlayType", "value"], [MediaDevices.prototype, "enumerateDevices", "value"]);
    list.push(...["webdriver", "plugins", "mimeTypes", "connection"].map((name) => [navigatorPrototype, name, "get"]));
    list.push(...["width", "height", "availWidth", "availHeight", "colorDepth"].map((name) => [Screen.prototype, name, "get"]));
  }
  return list.map(([owner, name, kind]) => ({ name, kind, call: Object.getOwnPropertyDescriptor(owner, name)?.[kind] })).filter(({ call }) => call);
}

function stackOf(action) {
  try {
    action();
  } catch (error) {
    return String(error.stack).split("\n").slice(1);
  }
  return [];
}

// Called when somebody asks an error for its stack: nobody does, unless a debugger has enabled Runtime.
function whoReadsStacks() {
  let reads = 0;
  const before = Object.getOwnPropertyDescriptor(Error, "prepareStackTrace");
  Error.prepareStackTrace = () => {
    reads += 1;
    return "";
  };
  const trap = new Error("trap");
  Object.defineProperty(trap, "stack", { configurable: true, get: () => void (reads += 1) });
  const object = {};
  Object.defineProperty(object, "id", { enumerable: true, get: () => void (reads += 1) });
  for (const bait of [new Error("bait"), trap, object]) console.debug(bait);
  if (before) Object.defineProperty(Error, "prepareStackTrace", before);
  else delete Error.prepareStackTrace;
  return reads;
}

const ROBOT_NAMES = /^(\$?cdc_|\$chrome_|__playwright|__pw|__puppeteer|puppeteer_|__webdriver|__selenium|__fxdriver|__driver|_selenium|callSelenium|_phantom|callPhantom|phantom|__nightmare|domAutomation|__trawls|exposedFn|_WEBDRIVER)/i;

const EVERYWHERE = {
  webdriver: () => [!navigator.webdriver, String(navigator.webdriver)],
  "navigator-own": () => {
    const names = [...Object.getOwnPropertyNames(navigator), ...Object.keys(navigator)];
    return [names.length === 0, names.join() || "nothing of its own"];
  },
  "headless-token": () => {
    const text = `${navigator.userAgent} ${navigator.appVersion} ${brands()}`;
    return [!/headless/i.test(text), text];
  },
  "agent-and-hints": async () => {
    const major = /Chrome\/(\d+)/.exec(navigator.userAgent)?.[1];
    const hints = await navigator.userAgentData?.getHighEntropyValues(["fullVersionList", "platformVersion"]);
    if (!hints) return [!isSecureContext, "no hints"];
    const versions = hints.fullVersionList.filter(({ brand }) => /Chrom/.test(brand)).map(({ version }) => version.split(".")[0]);
    const isMobile = /Mobile/.test(navigator.userAgent);
    const platforms = { Linux: /X11; Linux/, Windows: /Windows NT/, macOS: /Macintosh/, Android: /Android/ };
    const ok = versions.length > 0 && versions.every((version) => version === major) && hints.mobile === isMobile && platforms[hints.platform]?.test(navigator.userAgent);
    return [ok, `${major}: ${versions} ${hints.platform} mobile=${hints.mobile}`];
  },
  // The user agent says Chrome; Chromium's own hints say that it is not.
  brand: () => [/Google Chrome \d+/.test(brands()), brands()],
  platform: () => {
    const families = [/Linux/, /Win/, /Mac/];
    return [families.some((family) => family.test(navigator.platform) && family.test(navigator.userAgent)), navigator.platform];
  },
  languages: () => {
    const { language, languages } = navigator;
    const { locale } = Intl.DateTimeFormat().resolvedOptions();
    const ok = languages.length > 0 && languages[0] === language && locale.split("-")[0] === language.split("-")[0] && !languages.join().includes(";");
    return [ok, `${languages} / ${locale}`];
  },
  timezone: () => {
    const at = new Date();
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const shown = new Date(at.toLocaleString("en-US", { timeZone }));
    const utc = new Date(at.toLocaleString("en-US", { timeZone: "UTC" }));
    return [(utc - shown) / 60_000 === at.getTimezoneOffset(), `${timeZone} ${at.getTimezoneOffset()}`];
  },
  hardware: () => {
    const { hardwareConcurrency, deviceMemory } = navigator;
    const isDesktop = hardwareConcurrency >= 4 && hardwareConcurrency % 2 === 0 && [4, 8, 16, 32].includes(deviceMemory ?? 8);
    return [isDesktop, `${hardwareConcurrency} cores, ${deviceMemory} GB`];
  },
  webgl: () => [!/swiftshader|llvmpipe|softpipe|offscreen|software|virtualbox|vmware|no WebGL/i.test(renderer()), renderer()],
  // Every card since 2012 takes textures of 16,384 pixels; the software renderer takes 8,192.
  "webgl-limits": () => {
    const gl = canvas().getContext("webgl");
    const size = gl?.getParameter(gl.MAX_TEXTURE_SIZE);
    return [size >= 16_384, `textures of ${size}`];
  },
  "native-text": () => {
    const bad = natives().filter(({ name, kind, call }) => {
      const expected = `function ${kind === "get" ? "get " : ""}${name}() { [native code] }`;
      return `${call}` !== expected || Function.prototype.toString.call(call) !== expected;
    });
    return [bad.length === 0, bad.map(({ name }) => name).join() || "all native"];
  },
  "native-shape": () => {
    const bad = natives().filter(({ name, kind, call }) => {
      const names = Object.getOwnPropertyNames(call).join();
      const newStack = stackOf(() => new call());
      const isNamed = call.name === (kind === "get" ? `get ${name}` : name);
      return names !== "length,name" || !isNamed || Object.getPrototypeOf(call) !== Function.prototype || !newStack[0]?.includes("checks.js");
    });
    return [bad.length === 0, bad.map(({ name }) => name).join() || "length, name, no constructor"];
  },
  // A stand-in leaves a line of its own between the native error and us.
  "native-errors": () => {
    const bad = [];
    for (const { name, kind, call } of natives()) {
      if (name === "toString" || !(kind === "get" || ["getParameter", "getExtension"].includes(name))) continue;
      if (!stackOf(() => call.call({}))[0]?.includes("checks.js")) bad.push(name);
    }
    const [first, second] = stackOf(() => Function.prototype.toString.call({}));
    if (first?.trim() !== "at Object.toString (<anonymous>)" || !second?.includes("checks.js")) bad.push("toString");
    const inherited = stackOf(() => Object.create(WebGLRenderingContext.prototype.getParameter).toString());
    if (!/^\s*at (Function|Object)\.toString \(<anonymous>\)$/.test(inherited[0])) bad.push("toString of an heir");
    return [bad.length === 0, bad.join() || "as native ones"];
  },
  // What a native function calls back finds nobody between itself and who called.
  "native-callbacks": () => {
    let stack = [];
    const gl = canvas().getContext("webgl");
    const call = () =>
      gl.getParameter({
        valueOf() {
          stack = String(new Error().stack).split("\n").slice(1);
          return gl.RENDERER;
        },
      });
    call();
    return [stack[1]?.includes("checks.js"), stack[1]?.trim() ?? "no stack"];
  },
  "runtime-enabled": () => {
    const reads = whoReadsStacks();
    return [reads === 0, `${reads} reads`];
  },
  "stack-limit": () => [Error.stackTraceLimit === 10 && !Object.hasOwn(Error, "prepareStackTrace"), String(Error.stackTraceLimit)],
  "source-url": () => {
    const stack = String(new Error().stack);
    return [!/pptr:|puppeteer|playwright|UtilityScript|__evaluation|evaluate at/i.test(stack), stack.split("\n").length + " lines"];
  },
  "robot-globals": () => {
    const names = Object.getOwnPropertyNames(globalThis).filter((name) => ROBOT_NAMES.test(name));
    return [names.length === 0, names.join() || "none"];
  },
};

async function run(table) {
  const rows = [];
  for (const [id, ask] of Object.entries(table)) {
    let ok = false;
    let saw;
    try {
      [ok, saw] = await ask();
    } catch (error) {
      saw = `failed: ${error.message}`;
    }
    rows.push({ id, ok: Boolean(ok), saw: String(saw) });
  }
  return rows;
}

globalThis.checks = () => run(EVERYWHERE);
