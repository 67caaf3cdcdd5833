// Streams the entries that match the filter, oldest first, into a JSON Lines
// file.
import { useEffect, useRef, useState } from "preact/hooks";
import { auditClient } from "../../../api/admin";
import { useMutation } from "../../../session/use_mutation";
import { download } from "../../../ui/download";
import { FailureNote } from "../../../ui/failure_note";
import { Icon } from "../../../ui/icon";
import { type FilterForm, messageOfFilter } from "./audit_filter";
import { exportName, linesOf } from "./audit_lines";
import { messages } from "#messages/admin";

export function AuditExport({ form }: { form: FilterForm }) {
  const mutation = useMutation();
  const [got, setGot] = useState(0);
  const call = useRef<AbortController>();
  useEffect(() => () => call.current?.abort(), []);

  const save = () =>
    mutation.run(async () => {
      call.current = new AbortController();
      const { signal } = call.current;
      const filter = messageOfFilter(form);
      const parts: string[] = [];
      let entries = 0;
      setGot(0);
      const stream = auditClient.exportAudit(
        { filter },
        { signal, timeoutMs: 0 },
      );
      for await (const message of stream) {
        parts.push(linesOf(message.entries));
        setGot((entries += message.entries.length));
      }
      download(exportName(new Date()), parts, "application/jsonl");
    });
  return (
    <>
      <button
        class="button"
        type="button"
        data-testid="audit-export"
        aria-disabled={mutation.busy}
        onClick={() => void save()}
      >
        <Icon name="download" />{" "}
        {mutation.busy
          ? messages.exportingEntries({ count: got })
          : messages.exportAsJsonLines}
      </button>
      {mutation.failure && <FailureNote failure={mutation.failure} />}
    </>
  );
}
