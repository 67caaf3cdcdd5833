import { Code, ConnectError } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { failureOf } from "../../../src/api/failure";
import {
  expectServerMessages,
  serverMessagesArrived,
} from "../../../src/lib/language/catalogue";

function errorWith(reason: string, metadata: Record<string, string>) {
  const error = new ConnectError("the image is in use", Code.Aborted);
  error.details.push({
    type: "google.rpc.ErrorInfo",
    value: new Uint8Array(),
    debug: { reason, metadata },
  });
  return failureOf(error).sentence;
}

it("an error before the translations arrive keeps the server's text", async () => {
  expectServerMessages(
    Promise.resolve({ IMAGE_IN_USE: ["„", ["image"], "“ wird verwendet"] }),
  );
  expect(errorWith("IMAGE_IN_USE", { image: "torch" })).toBe(
    "the image is in use",
  );
  await serverMessagesArrived();
});

it("an error without a translation keeps the server's text", () => {
  expect(errorWith("UNKNOWN_REASON", {})).toBe("the image is in use");
});

it("an error without an expected argument keeps the server's text", () => {
  expect(errorWith("IMAGE_IN_USE", {})).toBe("the image is in use");
});

it("an error is translated by its reason", () => {
  const sentence = errorWith("IMAGE_IN_USE", { image: "torch" });
  expect(sentence).toBe("„torch“ wird verwendet");
});
