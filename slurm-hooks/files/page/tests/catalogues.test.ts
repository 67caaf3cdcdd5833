import { beforeEach, describe, expect, test } from "vitest";
import type { Message } from "../src/language/catalogue";
import { de } from "../src/language/de";
import { en } from "../src/language/en";
import {
  activate,
  formatBytes,
  formatDuration,
  formatMoment,
  languageOf,
  text,
} from "../src/language/text";

const english = Object.entries(en as Record<string, Message>);
const german = de as Record<string, Message>;

function forms(message: Message): string[] {
  return typeof message === "string" ? [message] : [message.one, message.other];
}

function argumentsOf(form: string): string[] {
  return [...form.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).sort();
}

describe("the catalogues", () => {
  test("have the same keys", () => {
    expect(Object.keys(german).sort()).toEqual(Object.keys(en).sort());
  });

  test("have no text that is the same in both languages", () => {
    const same = english.filter(([key, message]) => {
      const others = forms(german[key]!);
      return forms(message).some((form, at) => form === others[at]);
    });
    expect(same).toEqual([]);
  });

  test("have the same arguments and forms", () => {
    for (const [key, message] of english) {
      const others = forms(german[key]!);
      expect(others.length, key).toBe(forms(message).length);
      for (const [at, form] of forms(message).entries()) {
        expect(argumentsOf(others[at]!), key).toEqual(argumentsOf(form));
      }
    }
  });

  test("have a count in each text with forms, and no empty text", () => {
    for (const [key, message] of [...english, ...Object.entries(german)]) {
      if (typeof message !== "string") {
        expect(message.other, key).toContain("{count}");
      }
      for (const form of forms(message)) {
        expect(form, key).not.toBe("");
        expect(form.trim(), key).toBe(form);
      }
    }
  });
});

describe("the language", () => {
  test("is the stored one, then that of the browser, then English", () => {
    expect(languageOf("de", ["en-GB"])).toBe("de");
    expect(languageOf(null, ["fr-FR", "de-AT", "en"])).toBe("de");
    expect(languageOf("xx", ["fr"])).toBe("en");
    expect(languageOf(null, [])).toBe("en");
  });
});

describe("a text", () => {
  beforeEach(() => activate(en, "en"));

  test("has the form for its count", () => {
    expect(text("entries_count", { count: 1 })).toBe("1 entry");
    expect(text("entries_count", { count: 20000 })).toBe("20,000 entries");
    activate(de, "de");
    expect(text("entries_count", { count: 20000 })).toBe("20.000 Einträge");
  });

  test("does not interpret its arguments", () => {
    expect(text("delete_one", { name: "{name}$&" })).toBe("Delete “{name}$&”?");
  });

  test("of sizes, times and durations follows the language", () => {
    expect(formatBytes(0)).toBe("0 B");
    expect(formatBytes(1023)).toBe("1 KiB");
    expect(formatBytes(1536)).toBe("1.5 KiB");
    expect(formatBytes(250 * 1024 * 1024)).toBe("250 MiB");
    expect(formatDuration(4.2)).toBe("5 s");
    expect(formatDuration(75)).toBe("1:15 min");
    expect(formatDuration(7500)).toBe("2:05 h");
    const now = new Date(2026, 4, 10, 12).getTime();
    expect(formatMoment(new Date(2026, 4, 10, 9, 5).getTime(), now)).toBe(
      "09:05",
    );
    expect(formatMoment(new Date(2024, 2, 1).getTime(), now)).toBe(
      "1 Mar 2024",
    );
    activate(de, "de");
    expect(formatBytes(1536)).toBe("1,5 KiB");
  });
});
