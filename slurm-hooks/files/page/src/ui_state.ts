// What is shown around the folder: dialogs, notices, the connection.
import type { ApiError } from "./api/errors";
import type { Places } from "./api/types";
import type { Row } from "./folder/rows";
import type { RawPath } from "./paths/raw_path";
import type { Clipboard, TransferKind } from "./tasks/transfer";
import type { Answer } from "./uploads/conflict";

export type Connection = "ok" | "lost" | "unavailable";

export type Dialog =
  | { type: "new folder" }
  | { type: "new file" }
  | { type: "rename"; row: Row }
  | { type: "delete"; rows: readonly Row[] }
  | { type: "pick folder"; kind: TransferKind; paths: readonly RawPath[] }
  | { type: "keys" };

// A question that a running operation waits for.
export type Question =
  | {
      type: "conflict";
      name: string;
      remaining: number;
      canReplace: boolean;
      answer(answer: Answer): void;
    }
  | { type: "unsaved"; name: string; answer(leave: boolean): void };

export interface Notice {
  id: number;
  isError: boolean;
  title: string;
  detail: string;
}

export interface UiState {
  places: Places | undefined;
  placesError: ApiError | undefined;
  connection: Connection;
  dialog: Dialog | undefined;
  questions: readonly Question[];
  notices: readonly Notice[];
  clipboard: Clipboard | undefined;
  viewing: RawPath | undefined;
}

export type UiAction =
  | { type: "set"; change: Partial<UiState> }
  | { type: "ask"; question: Question }
  | { type: "answered"; question: Question }
  | { type: "notice"; notice: Notice }
  | { type: "dismiss"; id: number };

export const kInitialUi: UiState = {
  places: undefined,
  placesError: undefined,
  connection: "ok",
  dialog: undefined,
  questions: [],
  notices: [],
  clipboard: undefined,
  viewing: undefined,
};

const kMaxNotices = 3;

export function uiReducer(state: UiState, action: UiAction): UiState {
  switch (action.type) {
    case "set":
      return { ...state, ...action.change };
    case "ask":
      return { ...state, questions: [...state.questions, action.question] };
    case "answered":
      return {
        ...state,
        questions: state.questions.filter((one) => one !== action.question),
      };
    case "notice":
      return {
        ...state,
        notices: [...state.notices, action.notice].slice(-kMaxNotices),
      };
    case "dismiss":
      return {
        ...state,
        notices: state.notices.filter(({ id }) => id !== action.id),
      };
  }
}
