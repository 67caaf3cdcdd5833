import type { UnaryRequest, UnaryResponse } from "@connectrpc/connect";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { StartEstimateSchema } from "#proto/jobs";
import type { Messages } from "../../src/lib/language/message";

const kInEnglish = "Starts now on n2.";
const kTexts: Messages = { STARTS_NOW: ["Startet jetzt auf ", ["nodes"], "."] };
const kCode = {
  code: "STARTS_NOW",
  parameters: [{ name: "nodes", value: "n2" }],
};

// Each test has a page of its own.
async function openPage(load?: () => Promise<Messages>) {
  vi.resetModules();
  const { expectServerMessages } =
    await import("../../src/lib/language/catalogue");
  const { translation } = await import("../../src/api/translate_texts");
  if (load) expectServerMessages(load());
  return async (
    estimate: MessageInitShape<typeof StartEstimateSchema>,
  ): Promise<string> => {
    const message = create(StartEstimateSchema, estimate);
    const answer = { stream: false, message } as unknown as UnaryResponse;
    await translation(() => Promise.resolve(answer))({} as UnaryRequest);
    return message.sentence;
  };
}

const coded = { sentence: kInEnglish, sentenceCode: kCode };

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it("a page in English waits for nothing", async () => {
  const receive = await openPage();
  expect(await receive(coded)).toBe(kInEnglish);
});

it("texts that cannot be loaded leave those of the server", async () => {
  const receive = await openPage(() => Promise.reject(new Error("not found")));
  expect(await receive(coded)).toBe(kInEnglish);
});

it("texts that do not arrive are waited for a short time", async () => {
  const receive = await openPage(() => new Promise(() => undefined));
  const received = receive(coded);
  await vi.advanceTimersByTimeAsync(3000);
  expect(await received).toBe(kInEnglish);
});

it("a message without texts does not wait for them", async () => {
  const receive = await openPage(() => new Promise(() => undefined));
  expect(await receive({ sentence: "n2" })).toBe("n2");
});

it("a message with texts waits for them", async () => {
  let arrive: (texts: Messages) => void = () => undefined;
  const receive = await openPage(
    () =>
      new Promise((resolve) => {
        arrive = resolve;
      }),
  );
  const received = receive(coded);
  arrive(kTexts);
  expect(await received).toBe("Startet jetzt auf n2.");
});
