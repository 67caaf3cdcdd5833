// The texts of this feature's pages. Sentences with values are next to their
// code or in *_labels.ts.
export const messages = {
  authenticatorApp: "Authenticator app",
  cancel: "Cancel",
  carme: "Carme",
  checking: "Checking…",
  checkingTheCode: "Checking the code…",
  chooseANewPassword: "Choose a new password",
  codeFromYourApp: "Code from your app",
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
  enterASixDigitCode:
    "Enter a six-digit code from an app on your phone at each login.",
  enterTheSixDigitCode: "Enter the six-digit code from the app.",
  iHaveSavedTheseCodes: "I have saved these codes in a safe place",
  interactiveAppsAndBatchJobs:
    "Interactive apps and batch jobs on the cluster’s GPUs.",
  logIn: "Log in",
  loggingIn: "Logging in",
  loggingInLabel: "Logging in…",
  name: "Name",
  newPassword: "New password",
  passkeyOrSecurityKey: "Passkey or security key",
  password: "Password",
  print: "Print",
  qrCodeOfTheKey: "QR code of the key below",
  recoveryCode: "Recovery code",
  repeatNewPassword: "Repeat new password",
  scanThisCodeWithAn: "Scan this code with an authenticator app on your phone.",
  setUpYourAuthenticatorApp: "Set up your authenticator app",
  setUpYourSecondFactor: "Set up your second factor",
  startOver: "Start over",
  submittedAfterTheSixthDigit: "Submitted after the sixth digit.",
  thisActionRequiresYourSecond:
    "This action requires your second factor. The confirmation is valid for a few minutes.",
  tryAgain: "Try again",
  usePasskey: "Use passkey",
  useThisComputerYourPhone:
    "Use this computer, your phone or a USB key. No codes to type, and safe against phishing.",
  useYourClusterAccountThe:
    "Use your cluster account. The next step asks for your second factor.",
  useYourOwnSlurmAccount:
    "Use your own Slurm account from the browser. Nothing to install.",
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
  yourBrowserAsksWhereTo:
    "Your browser asks where to store the passkey: on this computer, on your phone or on a security key.",
  yourRecoveryCodes: "Your recovery codes",
} as const;
