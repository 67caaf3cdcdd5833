import { FilterForm, PeriodFields } from "../filter_form";
import { SelectField, TextField } from "../../../ui/form/field";
import { messages } from "#messages/admin";
import type { FilterForm as Form } from "./audit_filter";

export function AuditFilterForm(props: {
  form: Form;
  busy: boolean;
  onFilter(form: Form): void;
}) {
  return (
    <FilterForm prefix="audit" {...props}>
      {({ field, text }) => (
        <>
          <PeriodFields field={field} />
          <TextField label={messages.user} {...text("actor")} />
          <TextField label={messages.operation} {...text("act")} />
          <SelectField
            label={messages.decision}
            options={[
              ["", messages.any],
              ["allow", messages.allowed],
              ["refuse", messages.denied],
            ]}
            {...field("decision")}
          />
          <TextField
            label={messages.text}
            {...field("text")}
            placeholder={messages.auditSearchExample}
          />
        </>
      )}
    </FilterForm>
  );
}
