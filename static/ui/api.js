// Calls the server. The key, if there is one, stays in this browser; it is stored scrambled so that
// it isn't read by a glance at the storage, which is no protection against more than a glance.

const STORED_KEY = "trawls.key";

export const apiKey = {
  get() {
    try {
      return [...atob(localStorage.getItem(STORED_KEY) ?? "")].reverse().join("");
    } catch {
      return "";
    }
  },
  set(key) {
    if (key) localStorage.setItem(STORED_KEY, btoa([...key].reverse().join("")));
    else localStorage.removeItem(STORED_KEY);
  },
};

/** What the server (or the way to it) said no with. */
export class ApiError extends Error {
  /** @param {number} status 0 when there was no answer */
  constructor(status, { code, message, details } = {}) {
    super(message ?? `The server answered ${status}.`);
    this.status = status;
    this.code = code ?? "NO_ANSWER";
    this.details = details ?? {};
  }
}

/** @returns {Promise<any>} the parsed answer of a 2xx; anything else throws an ApiError */
export async function call(method, path, body, signal) {
  return (await send(method, path, body, signal)).json().catch(() => ({}));
}

/** @returns {Promise<Blob>} the bytes of a picture or a print, which an <img> cannot ask for with the key */
export async function bytes(path) {
  return (await send("GET", path)).blob();
}

async function send(method, path, body, signal) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (apiKey.get()) headers.Authorization = `Bearer ${apiKey.get()}`;
  let response;
  try {
    response = await fetch(path, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, { message: "The server does not answer." });
  }
  if (!response.ok) {
    const answer = await response.json().catch(() => ({}));
    throw new ApiError(response.status, answer.error);
  }
  return response;
}
