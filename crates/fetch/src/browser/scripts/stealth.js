// Corrects the few things about a headless Chromium that neither its flags nor CDP can. Runs before
// any script of the page, in the page's own world, in every frame and worker.
//
// Rust puts in place of
//   __IDENTITY__  a JSON object; what is missing or null stays as Chromium has it:
//     { "webgl": { "vendor": "Google Inc. (Intel)", "renderer": "ANGLE (Intel, …)" },
//       "deviceMemory": 8,            // a server's memory is no desktop's
//       "platform": "Linux armv81" }  // of workers, which CDP's platform does not reach
//   __MASK__      a word of letters and digits, drawn for each browser, the same in all its frames
//     and workers. Our functions carry it in their source, and whoever prints a function takes it
//     for the sign to print a native one. A page that could guess it could tell us by it.
(() => {
  "use strict";
  const identity = __IDENTITY__;
  // The page may change these later.
  const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
  const { captureStackTrace } = Error;
  const { includes, indexOf, slice, split } = String.prototype;
  const nativeToString = Function.prototype.toString;

  // Calls what `ours` stands for; what that throws must not show `ours` on its stack.
  const call = (native, self, values, ours) => {
    try {
      return apply(native, self, values);
    } catch (error) {
      captureStackTrace(error, ours);
      throw error;
    }
  };

  // Puts a method or getter in the place of a native one, with its flags.
  let isPatched = false;
  const patch = (owner, name, makeOurs) => {
    const descriptor = owner && getOwnPropertyDescriptor(owner, name);
    if (!descriptor) return;
    const kind = descriptor.get ? "get" : "value";
    const ours = makeOurs(descriptor[kind]);
    descriptor[kind] = getOwnPropertyDescriptor(ours, name)[kind];
    defineProperty(owner, name, descriptor);
    isPatched = true;
  };

  // WebGL names the software renderer of a machine without a graphics card. A real card is left.
  const { webgl } = identity;
  for (const context of webgl ? ["WebGLRenderingContext", "WebGL2RenderingContext"] : []) {
    patch(globalThis[context]?.prototype, "getParameter", (native) => {
      const ours = {
        getParameter(_) {
          "__MASK__";
          const value = call(native, this, arguments, method);
          if (typeof value !== "string") return value;
          if (value === "Google Inc. (Google)") return webgl.vendor;
          return apply(includes, value, ["SwiftShader"]) ? webgl.renderer : value;
        },
      };
      const method = ours.getParameter;
      return ours;
    });
  }

  const navigatorPrototype = Object.getPrototypeOf(navigator);
  if (identity.deviceMemory) {
    patch(navigatorPrototype, "deviceMemory", (native) => {
      const ours = {
        get deviceMemory() {
          "__MASK__";
          call(native, this, [], getter);
          return identity.deviceMemory;
        },
      };
      const getter = getOwnPropertyDescriptor(ours, "deviceMemory").get;
      return ours;
    });
  }
  if (identity.platform && !globalThis.document) {
    patch(navigatorPrototype, "platform", (native) => {
      const ours = {
        get platform() {
          "__MASK__";
          call(native, this, [], getter);
          return identity.platform;
        },
      };
      const getter = getOwnPropertyDescriptor(ours, "platform").get;
      return ours;
    });
  }

  // All of the above, and this one itself, print as native.
  if (!isPatched) return;
  patch(Function.prototype, "toString", () => {
    const ours = {
      toString() {
        "__MASK__";
        let source;
        try {
          source = apply(nativeToString, this, []);
        } catch (error) {
          // Unlike the other natives this one is on the stack, in its second line.
          const before = error.stack;
          captureStackTrace(error, method);
          const after = error.stack;
          if (typeof before === "string" && typeof after === "string") {
            const [head, native] = apply(split, before, ["\n"]);
            error.stack = head + "\n" + native + apply(slice, after, [head.length]);
          }
          throw error;
        }
        if (!apply(includes, source, ["__MASK__"])) return source;
        const name = apply(slice, source, [0, apply(indexOf, source, ["("])]);
        return `function ${name}() { [native code] }`;
      },
    };
    const method = ours.toString;
    return ours;
  });
})();
