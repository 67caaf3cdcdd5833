// Filters the jobs of all users while the user types.
import { SelectField, TextField } from "../../ui/form/field";
import { type JobsFilter, kAllJobs } from "./jobs_filter";
import { messages } from "#messages/admin";

export function JobsFilterForm(props: {
  filter: JobsFilter;
  onFilter(filter: JobsFilter): void;
}) {
  const { filter, onFilter } = props;
  const field = (name: keyof JobsFilter) => ({
    testId: `jobs-${name}`,
    name,
    value: filter[name],
    onValue: (value: string) => onFilter({ ...filter, [name]: value }),
  });
  const text = (name: keyof JobsFilter) => ({
    ...field(name),
    maxLength: 100,
    placeholder: messages.any,
  });
  const isFiltered = Object.values(filter).some((value) => value !== "");
  return (
    <form
      class="filter"
      aria-label={messages.filter}
      onSubmit={(event) => event.preventDefault()}
    >
      <TextField label={messages.nameOrId} {...text("search")} />
      <TextField label={messages.user} {...text("owner")} />
      <SelectField
        label={messages.state}
        options={[
          ["", messages.any],
          ["pending", messages.statePending],
          ["running", messages.stateRunning],
          ["stopping", messages.stateStopping],
        ]}
        {...field("state")}
      />
      <TextField label={messages.partition} {...text("partition")} />
      <TextField label={messages.projectId} {...text("project")} />
      {isFiltered && (
        <button
          class="link-button"
          type="button"
          data-testid="jobs-clear"
          onClick={() => onFilter(kAllJobs)}
        >
          {messages.clearFilters}
        </button>
      )}
    </form>
  );
}
