// Saves the jobs that match the filter as CSV.
import { useRef, useEffect, useState } from "preact/hooks";
import { historyClient } from "../../../api/history";
import { useMutation } from "../../../session/use_mutation";
import { download } from "../../../ui/download";
import { FailureNote } from "../../../ui/failure_note";
import { Icon } from "../../../ui/icon";
import { type FilterForm, messageOfFilter } from "./history_filter";
import { messages } from "#messages/insights";

export function HistoryExport({ form }: { form: FilterForm }) {
  const mutation = useMutation();
  const [pages, setPages] = useState(0);
  const call = useRef<AbortController>();
  useEffect(() => () => call.current?.abort(), []);

  const save = () =>
    mutation.run(async () => {
      call.current = new AbortController();
      const { signal } = call.current;
      const filter = messageOfFilter(form);
      const parts: string[] = [];
      setPages(0);
      for (
        let pageToken = "", first = true;
        first || pageToken;
        first = false
      ) {
        const page = await historyClient.exportHistory(
          { filter, pageToken },
          { signal },
        );
        parts.push(page.csv);
        setPages(parts.length);
        pageToken = page.nextPageToken;
      }
      const day = new Date().toISOString().slice(0, 10);
      download(`carme-jobs-${day}.csv`, parts, "text/csv");
    });
  return (
    <>
      <button
        class="button"
        type="button"
        data-testid="history-export"
        aria-disabled={mutation.busy}
        onClick={() => void save()}
      >
        <Icon name="download" />{" "}
        {mutation.busy
          ? messages.savingRows({ count: pages * 2000 })
          : messages.saveAsCsv}
      </button>
      {mutation.failure && <FailureNote failure={mutation.failure} />}
    </>
  );
}
