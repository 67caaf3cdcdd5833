import { describe, expect, test } from "vitest";
import { en } from "../src/language/en";
import { address } from "../src/api/client";
import {
  asApiError,
  errorOfAnswer,
  errorOfTask,
  isTransient,
  kServerCodes,
} from "../src/api/errors";

describe("an error of the server", () => {
  test("has its code, and the text of the system as a detail", () => {
    const body = '{"code":"not_found","error":"open \\"/x\\": No such file"}';
    const error = errorOfAnswer(404, body);
    expect(error.code).toBe("not_found");
    expect(error.detail).toBe('open "/x": No such file');
  });

  test("of an offset has the received bytes", () => {
    const body = '{"code":"offset","error":"","received":42}';
    expect(errorOfAnswer(409, body).received).toBe(42);
  });

  test("with an unknown code is a failure", () => {
    expect(errorOfAnswer(500, '{"code":"new","error":"x"}').code).toBe(
      "failed",
    );
    expect(errorOfTask("new").code).toBe("failed");
    expect(errorOfTask(undefined).code).toBe("failed");
  });
});

describe("an answer that is not of the server", () => {
  test("says that the job does not answer", () => {
    expect(errorOfAnswer(503, "<h1>gone</h1>").code).toBe("unavailable");
    expect(errorOfAnswer(0, "").code).toBe("unavailable");
    expect(errorOfAnswer(404, "null").code).toBe("unavailable");
    expect(errorOfAnswer(404, '"text"').code).toBe("unavailable");
    const proxy = '{"code":"unauthenticated","message":"x"}';
    expect(errorOfAnswer(401, proxy).code).toBe("unavailable");
  });
});

describe("a thrown value", () => {
  test("of fetch is a lost connection", () => {
    expect(asApiError(new TypeError("Failed to fetch")).code).toBe(
      "connection",
    );
    expect(asApiError("x").code).toBe("connection");
  });

  test("of an aborted call is a cancellation", () => {
    const error = new DOMException("aborted", "AbortError");
    expect(asApiError(error).code).toBe("cancelled");
  });

  test("of a call is kept", () => {
    const error = errorOfTask("no_space");
    expect(asApiError(error)).toBe(error);
  });
});

test("only errors that pass are retried without a person", () => {
  expect(isTransient("connection")).toBe(true);
  expect(isTransient("busy")).toBe(true);
  expect(isTransient("no_space")).toBe(false);
  expect(isTransient("forbidden")).toBe(false);
});

test("each code has a text", () => {
  const own = ["connection", "unavailable", "unreadable", "cancelled"];
  for (const code of [...kServerCodes, ...own]) {
    expect(en).toHaveProperty(`error_${code}`);
  }
});

test("addresses of calls are relative", () => {
  expect(address("list", { path: "/a%20b" })).toBe("api/list?path=/a%20b");
  expect(address("tasks")).toBe("api/tasks");
});
