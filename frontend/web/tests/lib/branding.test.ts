import { expect, test } from "vitest";
import { parseBranding } from "../../src/lib/branding";

function brandingOf(fields: Record<string, string>) {
  return parseBranding((name) => fields[name] ?? "");
}

test("branding: without fields the portal is Carme", () => {
  expect(brandingOf({})).toEqual({
    name: "Carme",
    logo: "",
    color: "",
    colorDark: "",
    loginMessage: "",
    links: [],
  });
});

test("branding: takes no logo of another host and no colour that is none", () => {
  for (const logo of [
    "https://evil.test/x.svg",
    "//evil.test",
    "/branding/../x",
  ])
    expect(brandingOf({ "carme-logo": logo }).logo).toBe("");
  const half = brandingOf({ "carme-color": "#14508c" });
  expect([half.color, half.colorDark]).toEqual(["", ""]);
  const wrong = brandingOf({
    "carme-color": "red;background:url(x)",
    "carme-color-dark": "#86bdf5",
  });
  expect([wrong.color, wrong.colorDark]).toEqual(["", ""]);
});

test("branding: leaves out links that are not https", () => {
  const { links } = brandingOf({
    "carme-links":
      "Imprint\thttps://a.test/i\nBad\tjavascript:alert(1)\n\thttps://a.test/x",
  });
  expect(links).toEqual([{ label: "Imprint", url: "https://a.test/i" }]);
});
