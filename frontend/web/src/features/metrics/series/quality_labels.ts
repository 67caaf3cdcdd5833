// Texts about the samples of a node and their sources.
import type { NodeQuality } from "#proto/metrics";
import type { SampleSource } from "#proto/samples";
import { messages } from "#messages/metrics";

// Smaller differences change nothing that a plot shows.
const kOffsetMs = 1000;

export function qualityLabel(
  quality: NodeQuality,
  format: (count: number) => string,
): string {
  const { node, received, missed, dropped, rejected } = quality;
  const offset = Number(quality.clockOffsetMs);
  const counts = [
    messages.samplesReceived({ node, count: format(Number(received)) }),
    missed > 0n && messages.samplesMissed({ count: format(Number(missed)) }),
    dropped > 0n && messages.samplesDropped({ count: format(Number(dropped)) }),
    rejected > 0n &&
      messages.samplesRejected({ count: format(Number(rejected)) }),
  ]
    .filter(Boolean)
    .join(", ");
  if (Math.abs(offset) < kOffsetMs) return `${counts}.`;
  const ms = format(Math.abs(offset));
  const clock =
    offset > 0
      ? messages.clockAhead({ node, ms })
      : messages.clockBehind({ node, ms });
  return `${counts}. ${clock}`;
}

// Each source once: "nvml 535.104 (/usr/lib/libnvidia-ml.so.1)".
export function sourceLabels(sources: readonly SampleSource[]): string[] {
  const labels = sources.map(({ name, version, library, dead }) => {
    const source = [name, version].filter(Boolean).join(" ");
    const details = [library, dead && messages.libraryDead].filter(Boolean);
    return details.length > 0
      ? messages.sourceLibrary({ source, library: details.join(", ") })
      : source;
  });
  return [...new Set(labels)];
}
