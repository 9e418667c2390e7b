// The questions that only a page can ask: `pageChecks(isTop)`, and, for the top page alone, `spy`.
"use strict";

const IN_PAGES = {
  chrome: () => {
    const names = Object.keys(window.chrome ?? {}).join();
    const isNative = ["loadTimes", "csi"].every((name) => `${window.chrome?.[name]}`.includes("[native code]"));
    return [names === "loadTimes,csi,app" && isNative, names || "missing"];
  },
  permissions: async () => {
    const { state } = await navigator.permissions.query({ name: "notifications" });
    const shown = Notification.permission;
    return [(shown === "default" ? "prompt" : shown) === state, `${shown} / ${state}`];
  },
  plugins: () => {
    const names = [...navigator.plugins].map(({ name }) => name);
    const ok = names.length === 5 && navigator.mimeTypes.length === 2 && navigator.pdfViewerEnabled && navigator.plugins instanceof PluginArray && navigator.plugins[0] instanceof Plugin && navigator.plugins[0][0] instanceof MimeType;
    return [ok, `${names.length}: ${names[0]}`];
  },
  outer: () => [outerWidth > 0 && outerHeight > 0 && outerHeight <= screen.availHeight && outerWidth <= screen.availWidth, `${outerWidth}x${outerHeight} at ${screenX},${screenY}`],
  screen: () => {
    const { width, height, availWidth, availHeight, colorDepth } = screen;
    const ok = width >= 1024 && height >= 700 && availWidth <= width && availHeight < height && colorDepth === 24;
    return [ok, `${width}x${height}, ${availWidth}x${availHeight} free, ${colorDepth} bits, ${devicePixelRatio}`];
  },
  // A desktop has a mouse.
  pointer: () => {
    const is = (query) => matchMedia(query).matches;
    const hasMouse = is("(hover: hover)") && is("(pointer: fine)") && is("(any-pointer: fine)");
    return [hasMouse !== navigator.maxTouchPoints > 0, `mouse=${hasMouse} touch points=${navigator.maxTouchPoints}`];
  },
  "media-devices": async () => {
    const kinds = (await navigator.mediaDevices.enumerateDevices()).map(({ kind }) => kind);
    return [kinds.length > 0, kinds.join() || "none"];
  },
  connection: () => [navigator.connection.rtt > 0 && navigator.connection.downlink > 0, `${navigator.connection.rtt} ms, ${navigator.connection.effectiveType}`],
  codecs: () => {
    const video = document.createElement("video");
    const kinds = ['video/mp4; codecs="avc1.42E01E"', 'audio/mp4; codecs="mp4a.40.2"', 'video/webm; codecs="vp9"'];
    const answers = kinds.map((kind) => video.canPlayType(kind));
    return [answers.every((answer) => answer === "probably"), answers.join()];
  },
  fonts: () => {
    const context = document.createElement("canvas").getContext("2d");
    const width = (font) => {
      context.font = `40px ${font}`;
      return context.measureText("mmmmwwwwlliiOO1@").width;
    };
    const names = ["Arial", "Helvetica", "Times New Roman", "Courier New", "Verdana", "DejaVu Sans", "Liberation Sans", "Noto Sans", "Ubuntu", "Roboto"];
    const found = names.filter((name) => ["monospace", "serif"].some((other) => width(`"${name}", ${other}`) !== width(other)));
    return [found.length >= 3, found.join() || "none"];
  },
  visibility: () => [document.visibilityState === "visible" && !document.hidden, document.visibilityState],
  // Chrome shows an icon in the place of a broken picture; the old headless shell showed nothing.
  "broken-image": () =>
    new Promise((resolve) => {
      const image = new Image();
      image.onerror = () => resolve([image.width > 0 || image.naturalWidth === 0, `${image.width}x${image.height}`]);
      document.body.append(image);
      image.src = "/no-such-picture.png";
    }),
  "blank-frame": async () => {
    const frame = document.createElement("iframe");
    document.body.append(frame);
    // At once, before anything could have been done to it.
    const inner = frame.contentWindow;
    const own = Object.getOwnPropertyDescriptor(frame, "contentWindow");
    const same = ["userAgent", "platform", "hardwareConcurrency", "deviceMemory", "webdriver", "language"].filter((name) => inner.navigator[name] !== navigator[name]);
    const ok = !own && inner.self === inner && Boolean(inner.chrome) && same.length === 0;
    frame.remove();
    return [ok, same.join() || "as the page"];
  },
  // Each realm prints the functions of the other.
  "foreign-text": () => {
    const frame = document.createElement("iframe");
    document.body.append(frame);
    const inner = frame.contentWindow;
    const bad = [];
    const pairs = [
      [inner, window],
      [window, inner],
    ];
    for (const [printer, owner] of pairs) {
      const print = (call) => printer.Function.prototype.toString.call(call);
      if (print(owner.WebGLRenderingContext.prototype.getParameter) !== "function getParameter() { [native code] }") bad.push("getParameter");
      if (print(owner.Function.prototype.toString) !== "function toString() { [native code] }") bad.push("toString");
      const memory = Object.getOwnPropertyDescriptor(owner.Navigator.prototype, "deviceMemory")?.get;
      if (memory && print(memory) !== "function get deviceMemory() { [native code] }") bad.push("deviceMemory");
    }
    frame.remove();
    return [bad.length === 0, bad.join() || "all native"];
  },
};

