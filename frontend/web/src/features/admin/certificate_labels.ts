// Labels for the remaining lifetime of a certificate.
import type { CertificateHealth } from "#proto/admin";
import { msOf } from "../../lib/format/moment";
import type { Tone } from "../jobs/job_labels";
import { messages } from "#messages/admin";

const kDayMs = 24 * 60 * 60_000;

export interface CertificateLabel {
  readonly tone: Tone;
  readonly text: string;
}

export function certificateLabel(
  { notAfter, soon }: CertificateHealth,
  now: number,
): CertificateLabel {
  const end = msOf(notAfter);
  if (end === undefined) return { tone: "neutral", text: messages.unknown };
  if (end <= now) return { tone: "bad", text: messages.expired };
  const days = Math.floor((end - now) / kDayMs);
  const text =
    days === 0 ? messages.lessThanADayLeft : messages.daysLeft({ count: days });
  return { tone: soon ? "wait" : "good", text };
}
