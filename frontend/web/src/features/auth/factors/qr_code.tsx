// A QR code as one SVG path. Always dark on light, because some cameras cannot
// read inverted codes.
import { encode } from "uqr";
import { useMemo } from "preact/hooks";
import { messages } from "#messages/auth";

const kQuietZone = 4; // modules, ISO/IEC 18004

export function QrCode({ text }: { text: string }) {
  const { size, path } = useMemo(() => draw(text), [text]);
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={messages.qrCodeOfTheKey}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#101816" />
    </svg>
  );
}

function draw(text: string): { size: number; path: string } {
  const { size, data } = encode(text, { ecc: "M", border: kQuietZone });
  const modules = data.flatMap((row, y) =>
    row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : "")),
  );
  return { size, path: modules.join("") };
}
