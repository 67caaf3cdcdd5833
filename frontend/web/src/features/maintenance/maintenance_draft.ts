// The form for maintenance, and its conversion to the API's message.
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type MaintenanceDetails,
  type StartMaintenanceRequest,
  StartMaintenanceRequestSchema,
} from "#proto/maintenance";
import { dayInput, msOfInputs, timeInput } from "../../lib/format/date_inputs";
import { msOf } from "../../lib/format/moment";
import { FieldError } from "../../lib/field_error";
import { messages } from "#messages/maintenance";

export interface MaintenanceDraft {
  readonly message: string;
  readonly startDay: string; // of <input type="date">; empty: now
  readonly startTime: string;
  readonly endDay: string;
  readonly endTime: string;
  readonly autoEnd: boolean;
  readonly reserve: boolean;
  readonly partition: string;
  readonly nodes: string;
}

// Of the current maintenance, or from now until the end of the working day.
export function draftOf(
  details: MaintenanceDetails | undefined,
  now: number,
): MaintenanceDraft {
  const current = details?.maintenance;
  const evening = new Date(now);
  if (evening.getHours() >= 17) evening.setDate(evening.getDate() + 1);
  evening.setHours(18, 0, 0, 0);
  const start =
    current && !current.inEffect ? msOf(current.startsAt) : undefined;
  const end = msOf(current?.endsAt) ?? evening.getTime();
  return {
    message: current?.message ?? "",
    startDay: start === undefined ? "" : dayInput(start),
    startTime: start === undefined ? "" : timeInput(start),
    endDay: dayInput(end),
    endTime: timeInput(end),
    autoEnd: current?.autoEnd ?? false,
    reserve: (details?.reservation ?? "") !== "",
    partition: details?.partition ?? "",
    nodes: details?.nodes ?? "",
  };
}

export type RequestOrError =
  | {
      readonly request: StartMaintenanceRequest;
      readonly parseError?: undefined;
    }
  | {
      readonly parseError: FieldError<keyof MaintenanceDraft>;
      readonly request?: undefined;
    };

// The server checks everything else.
export function requestOf(draft: MaintenanceDraft): RequestOrError {
  const message = draft.message.trim();
  if (message === "")
    return { parseError: new FieldError("message", messages.enterAMessage) };
  const end = msOfInputs(draft.endDay, draft.endTime);
  if (end === undefined) {
    return { parseError: new FieldError("endDay", messages.enterTheEnd) };
  }
  const startsNow = draft.startDay === "" && draft.startTime === "";
  const start = msOfInputs(draft.startDay, draft.startTime);
  if (!startsNow && start === undefined) {
    return { parseError: new FieldError("startDay", messages.enterTheStart) };
  }
  return {
    request: create(StartMaintenanceRequestSchema, {
      message,
      ...(start !== undefined && { startsAt: timestampFromMs(start) }),
      endsAt: timestampFromMs(end),
      autoEnd: draft.autoEnd,
      reserve: draft.reserve,
      partition: draft.reserve ? draft.partition.trim() : "",
      nodes: draft.reserve ? draft.nodes.trim() : "",
    }),
  };
}
