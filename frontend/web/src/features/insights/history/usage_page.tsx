// What was used within a time, by user, project or GPU type.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type GetUsageResponse, UsageBy } from "#proto/history";
import { projectClient } from "../../../api/project";
import { historyClient } from "../../../api/history";
import { useProjects } from "../../projects/projects_context";
import { PageTitle } from "../../../routes/page_title";
import { hrefOf } from "../../../routes/route";
import { mayAdminister } from "../../../session/roles";
import { useSession } from "../../../session/session_context";
import { useLoaded } from "../../../session/use_query";
import { LoadedView } from "../../../ui/loaded_view";
import { accountingWords } from "./history_labels";
import {
  kSpans,
  labelOf,
  queryOfUsage,
  spanOf,
  type UsageForm,
  usageOfQuery,
} from "./usage_form";
import { UsageTable } from "./usage_table";
import { kEverybody, whoseChoices, whoseOf } from "./owner_filter";

export function UsagePage({ query }: { query: string }) {
  const form = usageOfQuery(query);
  const { session } = useSession();
  const mine = useProjects();
  const seesAll = mayAdminister(session);
  // For the names of what everybody's projects used.
  const all = useLoaded(async () => {
    if (!seesAll || form.whose !== kEverybody) return undefined;
    return (await projectClient.listProjects({ all: true })).projects;
  }, form.whose);
  const loaded = useLoaded(
    () =>
      historyClient.getUsage({
        ...whoseOf(form.whose),
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
      <PageTitle text="What was used" />
      <UsageChoices
        form={form}
        choices={whoseChoices(mine, seesAll)}
        onChange={change}
      />
      <LoadedView loaded={loaded}>
        {(usage: GetUsageResponse) => (
          <>
            <UsageTable
              usage={usage}
              label={(key, gpus) =>
                labelOf(form.by, key, gpus, all.value ?? mine)
              }
              by={form.by}
            />
            <p class="muted small" data-test="history-figures">
              {accountingWords(usage.accounting)} A job counts for the part of
              it that is within the time; running jobs count up to now.
            </p>
          </>
        )}
      </LoadedView>
    </>
  );
}

function UsageChoices(props: {
  form: UsageForm;
  choices: ReturnType<typeof whoseChoices>;
  onChange(next: Partial<UsageForm>): void;
}) {
  const { form, choices, onChange } = props;
  return (
    <div class="filter" role="group" aria-label="What to add up">
      {choices.length > 1 && (
        <label class="stacked">
          <span>Whose</span>
          <select
            data-test="usage-whose"
            value={form.whose}
            onChange={(event) => onChange({ whose: event.currentTarget.value })}
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
        <span>By</span>
        <select
          data-test="usage-by"
          value={form.by}
          onChange={(event) =>
            onChange({ by: event.currentTarget.value as UsageForm["by"] })
          }
        >
          <option value="GPU_TYPE">GPU type</option>
          <option value="PROJECT">project</option>
          <option value="USER">user</option>
        </select>
      </label>
      <label class="stacked">
        <span>Within</span>
        <select
          data-test="usage-span"
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
