// The start form: filled in here, judged by the server while it is filled in.
import { useRef, useState } from "preact/hooks";
import type { GetClusterResponse } from "#proto/cluster";
import type { Job } from "#proto/jobs";
import { Icon } from "../ui/icon";
import { useNow } from "../ui/use_now";
import { complaintsOf, firstPlace, type Place } from "./complaints";
import { ComplaintList } from "./field";
import { ForecastLine } from "./forecast_line";
import { fieldsOf } from "./forecast_words";
import { MainFields } from "./main_fields";
import { MoreFields } from "./more_fields";
import { type FieldName, specOf, type StartForm } from "./start_form";
import { StartSummary } from "./start_summary";
import { usePreview } from "./use_preview";
import { useSubmit } from "./use_submit";

export function StartPanel(props: {
  cluster: GetClusterResponse;
  form: StartForm;
  onField(name: FieldName, value: string): void;
  onStarted(job: Job): void;
}) {
  const { cluster, form, onField, onStarted } = props;
  const element = useRef<HTMLFormElement>(null);
  const [touched, setTouched] = useState(false);
  const { busy, submit } = useSubmit(onStarted);

  // Running jobs come nearer to their end also when nothing else changes.
  const minute = Math.floor(useNow(60_000) / 60_000);
  const epoch = `${cluster.version}.${cluster.limits?.jobsNow}.${minute}`;
  const preview = usePreview(form, epoch);
  const { spec, mistakes } = specOf(form);
  const violations = preview?.answer.violations ?? [];
  const complaints = complaintsOf(mistakes, violations);
  // An answer to an older form must not hold back a corrected one.
  const current = preview?.form === form || mistakes.length > 0;
  const blocked = current ? firstPlace(complaints) : undefined;

  const onSubmit = (event: Event) => {
    event.preventDefault();
    setTouched(true);
    if (blocked) focusOn(element.current, blocked);
    else void submit(spec);
  };

  return (
    <section class="start" id="start" aria-labelledby="start-title">
      <form ref={element} data-test="start-form" noValidate onSubmit={onSubmit}>
        <h2 id="start-title">Start a job</h2>
        <div class="fields">
          <MainFields {...{ form, cluster, complaints, onField }} />
        </div>
        <MoreFields
          {...{ form, cluster, complaints, onField }}
          defaults={preview?.answer.spec}
        />
        <div class="start-foot">
          <ComplaintList place="form" complaints={complaints.form} />
          <StartSummary
            spec={preview?.answer.spec}
            blocked={blocked !== undefined}
            insistent={touched}
          />
          {!blocked && (
            <ForecastLine
              forecast={preview?.answer.forecast}
              stale={preview?.form !== form}
              onTake={(instead) => {
                for (const [name, value] of fieldsOf(instead)) {
                  onField(name, value);
                }
              }}
            />
          )}
          <button
            class="button button-primary button-wide"
            type="submit"
            data-test="start-submit"
            aria-disabled={busy || blocked !== undefined}
          >
            <Icon name="play" /> {busy ? "Starting…" : "Start"}
          </button>
        </div>
      </form>
    </section>
  );
}

function focusOn(form: HTMLFormElement | null, place: Place): void {
  form?.querySelector<HTMLElement>(`#field-${place}`)?.focus();
}
