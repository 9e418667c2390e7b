// What every page's frame does: the server's state in the bar, and the key.

import { apiKey, call } from "./api.js";

export async function shell() {
  const dot = document.querySelector(".bar .dot");
  const state = document.querySelector(".bar .state");
  try {
    await call("GET", "/readyz");
    dot.dataset.state = "good";
    state.textContent = "ready";
  } catch (error) {
    dot.dataset.state = "bad";
    state.textContent = error.status ? "not ready" : "no answer";
    state.title = error.message;
  }
  const key = document.getElementById("key");
  key.value = apiKey.get();
  key.addEventListener("change", () => apiKey.set(key.value.trim()));
}
