import { expect, test } from "vitest";
import { ValueField } from "../../../../src/features/environments/form/variable_fields";

test("a value with several lines keeps its line breaks", () => {
  const shown = (value: string, isMultiline: boolean) =>
    ValueField({ label: "", value, isMultiline, onValue: () => undefined });
  expect(shown("1\n2", true).type).toBe("textarea");
  expect(shown("1\n2", true).props).toMatchObject({ value: "1\n2", rows: 2 });
  expect(shown("1", false).type).toBe("input");
  // Removing the last line break keeps the field, which has the focus.
  expect(shown("1", true).type).toBe("textarea");
});
