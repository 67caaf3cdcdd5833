// The form for a reservation, and its conversion to the API's message.
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type ReservationSpec,
  ReservationSpecSchema,
} from "#proto/reservation";
import { formatMinutes, parseMinutes } from "../../lib/format/duration";
import { dayOf } from "../projects/project_labels";
import type { Span } from "./days";
import { messages } from "#messages/reservations";

export interface ReservationDraft {
  readonly title: string;
  readonly project: string; // a project ID; empty: for the user
  readonly partition: string;
  readonly nodes: string;
  readonly day: string; // value of <input type="date">
  readonly time: string; // value of <input type="time">
  readonly duration: string;
}

// Default: from the next full hour, for two hours.
export function blankReservation(
  now: number,
  project: string,
  partition: string,
): ReservationDraft {
  const next = new Date(now);
  next.setHours(next.getHours() + 1, 0, 0, 0);
  return {
    title: "",
    project,
    partition,
    nodes: "1",
    ...startAt(next.getTime()),
    duration: "2 h",
  };
}

// The current minute is in the past; the server accepts it as now.
export function startAt(ms: number): Pick<ReservationDraft, "day" | "time"> {
  const at = new Date(ms);
  const two = (number: number) => String(number).padStart(2, "0");
  return {
    day: dayOf(ms),
    time: `${two(at.getHours())}:${two(at.getMinutes())}`,
  };
}

// The fields of a time that was selected in the calendar.
export function timeFields({
  startMs,
  endMs,
}: Span): Pick<ReservationDraft, "day" | "time" | "duration"> {
  const minutes = Math.round((endMs - startMs) / 60_000);
  return { ...startAt(startMs), duration: formatMinutes(minutes) };
}

// The time of the form; undefined: it has none.
export function plannedSpan({
  day,
  time,
  duration,
}: Pick<ReservationDraft, "day" | "time" | "duration">): Span | undefined {
  const startMs = new Date(`${day}T${time}`).getTime();
  const minutes = parseMinutes(duration);
  if (Number.isNaN(startMs) || minutes === undefined) return undefined;
  return { startMs, endMs: startMs + minutes * 60_000 };
}

export type SpecOrError =
  | { readonly spec: ReservationSpec; readonly parseError?: undefined }
  | { readonly parseError: string; readonly spec?: undefined };

export function reservationOf(draft: ReservationDraft): SpecOrError {
  const startMs = new Date(`${draft.day}T${draft.time}`).getTime();
  if (Number.isNaN(startMs)) return { parseError: messages.enterADateAndTime };
  const minutes = parseMinutes(draft.duration);
  if (minutes === undefined) {
    return {
      parseError: messages.invalidDuration({ text: draft.duration.trim() }),
    };
  }
  const nodes = /^\d{1,6}$/.test(draft.nodes.trim()) ? Number(draft.nodes) : 0;
  if (nodes === 0) {
    return { parseError: messages.invalidNodes({ text: draft.nodes.trim() }) };
  }
  const title = draft.title.trim();
  if (title === "") return { parseError: messages.enterATitle };
  return {
    spec: create(ReservationSpecSchema, {
      title,
      project: draft.project,
      partition: draft.partition,
      nodes,
      startsAt: timestampFromMs(startMs),
      duration: { seconds: BigInt(minutes * 60) },
    }),
  };
}
