import { FilterForm, LabelledField, PeriodFields } from "../filter_form";
import { messages } from "#messages/admin";
import type { FilterForm as Form } from "./audit_filter";

export function AuditFilterForm(props: {
  form: Form;
  busy: boolean;
  onFilter(form: Form): void;
}) {
  return (
    <FilterForm prefix="audit" {...props}>
      {({ input, select }) => (
        <>
          <PeriodFields input={input} />
          <LabelledField text={messages.user}>
            <input {...input("actor")} />
          </LabelledField>
          <LabelledField text={messages.operation}>
            <input {...input("act")} />
          </LabelledField>
          <LabelledField text={messages.decision}>
            <select {...select("decision")}>
              <option value="">{messages.any}</option>
              <option value="allow">{messages.allowed}</option>
              <option value="refuse">{messages.denied}</option>
            </select>
          </LabelledField>
          <LabelledField text={messages.text}>
            <input
              {...input("text")}
              placeholder={messages.auditSearchExample}
            />
          </LabelledField>
        </>
      )}
    </FilterForm>
  );
}
