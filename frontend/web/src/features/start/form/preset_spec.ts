// The spec of a job as a preset: what the start form can set, without what
// belongs to that one job.
import type { JobSpec } from "#proto/jobs";
import { specToForm } from "./spec_to_form";
import { formToSpec } from "./start_form";

export function presetSpecOf(spec: JobSpec): JobSpec {
  const form = specToForm(spec);
  return formToSpec({ ...form, dependencies: "", startAt: "" }).spec;
}
