// Saves a text: over the file that was read, or as a copy beside it.
import { writeContent } from "../api/client";
import { asApiError } from "../api/errors";
import { numberedName } from "../paths/names";
import { baseOf, joinRaw, parentOf, type RawPath } from "../paths/raw_path";

const kMaxNumber = 1000;

// An entity tag is quoted in a header; the JSON answer may leave that out.
export function quotedTag(etag: string): string {
  return etag === "" || /^(W\/)?".*"$/.test(etag) ? etag : `"${etag}"`;
}

// Returns the new entity tag. Without ifMatch the file is replaced as it is.
export async function saveText(
  path: RawPath,
  content: string,
  ifMatch: string | undefined,
): Promise<string> {
  const condition = ifMatch ? { ifMatch: quotedTag(ifMatch) } : undefined;
  const { etag } = await writeContent(path, content, condition);
  return quotedTag(etag);
}

export async function saveAsCopy(
  path: RawPath,
  content: string,
): Promise<RawPath> {
  for (let number = 2; ; number += 1) {
    const copy = joinRaw(parentOf(path), numberedName(baseOf(path), number));
    try {
      await writeContent(copy, content, { ifNoneMatch: "*" });
      return copy;
    } catch (error) {
      if (asApiError(error).code !== "exists" || number > kMaxNumber)
        throw error;
    }
  }
}
