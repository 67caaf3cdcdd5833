// How bad an entry of a log or of a history is: labels, and the first two cells
// of its row.
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { Moment } from "../../ui/moment";
import { messages } from "#messages/admin";

export interface SeverityLabel {
  readonly label: string;
  readonly tone: "bad" | "wait" | "info";
}

export const kError: SeverityLabel = { label: messages.error, tone: "bad" };
export const kWarning: SeverityLabel = {
  label: messages.warning,
  tone: "wait",
};
export const kInfo: SeverityLabel = { label: messages.info, tone: "info" };

export function TimeAndSeverity(props: {
  at: Timestamp | undefined;
  severity: SeverityLabel;
}) {
  const { label, tone } = props.severity;
  return (
    <>
      <td class="nowrap">
        <Moment at={props.at} />
      </td>
      <td>
        <span class="state" data-tone={tone}>
          {label}
        </span>
      </td>
    </>
  );
}
