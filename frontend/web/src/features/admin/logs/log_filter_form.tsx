import { FilterForm, LabelledField, PeriodFields } from "../filter_form";
import { messages } from "#messages/admin";
import { kServices, type LogFilterForm as Form } from "./log_filter";

export function LogFilterForm(props: {
  form: Form;
  busy: boolean;
  onFilter(form: Form): void;
}) {
  return (
    <FilterForm prefix="log" {...props}>
      {({ input, select }) => (
        <>
          <PeriodFields input={input} />
          <LabelledField text={messages.job}>
            <input {...input("job")} />
          </LabelledField>
          <LabelledField text={messages.node}>
            <input {...input("node")} />
          </LabelledField>
          <LabelledField text={messages.service}>
            <select {...select("service")}>
              <option value="">{messages.any}</option>
              {kServices.map((service) => (
                <option key={service} value={service}>
                  {service}
                </option>
              ))}
            </select>
          </LabelledField>
          <LabelledField text={messages.level}>
            <select {...select("level")}>
              <option value="">{messages.warningsAndErrors}</option>
              <option value="error">{messages.errorsOnly}</option>
            </select>
          </LabelledField>
          <LabelledField text={messages.requestId}>
            <input {...input("request")} />
          </LabelledField>
        </>
      )}
    </FilterForm>
  );
}
