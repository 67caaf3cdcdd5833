import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  followWatched,
  hasFocus,
  mayHaveStreams,
} from "../../src/session/watched_page";

const page = Object.assign(new EventTarget(), {
  hidden: false,
  focused: true,
  hasFocus: () => page.focused,
});
const frame = new EventTarget();
let protocol = "h2";

beforeEach(() => {
  Object.assign(page, { hidden: false, focused: true });
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", frame);
  vi.stubGlobal("performance", {
    getEntriesByType: () => (protocol ? [{ nextHopProtocol: protocol }] : []),
  });
});
afterEach(() => vi.unstubAllGlobals());

test("a hidden page has no streams", () => {
  page.hidden = true;
  for (protocol of ["h2", "http/1.1"]) expect(mayHaveStreams()).toBe(false);
});

test("with HTTP/1.1, or if it is not known, only the focused page has streams", () => {
  for (protocol of ["http/1.1", ""]) {
    page.focused = true;
    expect(mayHaveStreams()).toBe(true);
    page.focused = false;
    expect(mayHaveStreams()).toBe(false);
  }
});

test("with one shared connection each visible page may have streams", () => {
  page.focused = false;
  for (protocol of ["h2", "h3"]) expect(mayHaveStreams()).toBe(true);
});

test("changes are passed on until it is stopped", () => {
  const seen: boolean[] = [];
  const stop = followWatched((watched) => seen.push(watched), hasFocus);
  page.focused = false;
  frame.dispatchEvent(new Event("blur"));
  page.focused = true;
  frame.dispatchEvent(new Event("focus"));
  page.hidden = true;
  page.dispatchEvent(new Event("visibilitychange"));
  stop();
  page.hidden = false;
  page.dispatchEvent(new Event("visibilitychange"));
  frame.dispatchEvent(new Event("focus"));
  expect(seen).toEqual([true, false, true, false]);
});
