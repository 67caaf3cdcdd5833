// Usage in a period by user, project or GPU type.
import { UsageBy } from "#proto/history";
import { historyClient } from "../../../api/history";
import { projectClient } from "../../../api/project";
import { useProjects } from "../../projects/projects_context";
import { PageTitle } from "../../../routes/page_title";
import { hrefOf } from "../../../routes/route";
import { mayAdminister } from "../../../session/roles";
import { useSession } from "../../../session/session_context";
import { useQuery } from "../../../session/use_query";
import { QueryView } from "../../../ui/loaded_view";
import { accountingLabel, hoursOf } from "../history/history_labels";
import { loadUsage, type UsageOfPeriod } from "./load_usage";
import { PeriodChoice } from "./period_choice";
import { QuotaPanel } from "./quota_panel";
import { comparisonLabel, sumOf, usageBars } from "./usage_bars";
import { stepOf } from "./usage_buckets";
import { UsageChart } from "./usage_chart";
import {
  labelOf,
  queryOfUsage,
  type UsageForm,
  usageOfQuery,
} from "./usage_form";
import { UsageTable } from "./usage_table";
import { kEverybody, ownerChoices, ownerOf } from "../history/owner_filter";
import "./usage.css";
import { SelectField } from "../../../ui/form/field";
import { messages } from "#messages/insights";
import { messages as usageMessages } from "#messages/usage";

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
      loadUsage(
        (period) =>
          historyClient.getUsage({
            ...ownerOf(form.owner),
            by: UsageBy[form.by],
            ...period,
          }),
        form.span,
        Date.now(),
      ),
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
        {(usage) => (
          <UsageView
            usage={usage}
            form={form}
            label={(key, gpus) =>
              labelOf(form.by, key, gpus, all.value ?? mine)
            }
          />
        )}
      </QueryView>
      {form.owner !== kEverybody && <QuotaPanel project={form.owner} />}
    </>
  );
}

function UsageView(props: {
  usage: UsageOfPeriod;
  form: UsageForm;
  label(key: string, gpus: boolean): string;
}) {
  const { usage, form, label } = props;
  const { total, before, buckets, parts } = usage;
  const bars = usageBars(total, parts);
  const { measure } = bars;
  const sum = sumOf(total, measure);
  return (
    <>
      {total.rows.length > 0 && (
        <>
          <p class="usage-sum" data-testid="usage-sum">
            <strong>
              {measure === "gpuSeconds"
                ? usageMessages.gpuHoursSum({ hours: hoursOf(sum) })
                : usageMessages.cpuHoursSum({ hours: hoursOf(sum) })}
            </strong>{" "}
            <span class="muted">
              {comparisonLabel(sum, sumOf(before, measure))}
            </span>
          </p>
          <UsageChart
            bars={bars}
            buckets={buckets}
            step={stepOf(form.span)}
            label={(key) => label(key, measure === "gpuSeconds")}
          />
        </>
      )}
      <UsageTable
        usage={total}
        compared={{ before, bars }}
        label={label}
        by={form.by}
      />
      <p class="muted small" data-testid="history-figures">
        {accountingLabel(total.accounting)} {messages.jobsCountWithThePart}
      </p>
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
        <SelectField
          label={messages.owner}
          testId="usage-owner"
          value={form.owner}
          options={choices.map(({ value, label }) => [value, label])}
          onValue={(owner) => onChange({ owner })}
        />
      )}
      <SelectField
        label={messages.groupBy}
        testId="usage-by"
        value={form.by}
        options={[
          ["GPU_TYPE", messages.gpuType],
          ["PROJECT", messages.projectLabel],
          ["USER", messages.userLabel],
        ]}
        onValue={(by) => onChange({ by })}
      />
      <PeriodChoice
        span={form.span}
        testId="usage-span"
        onChange={(span) => onChange({ span })}
      />
    </div>
  );
}
