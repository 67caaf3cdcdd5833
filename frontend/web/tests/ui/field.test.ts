import { h } from "preact";
import { describe, expect, it } from "vitest";
import { FieldError } from "../../src/lib/field_error";
import { DayAndTime } from "../../src/ui/form/day_and_time";
import {
  CheckField,
  DateField,
  SelectField,
  TextArea,
  TextField,
} from "../../src/ui/form/field";
import { FormError, useFormError } from "../../src/ui/form/form_error";
import { rendered } from "./rendered";

const ignore = () => undefined;
const path = {
  label: "Path",
  testId: "path",
  value: "/home/ada",
  onValue: ignore,
};

// A form with two fields, after `attempts` to submit it without a path.
function Form({ attempts }: { attempts: number }) {
  const { error, setError, errorIdOf } = useFormError<"path" | "note">();
  if (attempts > 0 && !error) setError(new FieldError("path", "Enter a path."));
  return h(
    "form",
    {},
    h(TextField, { ...path, value: "", errorId: errorIdOf("path") }),
    h(TextArea, {
      label: "Note",
      testId: "note",
      rows: 2,
      value: "",
      errorId: errorIdOf("note"),
      onValue: ignore,
    }),
    error && h(FormError, { ...error, testId: "error" }),
  );
}

describe("an error of a field", () => {
  it("is not announced before an attempt to submit, though the field is empty", () => {
    const { html, attributesOf } = rendered(h(Form, { attempts: 0 }));
    expect(html).not.toContain("alert");
    expect(attributesOf("input")).not.toHaveProperty("aria-invalid");
    expect(attributesOf("input")).not.toHaveProperty("aria-describedby");
  });

  it("is announced after an attempt and describes its field only", () => {
    const { html, attributesOf, textOf } = rendered(h(Form, { attempts: 1 }));
    expect(html).toContain('role="alert"');
    const input = attributesOf("input");
    expect(input["aria-invalid"]).toBe("true");
    expect(textOf(input["aria-describedby"])).toContain("Enter a path.");
    expect(attributesOf("textarea")).not.toHaveProperty("aria-invalid");
    expect(attributesOf("textarea")).not.toHaveProperty("aria-describedby");
  });

  it("is read after the hint", () => {
    const field = { ...path, hint: "A folder.", errorId: "error" };
    const { attributesOf, textOf } = rendered(h(TextField, field));
    const [hint, error, ...more] =
      attributesOf("input")["aria-describedby"]?.split(" ") ?? [];
    expect(textOf(hint)).toBe("A folder.");
    expect(error).toBe("error");
    expect(more).toEqual([]);
  });
});

describe("a labelled field", () => {
  it("has the label as its name, and the hint as its description", () => {
    const field = { ...path, hint: "A folder." };
    for (const [tag, node] of [
      ["input", h(TextField, field)],
      ["input", h(DateField, field)],
      ["textarea", h(TextArea, { ...field, rows: 3 })],
      ["select", h(SelectField, { ...field, options: [] })],
    ] as const) {
      const { attributesOf, textOf } = rendered(node);
      const control = attributesOf(tag);
      expect(textOf(control["aria-labelledby"])).toBe("Path");
      expect(textOf(control["aria-describedby"])).toBe("A folder.");
      expect(control["data-testid"]).toBe("path");
    }
  });

  it("refers to no hint that is not there", () => {
    const { html } = rendered(h(TextField, { ...path, hint: "" }));
    expect(html).not.toMatch(/ (aria-|id=)|hint/);
    expect(html).toMatch(/^<label class="stacked"><span>Path<\/span><input /);
  });

  it("has other ids than the next field with the same label", () => {
    const field = { ...path, hint: "A folder." };
    const { html } = rendered(
      h("div", {}, h(TextField, field), h(TextField, field)),
    );
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
  });

  it("has the same ids each time it is rendered", () => {
    const node = () => h(TextField, { ...path, hint: "A folder." });
    expect(rendered(node()).html).toBe(rendered(node()).html);
  });

  it("reports the text as it is", () => {
    const texts: string[] = [];
    const onValue = (text: string) => texts.push(text);
    rendered(h(TextField, { ...path, onValue })).input("input", {
      value: " a ",
    });
    rendered(h(TextArea, { ...path, rows: 3, onValue })).input("textarea", {
      value: "a\nb",
    });
    rendered(h(DateField, { ...path, onValue })).input("input", {
      value: "2026-11-30",
    });
    expect(texts).toEqual([" a ", "a\nb", "2026-11-30"]);
  });

  it("checks spelling only of text that people write", () => {
    const spelling = (spellcheck: boolean) =>
      rendered(h(TextField, { ...path, spellcheck })).attributesOf("input")[
        "spellcheck"
      ];
    expect(spelling(false)).toBe("false");
    expect(spelling(true)).toBeUndefined();
  });
});

