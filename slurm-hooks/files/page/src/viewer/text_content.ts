// Whether bytes are text that can be edited without a loss.
export interface TextContent {
  text: string;
  // Encoding the text again gives the bytes.
  isExact: boolean;
}

const kProbeBytes = 8192;

export function textContent(
  bytes: ArrayBuffer,
  isWhole: boolean,
): TextContent | "binary" {
  const start = new Uint8Array(
    bytes,
    0,
    Math.min(kProbeBytes, bytes.byteLength),
  );
  if (start.includes(0)) return "binary";
  try {
    // The last character of a part may be cut.
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return {
      text: decoder.decode(bytes, { stream: !isWhole }),
      isExact: isWhole,
    };
  } catch {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return { text: decoder.decode(bytes), isExact: false };
  }
}

// "\r\n" only if every line ends so; otherwise a "\r" is a character of its
// line, so that the editor changes no line that the person does not.
export function lineSeparatorOf(text: string): "\r\n" | "\n" {
  const hasEnds = text.includes("\n");
  return hasEnds && !/(^|[^\r])\n|\r(?!\n)/.test(text) ? "\r\n" : "\n";
}
