/** The commands about this machine and one call: trust, resolve, doctor, version. */
import type { DoctorFlags, ResolveFlags, TrustFlags, VersionFlags } from '../flags.ts';
import { defineCommand, ID_ARGUMENT, JSON_FLAG } from './define.ts';
import { SWITCH, TEXT, YES_FLAG } from './kinds.ts';
import { parseOffset } from './parse.ts';

export const resolveCommand = defineCommand<ResolveFlags, [string]>({
  load: async () => (await import('../commands/resolve.ts')).resolve,
  parameters: {
    flags: {
      json: JSON_FLAG,
      offset: { kind: 'parsed', parse: parseOffset, brief: "Offset of the call's tool.intent", placeholder: 'n' },
      happened: { ...SWITCH, brief: 'It took effect; --result says with what answer' },
      result: { ...TEXT, brief: 'What the call answered, as JSON', placeholder: 'json' },
      didNotHappen: { ...SWITCH, brief: 'It did not take effect' },
      retry: { ...SWITCH, brief: 'Send it again' },
    },
    positional: { kind: 'tuple', parameters: [ID_ARGUMENT] },
  },
  docs: {
    brief: 'Say what became of a call whose outcome is unknown',
    text: 'When a process dies in the middle of a call that can leave the workspace, nobody knows whether it took effect. The session or run waits (exit code 7) until a person says. Then go on with `ramet run --session <id>`, or `ramet resume <id>`.',
    usage: '<id> --offset <n> (--happened --result <json> | --did-not-happen | --retry)',
    examples: [
      `ramet resolve 3f9a1c --offset 27 --happened --result '{"id":"pay_1"}'`,
      'ramet resolve 3f9a1c --offset 27 --did-not-happen',
      'ramet resolve 3f9a1c --offset 27 --retry',
    ],
  },
});

export const trustCommand = defineCommand<TrustFlags, []>({
  load: async () => (await import('../commands/trust.ts')).trust,
  parameters: { flags: { json: JSON_FLAG, yes: YES_FLAG } },
  docs: {
    brief: "Confirm this project's ramet.json",
    text: 'A project can only tighten what you allow, until you confirm its ramet.json: only then do its allow rules and carried folders count. It is this very content that is confirmed; a changed file asks again.',
    examples: ['ramet trust', 'ramet trust --yes'],
  },
});

export const doctorCommand = defineCommand<DoctorFlags, []>({
  load: async () => (await import('../commands/doctor.ts')).doctor,
  parameters: { flags: { json: JSON_FLAG } },
  docs: {
    brief: 'Check this machine',
    text: 'Checks git, the sandbox, ramet.json, the state folder, free space, every session and the keys of providers, and says what to do about what is missing. Changes nothing. Exit code 2 when something will fail.',
    examples: ['ramet doctor'],
  },
});

export const versionCommand = defineCommand<VersionFlags, []>({
  load: async () => (await import('../commands/version.ts')).version,
  parameters: { flags: { json: JSON_FLAG } },
  docs: {
    brief: 'Print the version',
    text: 'Prints the version of ramet; with --json also those of Node and the log format.',
    examples: ['ramet version --json'],
  },
});
