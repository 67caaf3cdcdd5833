// Passkeys and security keys. Converts between the API's messages and the
// browser's navigator.credentials (W3C Web Authentication, level 2).
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type {
  PasskeyAssertionSchema,
  PasskeyCreatedSchema,
  PasskeyEnrolment,
  PasskeyRequest,
} from "#proto/auth";
import type { Failure } from "../../../api/failure";
import { messages } from "#messages/auth";

const kTimeoutMs = 120_000;

export function browserHasPasskeys(): boolean {
  return typeof PublicKeyCredential === "function";
}

export function creationOptions(
  enrolment: PasskeyEnrolment,
): PublicKeyCredentialCreationOptions {
  return {
    challenge: copy(enrolment.challenge),
    rp: { id: enrolment.rpId, name: enrolment.rpName },
    user: {
      id: copy(enrolment.userHandle),
      name: enrolment.userName,
      displayName: enrolment.userDisplayName || enrolment.userName,
    },
    pubKeyCredParams: enrolment.algorithms.map((alg) => ({
      type: "public-key",
      alg,
    })),
    excludeCredentials: enrolment.exclude.map(descriptor),
    // The password is the first factor, so the key does not need user
    // verification.
    authenticatorSelection: {
      residentKey: "preferred",
      userVerification: "preferred",
    },
    attestation: "none",
    timeout: kTimeoutMs,
  };
}

export function requestOptions(
  request: PasskeyRequest,
): PublicKeyCredentialRequestOptions {
  return {
    challenge: copy(request.challenge),
    rpId: request.rpId,
    allowCredentials: request.credentialIds.map(descriptor),
    userVerification: "preferred",
    timeout: kTimeoutMs,
  };
}

function descriptor(id: Uint8Array): PublicKeyCredentialDescriptor {
  return { type: "public-key", id: copy(id) };
}

function copy(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

// Throws the browser's error; passkeyFailure() turns it into a message.
export async function createPasskey(
  enrolment: PasskeyEnrolment,
  name: string,
): Promise<MessageInitShape<typeof PasskeyCreatedSchema>> {
  const { response } = (await navigator.credentials.create({
    publicKey: creationOptions(enrolment),
  })) as PublicKeyCredential;
  const { clientDataJSON, attestationObject } =
    response as AuthenticatorAttestationResponse;
  return {
    clientDataJson: new Uint8Array(clientDataJSON),
    attestationObject: new Uint8Array(attestationObject),
    name,
  };
}

export async function assertPasskey(
  request: PasskeyRequest,
): Promise<MessageInitShape<typeof PasskeyAssertionSchema>> {
  const credential = (await navigator.credentials.get({
    publicKey: requestOptions(request),
  })) as PublicKeyCredential;
  const response = credential.response as AuthenticatorAssertionResponse;
  return {
    credentialId: new Uint8Array(credential.rawId),
    clientDataJson: new Uint8Array(response.clientDataJSON),
    authenticatorData: new Uint8Array(response.authenticatorData),
    signature: new Uint8Array(response.signature),
  };
}

const kSentences: Record<string, string> = {
  NotAllowedError: messages.thePasskeyPromptWasCancelled,
  InvalidStateError: messages.thisKeyIsAlreadyRegistered,
  NotSupportedError: messages.thisKeyDoesNotSupport,
  SecurityError: messages.theBrowserDoesNotAllow,
};

export function isPasskeyError(error: unknown): error is DOMException {
  return error instanceof DOMException;
}

export function passkeyFailure({ name, message }: DOMException): Failure {
  const sentence =
    kSentences[name] ?? messages.passkeyCouldNotBeUsed({ reason: message });
  return { code: Code.Canceled, sentence, requestId: "" };
}