// Globals of these scripts.
const OURS = new Set("brands canvas checks identity natives pageChecks renderer run spy stackOf whoReadsStacks".split(" "));

const ON_TOP = {
  // What a driver exposes to the page is there in no fresh window.
  "foreign-globals": () => {
    const frame = document.createElement("iframe");
    document.body.append(frame);
    const fresh = new Set(Object.getOwnPropertyNames(frame.contentWindow));
    frame.remove();
    const names = Object.getOwnPropertyNames(window).filter((name) => !fresh.has(name) && !OURS.has(name) && !/^\d+$/.test(name));
    return [names.length === 0, names.join() || "none"];
  },
  viewport: () => [!["800x600", "780x493", "1280x720", "1365x768"].includes(`${innerWidth}x${innerHeight}`) && outerHeight > innerHeight, `${innerWidth}x${innerHeight}`],
  focus: () => [document.hasFocus(), String(document.hasFocus())],
  // Google Chrome on Linux has voices of its own; they come late.
  voices: () =>
    new Promise((resolve) => {
      const count = () => speechSynthesis.getVoices().length;
      setTimeout(() => resolve([count() > 0, `${count()}`]), count() ? 0 : 500);
    }),
  // This page forbids it; a driver may have switched that off.
  csp: () => {
    try {
      return [new Function("return false")(), "eval was allowed"];
    } catch {
      return [true, "eval was refused"];
    }
  },
};

globalThis.pageChecks = (isTop) => run(isTop ? { ...IN_PAGES, ...ON_TOP } : IN_PAGES);

// From now on nobody but a driver in the page's own world calls any of these. `report` is told.
globalThis.spy = (report) => {
  const watch = (owner, name) => {
    const descriptor = Object.getOwnPropertyDescriptor(owner, name);
    const kind = descriptor.get ? "get" : "value";
    const native = descriptor[kind];
    descriptor[kind] = function () {
      report("main-world", name);
      if (/pptr:|puppeteer|playwright|UtilityScript|sourceURL/i.test(new Error().stack)) report("main-world-stack", name);
      return native.apply(this, arguments);
    };
    Object.defineProperty(owner, name, descriptor);
  };
  for (const name of ["querySelector", "querySelectorAll", "getElementById", "createTreeWalker", "evaluate"]) watch(Document.prototype, name);
  for (const name of ["querySelector", "querySelectorAll", "outerHTML", "shadowRoot", "getBoundingClientRect", "checkVisibility"]) watch(Element.prototype, name);
  watch(HTMLElement.prototype, "innerText");
  watch(window, "getComputedStyle");
  watch(XMLSerializer.prototype, "serializeToString");
};
