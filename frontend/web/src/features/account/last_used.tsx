import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { Moment } from "../../ui/moment";

export function LastUsed(props: {
  at: Timestamp | undefined; // absent: never
  from?: string; // an IP address; empty: unknown
}) {
  const { at, from } = props;
  if (!at) return <span>never used</span>;
  return (
    <span>
      last used <Moment at={at} />
      {from && (
        <>
          {" "}
          from <span class="mono">{from}</span>
        </>
      )}
    </span>
  );
}
