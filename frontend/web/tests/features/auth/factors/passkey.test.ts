import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { PasskeyEnrolmentSchema, PasskeyRequestSchema } from "#proto/auth";
import {
  creationOptions,
  passkeyFailure,
  requestOptions,
} from "../../../../src/features/auth/factors/passkey";

const bytes = (...values: number[]) => new Uint8Array(values);
const sourceOf = (source: BufferSource) =>
  Array.from(new Uint8Array(source as ArrayBuffer));

describe("creating a passkey", () => {
  const options = creationOptions(
    create(PasskeyEnrolmentSchema, {
      challenge: bytes(1, 2, 3),
      rpId: "carme.example.org",
      rpName: "Carme",
      userHandle: bytes(9),
      userName: "ada",
      exclude: [bytes(7, 7)],
      algorithms: [-7, -8],
    }),
  );

  it("uses the server's challenge and name", () => {
    expect(sourceOf(options.challenge)).toEqual([1, 2, 3]);
    expect(options.rp.id).toBe("carme.example.org");
  });

  it("excludes registered keys", () => {
    const excluded = options.excludeCredentials?.map(({ id }) => sourceOf(id));
    expect(excluded).toEqual([[7, 7]]);
  });

  it("uses the server's algorithms in order", () => {
    expect(options.pubKeyCredParams.map(({ alg }) => alg)).toEqual([-7, -8]);
  });

  it("always has a display name", () => {
    expect(options.user.displayName).toBe("ada");
  });
});

describe("using a passkey", () => {
  it("allows only the account's keys", () => {
    const options = requestOptions(
      create(PasskeyRequestSchema, {
        challenge: bytes(4),
        rpId: "carme.example.org",
        credentialIds: [bytes(5), bytes(6)],
      }),
    );
    expect(options.allowCredentials?.map(({ id }) => sourceOf(id))).toEqual([
      [5],
      [6],
    ]);
  });
});

describe("a passkey failure", () => {
  it("has a message, also for unknown reasons", () => {
    const closed = new DOMException("x", "NotAllowedError");
    expect(passkeyFailure(closed).sentence).toMatch(/cancelled/);
    const twice = new DOMException("x", "InvalidStateError");
    expect(passkeyFailure(twice).sentence).toMatch(/already/);
    const odd = new DOMException("odd", "DataError");
    expect(passkeyFailure(odd).sentence).toBe(
      "The passkey could not be used: odd",
    );
  });
});