describe("a selection", () => {
  const level = { label: "Level", testId: "level" };

  it("keeps the type of its values: a number of an enum stays a number", () => {
    const values: number[] = [];
    const { html, input } = rendered(
      h(SelectField<number>, {
        ...level,
        value: 1,
        options: [
          [1, "Info"],
          [2, "Warning"],
        ],
        onValue: (value) => values.push(value),
      }),
    );
    expect(html).toMatch(/<option selected value="1">/);
    input("select", { value: "2" });
    expect(values).toEqual([2]);
  });

  it("keeps a string that looks like a number, and the empty one", () => {
    const values: string[] = [];
    const { input } = rendered(
      h(SelectField<string>, {
        ...level,
        value: "07",
        options: [
          ["", "Any"],
          ["07", "July"],
        ],
        onValue: (value) => values.push(value),
      }),
    );
    input("select", { value: "07" });
    input("select", { value: "" });
    expect(values).toEqual(["07", ""]);
  });

  it("reports no value that it does not offer", () => {
    const values: string[] = [];
    const { input } = rendered(
      h(SelectField<string>, {
        ...level,
        value: "a",
        options: [["a", "A"]],
        onValue: (value) => values.push(value),
      }),
    );
    input("select", { value: "b" });
    expect(values).toEqual([]);
  });
});

describe("a checkbox", () => {
  it("reports whether it is checked, and has its hint as description", () => {
    const values: boolean[] = [];
    const { attributesOf, textOf, input } = rendered(
      h(CheckField, {
        hint: "Stops all jobs.",
        testId: "stop",
        checked: false,
        onChecked: (checked: boolean) => values.push(checked),
        children: "Stop",
      }),
    );
    const control = attributesOf("input");
    expect(textOf(control["aria-describedby"])).toBe("Stops all jobs.");
    expect(control).not.toHaveProperty("checked");
    input("input", { checked: true });
    expect(values).toEqual([true]);
  });

  it("has nothing but its label without a hint", () => {
    const { html } = rendered(
      h(CheckField, {
        testId: "stop",
        checked: true,
        onChecked: ignore,
        children: "Stop",
      }),
    );
    expect(html).toMatch(/^<label class="check"><input [^>]*checked[^>]*\/>/);
    expect(html).not.toContain("aria-");
  });
});

describe("a day and a time", () => {
  it("have one hint and one error for both", () => {
    const { html } = rendered(
      h(DayAndTime, {
        label: "From",
        hint: "Empty: now.",
        errorId: "error",
        testId: "start",
        day: "",
        time: "",
        onDay: ignore,
        onTime: ignore,
      }),
    );
    const described = [...html.matchAll(/aria-describedby="(\S+) error"/g)];
    expect(described).toHaveLength(2);
    for (const [, hint] of described) {
      expect(html).toContain(`<p class="hint" id="${hint}">Empty: now.</p>`);
    }
    expect(html.match(/aria-invalid="true"/g)).toHaveLength(2);
  });
});
