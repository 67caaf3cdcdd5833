// The labels of marks: what changes, in a word or two.
import type { Mark } from "./preview_changes";
import { messages } from "#messages/user_preview";

const kMarks: Readonly<Record<Mark, readonly [string, string]>> = {
  refused: [messages.newlyRefused, "tag tag-bad"],
  hidden: [messages.noLongerOffered, "tag tag-bad"],
  allowed: [messages.newlyAllowed, "tag tag-good"],
  offered: [messages.newlyOffered, "tag tag-good"],
  reasons: [messages.otherReasons, "tag tag-wait"],
  limit: [messages.otherLimit, "tag"],
  template: [messages.otherSettings, "tag"],
};

export function markLabel(mark: Mark): string {
  return kMarks[mark][0];
}

export function markClass(mark: Mark): string {
  return kMarks[mark][1];
}
