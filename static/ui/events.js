// Server-sent events over fetch: with the key in a header, and taken up where they were left when
// the connection or the server goes away.

import { ApiError, apiKey } from "./api.js";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 5000;

/**
 * Follows a stream until `onEvent` says that it is over, or the signal ends it.
 * @param {string} path
 * @param {{after: number, signal: AbortSignal, onEvent: (name: string, data: any) => boolean, onState: (live: boolean) => void}} options
 *   `onEvent` returns true for the last event
 */
export async function follow(path, { after, signal, onEvent, onState }) {
  let last = after;
  let wait = FIRST_WAIT;
  while (!signal.aborted) {
    try {
      for await (const { name, id, data } of events(path, last, signal)) {
        onState(true);
        wait = FIRST_WAIT;
        if (id !== "") last = Number(id);
        if (onEvent(name, data)) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) throw error;
    }
    onState(false);
    await new Promise((ready) => { setTimeout(ready, wait); });
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }
}

async function* events(path, last, signal) {
  const headers = { Accept: "text/event-stream" };
  if (last > 0) headers["Last-Event-ID"] = String(last);
  if (apiKey.get()) headers.Authorization = `Bearer ${apiKey.get()}`;
  const response = await fetch(path, { headers, signal });
  if (!response.ok) {
    const answer = await response.json().catch(() => ({}));
    throw new ApiError(response.status, answer.error);
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const event = parse(part);
      if (event) yield event;
    }
  }
}

function parse(part) {
  const event = { name: "message", id: "", data: "" };
  for (const line of part.split("\n")) {
    const [, field, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === "event") event.name = value;
    if (field === "id") event.id = value;
    if (field === "data") event.data += value;
  }
  return event.data ? { ...event, data: JSON.parse(event.data) } : null;
}
