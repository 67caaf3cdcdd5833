// The initial text of a new environment: valid, with hints on further settings.
import type { ImageChoice } from "#proto/cluster";
import type { EnvironmentEntry } from "#proto/environment";
import type { EnvironmentTemplate } from "#proto/environment_gallery";
import { messages } from "#messages/environments";

// Programs of conda's packages are found first.
const kCondaPath = "/opt/conda/bin:/usr/local/bin:/usr/bin:/bin";

export function newText(images: readonly ImageChoice[]): string {
  const image = images.find(({ id }) => id !== "none");
  const name = image ? `store#${image.id}` : "/path/to/image.sqsh";
  return `# ${messages.hintOnImage}
image = "${name}"

# ${messages.hintOnMounts}
mounts = []

# ${messages.hintOnWorkdir}
workdir = "\${HOME}"

[env]
# NAME = "value"
`;
}

// The initial text of an environment that extends another.
export function inheritingText(name: string): string {
  return `base_environment = "${name}"\n\n[env]\n# NAME = "value"\n`;
}

// The initial text of an environment from a template of the site.
export function templateText(template: EnvironmentTemplate): string {
  const { name, image, variables } = template;
  // JSON's strings are also TOML's.
  const lines = Object.entries(variables).map(
    ([variable, value]) => `${variable} = ${JSON.stringify(value)}\n`,
  );
  return `# ${name}
image = "store#${image}"

# ${messages.hintOnMounts}
mounts = ["\${HOME}"]

# ${messages.hintOnWorkdir}
workdir = "\${HOME}"

[env]
${lines.join("") || '# NAME = "value"\n'}`;
}

// A name that the user has no environment of: "torch", then "torch-2".
export function freeName(
  wanted: string,
  environments: readonly EnvironmentEntry[],
): string {
  const own = environments.filter(({ site }) => !site);
  let name = wanted;
  for (let next = 2; own.some((one) => one.name === name); ++next) {
    name = `${wanted}-${next}`;
  }
  return name;
}

// The id of the catalogue's image that a text names; empty: none.
export function imageOf(text: string): string {
  const line = topLevelLines(text).find((one) => /^\s*image\s*=/.test(one));
  return /=\s*["']store#([^"']+)["']/.exec(line ?? "")?.[1] ?? "";
}

// The text with this image of the catalogue instead of its own.
export function withImage(text: string, id: string): string {
  const line = `image = "store#${id}"`;
  const top = topLevelLines(text);
  const at = top.findIndex((one) => /^\s*image\s*=/.test(one));
  if (at < 0) return `${line}\n${text}`;
  const lines = text.split("\n");
  lines[at] = line;
  return lines.join("\n");
}

// The text with a PATH for conda's packages, unless it has one.
export function withCondaPath(text: string): string {
  if (/^\s*(PATH|env)\s*=/m.test(text)) return text;
  const line = `PATH = "${kCondaPath}"`;
  const table = /^\[env\][^\n]*$/m.exec(text);
  if (!table) return `${text.trimEnd()}\n\n[env]\n${line}\n`;
  const end = table.index + table[0].length;
  return `${text.slice(0, end)}\n${line}${text.slice(end)}`;
}

// The lines before the first table.
function topLevelLines(text: string): string[] {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => /^\s*\[/.test(line));
  return end < 0 ? lines : lines.slice(0, end);
}
