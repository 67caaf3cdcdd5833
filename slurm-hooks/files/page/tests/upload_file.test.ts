import { describe, expect, test } from "vitest";
import { ApiError, type ErrorCode } from "../src/api/errors";
import type { SentPart } from "../src/api/send_bytes";
import type { Choice } from "../src/uploads/conflict";
import {
  retryDelayMs,
  uploadFile,
  type UploadCalls,
} from "../src/uploads/upload_file";
import { kPartBytes } from "../src/uploads/upload_plan";

// A server with files, and parts of uploads.
class FakeServer {
  files = new Map<string, number>();
  parts = new Map<string, number>();
  failures: ErrorCode[] = [];
  sent: string[] = [];
  waits: number[] = [];
  discarded = 0;
  // The next part arrives, and its answer is lost.
  losesAnswer = false;

  calls: UploadCalls = {
    send: async ({ path, body, part, onlyIfMissing }: SentPart) => {
      this.sent.push(`${path} ${part ? part.start : "all"}`);
      const failure = this.failures.shift();
      if (failure) throw new ApiError(failure);
      if (onlyIfMissing && this.files.has(path)) throw new ApiError("exists");
      const start = part?.start ?? 0;
      const received = this.parts.get(path) ?? 0;
      if (part && start !== received)
        throw new ApiError("offset", "", received);
      const end = start + body.size;
      const isComplete = !part || end === part.total;
      if (isComplete) this.files.set(path, end);
      if (isComplete) this.parts.delete(path);
      else this.parts.set(path, end);
      if (this.losesAnswer) {
        this.losesAnswer = false;
        throw new ApiError("connection");
      }
      return { isComplete, received: end };
    },
    received: async (path) => this.parts.get(path) ?? 0,
    discard: async () => {
      this.discarded += 1;
    },
    wait: async (delayMs, signal) => {
      this.waits.push(delayMs);
      if (signal.aborted) throw new ApiError("cancelled");
    },
  };
}

function bigFile(size: number): File {
  const file = new File(["x"], "big.bin", { lastModified: 1 });
  const slice = (start: number, end: number) => ({
    size: end - start,
    arrayBuffer: async () => new ArrayBuffer(0),
  });
  return Object.defineProperties(file, {
    size: { value: size },
    slice: { value: slice },
  });
}

function upload(
  server: FakeServer,
  file: File,
  choices: Choice[] = [],
  control = new AbortController(),
  isTaken = false,
) {
  const questions: string[] = [];
  const progress: number[] = [];
  const end = uploadFile(
    file,
    `/a/${file.name}`,
    server.calls,
    {
      onConflict: async (path) => {
        questions.push(path);
        return choices.shift() ?? "skip";
      },
      onPath: () => undefined,
      onProgress: (sent) => progress.push(sent),
      onWaiting: () => undefined,
    },
    control.signal,
    isTaken,
  );
  return { end, questions, progress };
}

const kSmall = () => new File(["hello"], "a.txt", { lastModified: 1 });

describe("an upload that is refused", () => {
  test.each(["no_space", "forbidden", "too_large", "not_found"] as const)(
    "with %s fails without a retry",
    async (code) => {
      const server = new FakeServer();
      server.failures = [code];
      await expect(upload(server, kSmall()).end).rejects.toMatchObject({
        code,
      });
      expect(server.sent.length).toBe(1);
    },
  );

  test("many times by the connection fails at last", async () => {
    const server = new FakeServer();
    server.failures = Array<ErrorCode>(50).fill("connection");
    const { end } = upload(server, kSmall());
    await expect(end).rejects.toMatchObject({ code: "connection" });
    expect(server.sent.length).toBe(11);
  });

  test("because the browser cannot read the file says so", async () => {
    const server = new FakeServer();
    server.failures = ["connection"];
    const file = kSmall();
    Object.defineProperty(file, "slice", {
      value: () => ({ arrayBuffer: () => Promise.reject(new Error("gone")) }),
    });
    const { end } = upload(server, file);
    await expect(end).rejects.toMatchObject({ code: "unreadable" });
  });

  test("because it was cancelled discards its parts", async () => {
    const server = new FakeServer();
    server.failures = ["cancelled"];
    const { end } = upload(server, bigFile(kPartBytes * 2));
    await expect(end).rejects.toMatchObject({ code: "cancelled" });
    expect(server.discarded).toBe(1);
  });
});

describe("a large upload", () => {
  const total = kPartBytes * 3 + 9;

  test("is sent in parts", async () => {
    const server = new FakeServer();
    await upload(server, bigFile(total)).end;
    expect(server.files.get("/a/big.bin")).toBe(total);
    expect(server.sent.length).toBe(4);
  });

  test("continues with what an earlier page sent", async () => {
    const server = new FakeServer();
    server.parts.set("/a/big.bin", kPartBytes * 2);
    const { end, progress } = upload(server, bigFile(total));
    await end;
    expect(server.sent[0]).toBe(`/a/big.bin ${kPartBytes * 2}`);
    expect(progress[0]).toBe(kPartBytes * 2);
  });

  test("continues after a part that was not received", async () => {
    const server = new FakeServer();
    server.failures = ["connection", "unavailable", "busy"];
    await upload(server, bigFile(total)).end;
    expect(server.files.get("/a/big.bin")).toBe(total);
    expect(server.waits).toEqual([1000, 2000, 4000]);
  });

  test("does not send a part again whose answer was lost", async () => {
    const server = new FakeServer();
    server.losesAnswer = true;
    await upload(server, bigFile(total)).end;
    expect(server.sent.map((line) => Number(line.split(" ")[1]))).toEqual([
      0,
      kPartBytes,
      kPartBytes * 2,
      kPartBytes * 3,
    ]);
  });

  test("follows the offset of the server", async () => {
    const server = new FakeServer();
    server.calls.received = async () => 0;
    server.parts.set("/a/big.bin", kPartBytes);
    await upload(server, bigFile(total)).end;
    expect(server.files.get("/a/big.bin")).toBe(total);
    expect(server.waits).toEqual([]);
  });
});

describe("an upload to a name that is taken", () => {
  test("asks before it sends when the folder shows the name", async () => {
    const server = new FakeServer();
    const { end, questions } = upload(
      server,
      kSmall(),
      ["skip"],
      undefined,
      true,
    );
    expect(await end).toBe("skipped");
    expect(questions).toEqual(["/a/a.txt"]);
    expect(server.sent).toEqual([]);
  });

  test("is skipped, replaced or numbered", async () => {
    for (const [choice, path] of [
      ["replace", "/a/a.txt"],
      ["keep both", "/a/a%20%282%29.txt"],
    ] as const) {
      const server = new FakeServer();
      server.files.set("/a/a.txt", 1);
      expect(await upload(server, kSmall(), [choice]).end).toEqual({ path });
      expect(server.files.get(path)).toBe(5);
    }
  });

  test("takes the next free number without another question", async () => {
    const server = new FakeServer();
    server.files.set("/a/a.txt", 1);
    server.files.set("/a/a%20%282%29.txt", 1);
    const { end, questions } = upload(server, kSmall(), ["keep both"]);
    expect(await end).toEqual({ path: "/a/a%20%283%29.txt" });
    expect(questions.length).toBe(1);
  });
});

test("the delay before a retry doubles up to a limit", () => {
  expect([1, 2, 3].map(retryDelayMs)).toEqual([1000, 2000, 4000]);
  expect(retryDelayMs(30)).toBe(20_000);
});
