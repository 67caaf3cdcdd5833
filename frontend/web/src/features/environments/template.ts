// The initial text of a new environment: valid, with hints on further settings.
import type { ImageChoice } from "#proto/cluster";
import { messages } from "#messages/environments";

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
