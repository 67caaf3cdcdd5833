// All texts of this feature's pages.
export const messages = {
  authenticatorApp: "Authenticator app",
  browserOnSystem: (browser: string, system: string) =>
    `${browser} on ${system}`,
  cancel: "Cancel",
  carme: "Carme",
  checking: "Checking…",
  checkingTheCode: "Checking the code…",
  chooseANewPassword: "Choose a new password",
  codeFromYourApp: "Code from your app",
  codesCreatedOn: (day: string) =>
    `Created on ${day}. Earlier codes are no longer valid.`,
  codesOfUser: (username: string, host: string) =>
    `Carme recovery codes of ${username} at ${host}`,
  confirmYourSecondFactor: "Confirm your second factor",
  confirmYourSecondFactorFirst: "Confirm your second factor first",
  continue: "Continue",
  copy: "Copy",
  copyKey: "Copy key",
  createPasskey: "Create passkey",
  createYourPasskey: "Create your passkey",
  creating: "Creating…",
  download: "Download",
  eachAttemptUsesUpThe:
    "Each attempt uses up the current app code. After a mistake, wait for the next code. A recovery code is used up only by a successful login.",
  eachCodeReplacesYourSecond: "Each code replaces your second factor once.",
  enterANewPassword: "Enter a new password.",
  enterASixDigitCode:
    "Enter a six-digit code from an app on your phone at each login.",
  enterOneOfYourRecovery:
    "Enter one of your recovery codes. Each code works once.",
  enterTheSixDigitCode: "Enter the six-digit code from the app.",
  enterTheSixDigitCodeFrom:
    "Enter the six-digit code from your authenticator app.",
  iHaveSavedTheseCodes: "I have saved these codes in a safe place",
  interactiveAppsAndBatchJobs:
    "Interactive apps and batch jobs on the cluster’s GPUs.",
  logIn: "Log in",
  logInTitle: "Log in · Carme",
  loggingIn: "Logging in",
  loggingInLabel: "Logging in…",
  name: "Name",
  newPassword: "New password",
  passkey: "Passkey",
  passkeyCouldNotBeUsed: (reason: string) =>
    `The passkey could not be used: ${reason}`,
  passkeyOrSecurityKey: "Passkey or security key",
  password: "Password",
  print: "Print",
  qrCodeOfTheKey: "QR code of the key below",
  recoveryCode: "Recovery code",
  recoveryCodes: "Recovery codes",
  repeatNewPassword: "Repeat new password",
  scanThisCodeWithAn: "Scan this code with an authenticator app on your phone.",
  setUpYourAuthenticatorApp: "Set up your authenticator app",
  setUpYourSecondFactor: "Set up your second factor",
  startOver: "Start over",
  submittedAfterTheSixthDigit: "Submitted after the sixth digit.",
  theBrowserDoesNotAllow:
    "The browser does not allow passkeys on this address.",
  theLoginTimedOut: "The login timed out after five minutes. Log in again.",
  theNewPasswordIsTheSame: "The new password is the same as the current one.",
  thePasskeyPromptWasCancelled:
    "The passkey prompt was cancelled or timed out.",
  theTwoNewPasswordsDo: "The two new passwords do not match.",
  thisActionRequiresYourSecond:
    "This action requires your second factor. The confirmation is valid for a few minutes.",
  thisKeyDoesNotSupport:
    "This key does not support a feature that Carme requires.",
  thisKeyIsAlreadyRegistered:
    "This key is already registered for your account.",
  tooManyWrongPasswords: (wait: string) =>
    `There were too many wrong passwords for this name. As a protection against guessing, the password is checked only after a second factor. Without a second factor, try again in ${wait}.`,
  tryAgain: "Try again",
  unknownFactor: "Unknown factor",
  useARecoveryCode: "Use a recovery code",
  usePasskey: "Use passkey",
  useTheseCodesToLogIn:
    "Use these codes to log in if you lose your second factor. Each code works once.",
  useThisComputerYourPhone:
    "Use this computer, your phone or a USB key. No codes to type, and safe against phishing.",
  useYourAuthenticatorAppInstead: "Use your authenticator app instead",
  useYourClusterAccountThe:
    "Use your cluster account. The next step asks for your second factor.",
  useYourOwnSlurmAccount:
    "Use your own Slurm account from the browser. Nothing to install.",
  useYourPasskeyInstead: "Use your passkey instead",
  userName: "User name",
  withoutACameraEnterThis: "Without a camera, enter this key in the app:",
  youCannotSeeThemAgain: "You cannot see them again.",
  yourAccountHasOnlyPasskeys:
    "Your account has only passkeys, and this browser does not support them. Use another browser or ask your administrator.",
  yourAccountNeedsASecond:
    "Your account needs a second factor. You set it up once and can add more later.",
  yourAccountRequiresANew: "Your account requires a new password.",
  yourAccountRequiresAPasskey:
    "Your account requires a passkey, and this browser does not support passkeys. Use another browser or ask your administrator.",
  yourBrowserAsksForThe:
    "Your browser asks for the passkey or security key of this account.",
  yourBrowserAsksWhereTo:
    "Your browser asks where to store the passkey: on this computer, on your phone or on a security key.",
  yourRecoveryCodes: "Your recovery codes",
} as const;
