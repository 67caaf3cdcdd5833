// The site's name, logo, colours and links, from the <meta> elements that
// carme-frontend adds if they are configured ([branding] in frontend.toml).

export interface SiteLink {
  readonly label: string;
  readonly url: string; // https
}

export interface Branding {
  readonly name: string;
  readonly logo: string; // a path of the portal; empty: Carme's
  readonly color: string; // #rrggbb; empty: Carme's
  readonly colorDark: string;
  readonly loginMessage: string; // Markdown; may be empty
  readonly links: readonly SiteLink[];
}

const kName = "Carme";
const kColor = /^#[0-9a-f]{6}$/i;

// `contentOf`: of a <meta> by its name; empty: there is none.
export function parseBranding(contentOf: (name: string) => string): Branding {
  const logo = contentOf("carme-logo");
  const color = contentOf("carme-color");
  const colorDark = contentOf("carme-color-dark");
  const hasColors = kColor.test(color) && kColor.test(colorDark);
  return {
    name: contentOf("carme-name") || kName,
    logo: /^\/branding\/[a-z.]+$/.test(logo) ? logo : "",
    color: hasColors ? color : "",
    colorDark: hasColors ? colorDark : "",
    loginMessage: contentOf("carme-login-message"),
    links: parseLinks(contentOf("carme-links")),
  };
}

// A label, a tab and a URL in each line.
function parseLinks(lines: string): SiteLink[] {
  return lines.split("\n").flatMap((line) => {
    const [label = "", url = ""] = line.split("\t");
    return label && /^https:\/\/[^\s"'<>\\^`{|}]+$/.test(url)
      ? [{ label, url }]
      : [];
  });
}

export const branding: Branding = parseBranding(
  (name) =>
    globalThis.document?.querySelector<HTMLMetaElement>(`meta[name=${name}]`)
      ?.content ?? "",
);

// Sets the colours of tokens.css. Those of states stay as they are.
export function applyBranding({ color, colorDark }: Branding): void {
  if (!color) return;
  const { style } = document.documentElement;
  const mixed = (part: number, rest: string, dark: string) =>
    `light-dark(color-mix(in srgb, ${color} ${part}%, ${rest}), ` +
    `color-mix(in srgb, ${colorDark} ${part}%, ${dark}))`;
  style.setProperty("--accent", `light-dark(${color}, ${colorDark})`);
  style.setProperty("--accent-strong", mixed(80, "#000", "#fff"));
  style.setProperty(
    "--accent-soft",
    `light-dark(color-mix(in srgb, ${color} 12%, #fff), ` +
      `color-mix(in srgb, ${colorDark} 16%, #151d1b))`,
  );
}
