// Usage in a period by user, project or GPU type.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type GetUsageResponse, UsageBy } from "#proto/history";
import { projectClient } from "../../../api/project";
import { historyClient } from "../../../api/history";
import { useProjects } from "../../projects/projects_context";
import { PageTitle } from "../../../routes/page_title";
import { hrefOf } from "../../../routes/route";
import { mayAdminister } from "../../../session/roles";
import { useSession } from "../../../session/session_context";
import { useQuery } from "../../../session/use_query";
import { QueryView } from "../../../ui/loaded_view";
import { accountingLabel } from "./history_labels";
import {
  kSpans,
  labelOf,
  queryOfUsage,
  spanOf,
  type UsageForm,
  usageOfQuery,
} from "./usage_form";
import { UsageTable } from "./usage_table";
import { kEverybody, ownerChoices, ownerOf } from "./owner_filter";
import { messages } from "../messages";

export function UsagePage({ query }: { query: string }) {
  const form = usageOfQuery(query);
  const { session } = useSession();
  const mine = useProjects();
  const seesAll = mayAdminister(session);
  // Names of all projects.
  const all = useQuery(async () => {
    if (!seesAll || form.owner !== kEverybody) return undefined;
    return (await projectClient.listProjects({ all: true })).projects;
  }, form.owner);
  const loaded = useQuery(
    () =>
      historyClient.getUsage({
        ...ownerOf(form.owner),
        by: UsageBy[form.by],
        from: timestampFromMs(spanOf(form.span, Date.now())),
      }),
    queryOfUsage(form),
  );
  const change = (next: Partial<UsageForm>) => {
    location.hash = hrefOf("usage", queryOfUsage({ ...form, ...next }));
  };
  return (
    <>
      <PageTitle text={messages.usage} />
      <UsageChoices
        form={form}
        choices={ownerChoices(mine, seesAll)}
        onChange={change}
      />
      <QueryView loaded={loaded}>
        {(usage: GetUsageResponse) => (
          <>
            <UsageTable
              usage={usage}
              label={(key, gpus) =>
                labelOf(form.by, key, gpus, all.value ?? mine)
              }
              by={form.by}
            />
            <p class="muted small" data-testid="history-figures">
              {accountingLabel(usage.accounting)}{" "}
              {messages.jobsCountWithThePart}
            </p>
          </>
        )}
      </QueryView>
    </>
  );
}

function UsageChoices(props: {
  form: UsageForm;
  choices: ReturnType<typeof ownerChoices>;
  onChange(next: Partial<UsageForm>): void;
}) {
  const { form, choices, onChange } = props;
  return (
    <div class="filter" role="group" aria-label={messages.usageOptions}>
      {choices.length > 1 && (
        <label class="stacked">
          <span>{messages.owner}</span>
          <select
            data-testid="usage-owner"
            value={form.owner}
            onChange={(event) => onChange({ owner: event.currentTarget.value })}
          >
            {choices.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      <label class="stacked">
        <span>{messages.groupBy}</span>
        <select
          data-testid="usage-by"
          value={form.by}
          onChange={(event) =>
            onChange({ by: event.currentTarget.value as UsageForm["by"] })
          }
        >
          <option value="GPU_TYPE">{messages.gpuType}</option>
          <option value="PROJECT">{messages.projectLabel}</option>
          <option value="USER">{messages.userLabel}</option>
        </select>
      </label>
      <label class="stacked">
        <span>{messages.period}</span>
        <select
          data-testid="usage-span"
          value={form.span}
          onChange={(event) => onChange({ span: event.currentTarget.value })}
        >
          {Object.keys(kSpans).map((span) => (
            <option key={span} value={span}>
              {kSpans[span]!.label}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
