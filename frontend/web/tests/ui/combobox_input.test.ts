import { h } from "preact";
import { describe, expect, it } from "vitest";
import { ComboboxInput } from "../../src/ui/combobox/combobox_input";
import { rendered } from "./rendered";

const ignore = () => undefined;
const nodes = {
  control: {
    id: "nodes",
    "data-testid": "nodes",
    "aria-describedby": "error",
    "aria-invalid": true,
  },
  label: "Nodes",
  value: "n1, ",
  options: [{ value: "n1", label: "", chosen: true }],
  more: false,
  onValue: ignore,
  onPick: ignore,
  onFocus: ignore,
};

describe("the input of a combobox", () => {
  it("shows neither options nor a note before it is used", () => {
    const { html, attributesOf } = rendered(
      h(ComboboxInput, { ...nodes, note: "2 more" }),
    );
    expect(attributesOf("input")["aria-expanded"]).toBe("false");
    expect(html).not.toContain('role="option"');
    expect(html).not.toContain("2 more");
  });

  it("has the attributes of its field, and names its list", () => {
    const { attributesOf } = rendered(h(ComboboxInput, nodes));
    const input = attributesOf("input");
    expect(input["aria-describedby"]).toBe("error");
    expect(input["aria-invalid"]).toBe("true");
    expect(attributesOf("ul")).toMatchObject({
      id: input["aria-controls"],
      "aria-label": "Nodes",
      "data-testid": "nodes-list",
    });
  });

  it("says that several options can be chosen", () => {
    const { attributesOf } = rendered(
      h(ComboboxInput, { ...nodes, several: true }),
    );
    expect(attributesOf("ul")["aria-multiselectable"]).toBe("true");
    expect(
      rendered(h(ComboboxInput, nodes)).attributesOf("ul"),
    ).not.toHaveProperty("aria-multiselectable");
  });

  it("gives what is typed to its owner", () => {
    let typed = "";
    const { input } = rendered(
      h(ComboboxInput, { ...nodes, onValue: (text) => void (typed = text) }),
    );
    input("input", { value: "n1, n2" });
    expect(typed).toBe("n1, n2");
  });
});
