// A job's metrics as files of other tools.
import { ExportJobRequest_Format as Format } from "#proto/metrics";
import { metricsClientOf } from "../../api/metrics";
import { useMutation } from "../../session/use_mutation";
import { downloadBytes } from "../../ui/download";
import { FailureNote } from "../../ui/failure_note";
import { Icon } from "../../ui/icon";
import { tarOf } from "./tar";
import { messages } from "#messages/metrics";

// Of these there are none without values of GPUs.
const kGpuFormats = [Format.GSSR_CSV, Format.GSSR_SQLITE];

const kFormats: readonly (readonly [Format, string, string])[] = [
  [Format.CSV, messages.downloadCsv, "csv"],
  [Format.GSSR_CSV, messages.downloadGssr, "gssr"],
  [Format.GSSR_SQLITE, messages.downloadGssrDatabase, "gssr-sqlite"],
  [Format.CLUSTERCOCKPIT, messages.downloadClusterCockpit, "clustercockpit"],
];

export function ExportButtons(props: {
  jobId: string;
  cluster: string;
  hasGpuValues: boolean;
}) {
  const { jobId, cluster, hasGpuValues } = props;
  const mutation = useMutation();
  const save = (format: Format, suffix: string) =>
    void mutation.run(async () => {
      const { files } = await metricsClientOf(cluster).exportJob({
        jobId,
        format,
      });
      const [only] = files;
      if (!only) return;
      if (files.length === 1) {
        const end = only.name.slice(only.name.lastIndexOf("."));
        downloadBytes(`${jobId}-metrics${end}`, only.content);
      } else {
        const archive = tarOf(files, Date.now());
        downloadBytes(`${jobId}-${suffix}.tar`, archive);
      }
    });
  return (
    <div class="metrics-export">
      <div
        class="button-row"
        role="group"
        aria-label={messages.export}
        data-testid="metrics-export"
      >
        {kFormats
          .filter(([format]) => hasGpuValues || !kGpuFormats.includes(format))
          .map(([format, label, suffix]) => (
            <button
              key={suffix}
              class="button button-small"
              type="button"
              data-testid={`export-${suffix}`}
              aria-disabled={mutation.busy}
              onClick={() => save(format, suffix)}
            >
              <Icon name="download" /> {label}
            </button>
          ))}
      </div>
      {mutation.failure && <FailureNote failure={mutation.failure} />}
    </div>
  );
}
