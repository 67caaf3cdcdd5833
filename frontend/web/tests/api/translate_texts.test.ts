import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { JobSchema } from "#proto/jobs";
import { TextCodeSchema } from "#proto/text_code";
import { failureOf } from "../../src/api/failure";
import { translateTexts } from "../../src/api/translate_texts";
import {
  expectServerMessages,
  serverMessagesArrived,
} from "../../src/lib/language/catalogue";

expectServerMessages(
  Promise.resolve({
    FAILS: ["Job ", ["job"], " scheitert: ", ["cause"]],
    FULL: [["disk"], " ist voll"],
  }),
);
await serverMessagesArrived();

const full = {
  code: "FULL",
  parameters: [{ name: "disk", value: "a" }],
};

it("a text without a code stays as it is", () => {
  const job = create(JobSchema, { reason: "says Slurm" });
  translateTexts(job);
  expect(job.reason).toBe("says Slurm");
});

it("a text whose code the language does not have stays as it is", () => {
  const job = create(JobSchema, {
    reason: "it is new",
    reasonCode: { code: "NEW" },
  });
  translateTexts(job);
  expect(job.reason).toBe("it is new");
});

it("a code that is a name of JavaScript's objects is no text", () => {
  const job = create(JobSchema, {
    reason: "it is hostile",
    reasonCode: { code: "__proto__" },
  });
  translateTexts(job);
  expect(job.reason).toBe("it is hostile");
});

it("long lists of numbers are not searched for texts", () => {
  const values = new Proxy([1, 2], {
    ownKeys: () => {
      throw new Error("searched");
    },
  });
  const message = { values, job: { reason: "", reasonCode: undefined } };
  expect(() => translateTexts(message)).not.toThrow();
});

it("a text whose value is missing stays as it is", () => {
  const job = create(JobSchema, {
    reason: "a is full",
    reasonCode: { code: "FULL" },
  });
  translateTexts(job);
  expect(job.reason).toBe("a is full");
});

it("a text is translated with the texts in it", () => {
  const job = create(JobSchema, {
    reason: "7 fails: a is full",
    reasonCode: {
      code: "FAILS",
      parameters: [
        { name: "job", value: "7" },
        { name: "cause", value: "a is full", code: full },
      ],
    },
  });
  translateTexts(job);
  expect(job.reason).toBe("Job 7 scheitert: a ist voll");
});

it("a text in a text that the language does not have stays in English", () => {
  const job = create(JobSchema, {
    reasonCode: {
      code: "FAILS",
      parameters: [
        { name: "job", value: "7" },
        { name: "cause", value: "it is new", code: { code: "NEW" } },
      ],
    },
  });
  translateTexts(job);
  expect(job.reason).toBe("Job 7 scheitert: it is new");
});

it("texts of messages in lists and in messages are translated", () => {
  const job = create(JobSchema, {
    overLimit: { violations: [{ message: "a is full", messageCode: full }] },
  });
  translateTexts({ jobs: [job] });
  expect(job.overLimit?.violations[0]?.message).toBe("a ist voll");
});

it("of several texts each is translated that the language has", () => {
  const job = create(JobSchema, {
    reason: "a is full; it is new",
    reasonCode: {
      code: "TEXT_LIST",
      parameters: [
        { name: "text", value: "a is full", code: full },
        { name: "text", value: "it is new", code: { code: "NEW" } },
      ],
    },
  });
  translateTexts(job);
  expect(job.reason).toBe("a ist voll; it is new");
});

it("an error of several reasons is translated by its text", () => {
  const error = new ConnectError("a is full", Code.ResourceExhausted);
  error.details.push({
    type: TextCodeSchema.typeName,
    value: toBinary(TextCodeSchema, create(TextCodeSchema, full)),
  });
  expect(failureOf(error).sentence).toBe("a ist voll");
});

it("an error of a newer server keeps its text", () => {
  const error = new ConnectError("it is new", Code.ResourceExhausted);
  error.details.push({
    type: TextCodeSchema.typeName,
    value: new Uint8Array([255]),
  });
  expect(failureOf(error).sentence).toBe("it is new");
});
