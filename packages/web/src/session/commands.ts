/** What a composer's text means: a message, or a command. */

export const COMMANDS = {
  fork: { takes: null, says: 'Fork after the latest finished turn' },
  title: { takes: 'text', says: 'Give the session another title' },
  interrupt: { takes: null, says: 'Stop the turn that runs' },
  compare: { takes: 'id', says: 'Show this session beside another one' },
  help: { takes: null, says: 'Show what can be typed here' },
} as const satisfies Readonly<Record<string, { readonly takes: string | null; readonly says: string }>>;

export type CommandName = keyof typeof COMMANDS;

export type Typed =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'command'; readonly name: CommandName; readonly argument: string }
  /** It looks like a command and is none, or lacks what it takes. */
  | { readonly kind: 'problem'; readonly message: string };

/** A path such as `/usr/bin` is no command. A message that looks like one is sent with a space before it. */
const COMMAND = /^\/([a-z]+)(?:\s+([\s\S]*))?$/;

/** Reads what was typed. */
export function parseTyped(text: string): Typed {
  const trimmed = text.trim();
  if (trimmed === '') return { kind: 'nothing' };
  const match = COMMAND.exec(text.trimEnd());
  if (match === null) return { kind: 'message', text: trimmed };
  const [, name = '', argument = ''] = match;
  if (!isCommand(name)) {
    return { kind: 'problem', message: `There is no command /${name}. To send it as a message, begin with a space.` };
  }
  const { takes } = COMMANDS[name];
  if (takes !== null && argument.trim() === '')
    return { kind: 'problem', message: `/${name} takes the ${takes}: /${name} …` };
  return { kind: 'command', name, argument: argument.trim() };
}

/** The commands that what was typed may become; none once one is complete. */
export function completionsOf(text: string): readonly CommandName[] {
  const match = /^\/([a-z]*)$/.exec(text);
  if (match === null) return [];
  return Object.keys(COMMANDS).filter((name): name is CommandName => name.startsWith(match[1] ?? ''));
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}
