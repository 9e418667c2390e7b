// The box in which a page says what went wrong.

import { advice } from "./advice.js";
import { element } from "./element.js";

/** Shows what went wrong and what to do; without arguments, nothing. */
export function notice(message = "", code = "") {
  const box = document.getElementById("notice");
  box.hidden = !message;
  const help = advice(code);
  box.replaceChildren(
    element("h2", {}, message),
    ...(help ? [element("p", {}, help)] : []),
    ...(code ? [element("p", { class: "muted" }, element("code", {}, code))] : []),
  );
}
