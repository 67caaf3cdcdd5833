// Texts of the backend in the language of the page: a message has the English
// text in a field, and in the field beside it, with the ending "Code", what is
// needed to write it in another language.
import type { Interceptor } from "@connectrpc/connect";
import type { TextCode } from "#proto/text_code";
import {
  hasServerMessages,
  serverMessage,
  serverMessagesArrived,
} from "../lib/language/catalogue";

const kEnding = "Code";
const kTypeName = "carme.v1.TextCode";
const kListCode = "TEXT_LIST";

// undefined: the language has no such text.
export function textOf({ code, parameters }: TextCode): string | undefined {
  const values = parameters.map(({ name, value, code: inner }) => ({
    name,
    value: (inner && textOf(inner)) ?? value,
  }));
  if (code === kListCode) return values.map(({ value }) => value).join("; ");
  return serverMessage(
    code,
    Object.fromEntries(values.map(({ name, value }) => [name, value])),
  );
}

function isTextCode(value: unknown): value is TextCode {
  return (
    typeof value === "object" &&
    value !== null &&
    "$typeName" in value &&
    value.$typeName === kTypeName
  );
}

// Lists of numbers and texts, which metrics have many of, are none.
function isMessageOrList(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (ArrayBuffer.isView(value)) return false;
  return !Array.isArray(value) || typeof value[0] === "object";
}

function hasText(message: object): boolean {
  return Object.values(message).some(
    (value: unknown) =>
      isMessageOrList(value) && (isTextCode(value) || hasText(value)),
  );
}

// Waits for the texts of the language only if the message needs them.
async function translate(message: object): Promise<void> {
  if (!hasText(message)) return;
  await serverMessagesArrived();
  translateTexts(message);
}

// Replaces all texts in the message, and in the messages in it.
export function translateTexts(message: object): void {
  const fields = message as Record<string, unknown>;
  for (const [name, value] of Object.entries(fields)) {
    if (!isMessageOrList(value)) continue;
    if (!isTextCode(value)) {
      translateTexts(value);
      continue;
    }
    const field = name.slice(0, -kEnding.length);
    const text = textOf(value);
    if (text !== undefined && typeof fields[field] === "string") {
      fields[field] = text;
    }
  }
}

async function* translated<Message extends object>(
  messages: AsyncIterable<Message>,
): AsyncIterable<Message> {
  for await (const message of messages) {
    await translate(message);
    yield message;
  }
}

export const translation: Interceptor = (next) => async (request) => {
  const response = await next(request);
  if (!hasServerMessages()) return response;
  if (response.stream) {
    return { ...response, message: translated(response.message) };
  }
  await translate(response.message);
  return response;
};
