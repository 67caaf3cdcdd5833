import { describe, expect, it } from "vitest";
import { deviceName } from "../../../../src/features/auth/factors/device_name";

const linux =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)";

describe("the default name of a passkey", () => {
  it("is the browser and the system", () => {
    expect(deviceName(`${linux} Chrome/140.0 Safari/537.36`)).toBe(
      "Chrome on Linux",
    );
    expect(deviceName(`${linux} Chrome/140.0 Safari/537.36 Edg/140.0`)).toBe(
      "Edge on Linux",
    );
    const phone = "Mozilla/5.0 (iPhone; CPU like Mac OS X) Safari/604.1";
    expect(deviceName(phone)).toBe("Safari on iOS");
  });

  it("is generic for an unknown browser", () => {
    expect(deviceName("w3m/0.5")).toBe("Passkey");
  });
});
