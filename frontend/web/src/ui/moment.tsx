// A point in time in short form, with the exact time as tooltip.
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { formatExactly, formatMoment, msOf } from "../lib/format/moment";
import { messages } from "#messages/ui";

export function Moment(props: {
  at: Timestamp | undefined;
  absent?: string; // text without a time
  format?(ms: number): string;
}) {
  const { at, absent = messages.never } = props;
  const ms = msOf(at);
  if (ms === undefined) return <span>{absent}</span>;
  const format = props.format ?? ((each) => formatMoment(each, Date.now()));
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatExactly(ms)}>
      {format(ms)}
    </time>
  );
}
