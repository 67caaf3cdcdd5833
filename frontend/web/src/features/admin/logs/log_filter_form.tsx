import { FilterForm, PeriodFields } from "../filter_form";
import { SelectField, TextField } from "../../../ui/form/field";
import { messages } from "#messages/admin";
import { kServices, type LogFilterForm as Form } from "./log_filter";

export function LogFilterForm(props: {
  form: Form;
  busy: boolean;
  onFilter(form: Form): void;
}) {
  return (
    <FilterForm prefix="log" {...props}>
      {({ field, text }) => (
        <>
          <PeriodFields field={field} />
          <TextField label={messages.job} {...text("job")} />
          <TextField label={messages.node} {...text("node")} />
          <SelectField
            label={messages.service}
            options={[
              ["", messages.any],
              ...kServices.map((service) => [service, service] as const),
            ]}
            {...field("service")}
          />
          <SelectField
            label={messages.level}
            options={[
              ["", messages.warningsAndErrors],
              ["error", messages.errorsOnly],
            ]}
            {...field("level")}
          />
          <TextField label={messages.requestId} {...text("request")} />
        </>
      )}
    </FilterForm>
  );
}
