// Copies in the form, one "from -> to" per line.
import { messages } from "#messages/start";

export interface StageLine {
  readonly from: string;
  readonly to: string;
}

export interface StageLines {
  readonly items: StageLine[];
  readonly parseError?: string;
}

// Without an arrow the target has the last component of the source path.
export function parseStage(text: string): StageLines {
  const items: StageLine[] = [];
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (line === "") continue;
    const sides = line.split(/\s*(?:->|→)\s*/);
    const [from = "", to = lastName(from)] = sides;
    if (sides.length > 2 || from === "" || to === "") {
      const parseError = messages.invalidStageLine({ line });
      return { items: [], parseError };
    }
    items.push({ from, to });
  }
  return { items };
}

function lastName(path: string): string {
  const name = path.replace(/\/+$/, "").split("/").pop() ?? "";
  return name === "~" ? "" : name;
}
