import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { Moment } from "../../ui/moment";
import { messages } from "#messages/account";

export function LastUsed(props: {
  at: Timestamp | undefined; // absent: never
  from?: string; // an IP address; empty: unknown
}) {
  const { at, from } = props;
  if (!at) return <span>{messages.neverUsed}</span>;
  return (
    <span>
      {messages.lastUsed} <Moment at={at} />
      {from && (
        <>
          {" "}
          {messages.from} <span class="mono">{from}</span>
        </>
      )}
    </span>
  );
}
