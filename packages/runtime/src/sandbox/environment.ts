/**
 * The environments of commands: a generated one in the sandbox, the person's without secrets outside of one.
 */

/** Names a command may keep from the person's environment inside the sandbox: language, time zone. */
const KEPT_INSIDE = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ)$/;

/**
 * Names removed where there is no sandbox: ours, git's (they redirect repositories), npm's (set by `npx` around us),
 * agents' sockets, and what looks like a secret by its name.
 */
const REMOVED_OUTSIDE = [
  /^(GIT|RAMET|NPM|npm)_/,
  /^(SSH_AUTH_SOCK|SSH_AGENT_PID|SSH_ASKPASS|GPG_AGENT_INFO|DBUS_SESSION_BUS_ADDRESS|BASH_ENV|ENV|INIT_CWD)$/,
  /(^|_)(API_?KEYS?|ACCESS_KEY(_ID)?|SECRET(S|_KEY)?|TOKENS?|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PRIVATE_KEY)(_|$)/i,
];

type Environment = Readonly<Record<string, string | undefined>>;

export interface InsideEnvironmentOptions {
  readonly host: Environment;
  /** Folders of PATH that exist inside. */
  readonly path: readonly string[];
  readonly userName: string;
  readonly toolchain: Readonly<Record<string, string>>;
}

/** The environment of a command in the sandbox. */
export function makeInsideEnvironment(options: InsideEnvironmentOptions): Record<string, string> {
  return {
    ...pickEnvironment(options.host, (name) => KEPT_INSIDE.test(name)),
    ...options.toolchain,
    PATH: options.path.join(':'),
    HOME: '/tmp/home',
    TMPDIR: '/tmp',
    USER: options.userName,
    LOGNAME: options.userName,
    SHELL: '/bin/sh',
    TERM: 'dumb',
    GIT_CONFIG_SYSTEM: '/etc/gitconfig',
    GIT_TERMINAL_PROMPT: '0',
  };
}

/**
 * The environment of a command without a sandbox. HOME stays the person's: such a command has the person's rights, and
 * their toolchains live there; hiding the name would protect nothing.
 */
export function makeOutsideEnvironment(host: Environment, scratch: string): Record<string, string> {
  const kept = pickEnvironment(host, (name) => !REMOVED_OUTSIDE.some((pattern) => pattern.test(name)));
  return { ...kept, TMPDIR: scratch, GIT_TERMINAL_PROMPT: '0', TERM: 'dumb' };
}

function pickEnvironment(host: Environment, keep: (name: string) => boolean): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) if (value !== undefined && keep(name)) kept[name] = value;
  return kept;
}
